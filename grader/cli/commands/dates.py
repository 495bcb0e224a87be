"""`grader assignment dates`, `release`, `extend` and `extensions`: when things are due, for whom."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.commands import examples
from grader.cli.commands.options import AsJson, Assignment, Course, Server
from grader.domain.scheduling import Counting


def _time(option: str, about: str) -> typer.models.OptionInfo:
    option_info: typer.models.OptionInfo = typer.Option(
        option,
        metavar="TIME",
        help=f"{about}, such as '2026-11-30 23:59' on the course's clock; none takes it away.",
        show_default=False,
    )
    return option_info


def register(group: typer.Typer) -> None:
    """Add the commands to the group of assignments."""
    group.command(
        "dates",
        epilog=examples(
            "grader assignment dates functional-core",
            "grader assignment dates functional-core --due '2026-11-30 23:59' --late-percent 10 --grace",
        ),
    )(dates)
    group.command("release", epilog=examples("grader assignment release functional-core"))(release)
    group.command(
        "extend",
        epilog=examples("grader assignment extend functional-core ada --due '2026-12-03 23:59' --reason ill"),
    )(extend)
    group.command(
        "extensions",
        epilog=examples(
            "grader assignment extensions functional-core",
            "grader assignment extensions functional-core --take-back 5e1c",
        ),
    )(extensions)


def dates(  # noqa: PLR0913 - each is an option of its own
    assignment: Assignment,
    *,
    opens: Annotated[str | None, _time("--opens", "When students see it")] = None,
    due: Annotated[str | None, _time("--due", "When it is due")] = None,
    closes: Annotated[str | None, _time("--closes", "When nothing is taken any more")] = None,
    late_percent: Annotated[
        float | None,
        typer.Option(
            "--late-percent",
            min=0,
            max=100,
            help="What a day begun late costs of the points.",
            show_default=False,
        ),
    ] = None,
    grace: Annotated[
        bool | None, typer.Option("--grace/--no-grace", help="Late days are first paid with grace days.")
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option("--limit", metavar="N", help="Submissions per student, or none.", show_default=False),
    ] = None,
    cooldown_min: Annotated[
        float | None,
        typer.Option(
            "--cooldown", metavar="MINUTES", min=0, help="Between two submissions.", show_default=False
        ),
    ] = None,
    counting: Annotated[
        Counting | None, typer.Option("--counting", help="Which submission counts.", show_default=False)
    ] = None,
    draft: Annotated[
        bool | None, typer.Option("--draft/--publish", help="Hide it from students, or show it.")
    ] = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show an assignment's dates and rules, or change those that are named."""
    from grader.cli.remote.scheduling import DateChanges, dates

    changes = DateChanges(
        opens=opens,
        due=due,
        closes=closes,
        late_percent_per_day=late_percent,
        grace=grace,
        limit=limit,
        cooldown_s=None if cooldown_min is None else round(cooldown_min * 60),
        counting=counting,
        draft=draft,
    )
    dates(server, slug=assignment, course=course, changes=changes, as_json=as_json)


def release(
    assignment: Assignment,
    *,
    take_back: Annotated[bool, typer.Option("--take-back", help="Take released grades back.")] = False,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Release an assignment's grades, and with them what opens then."""
    from grader.cli.remote.scheduling import release

    release(server, slug=assignment, course=course, take_back=take_back, as_json=as_json)


def extend(
    assignment: Assignment,
    login: Annotated[str, typer.Argument(metavar="LOGIN", help="Who gets more time.", show_default=False)],
    *,
    due: Annotated[str, _time("--due", "Until when")],
    closes: Annotated[str | None, _time("--closes", "When nothing is taken any more")] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why; for the record.", show_default=False)],
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Grant one student more time."""
    from grader.cli.remote.scheduling import ExtensionWanted, extend

    wanted = ExtensionWanted(login=login, due=due, closes=closes, reason=reason)
    extend(server, wanted, slug=assignment, course=course, as_json=as_json)


def extensions(
    assignment: Assignment,
    *,
    take_back: Annotated[
        str | None,
        typer.Option("--take-back", metavar="ID", help="Take this one back.", show_default=False),
    ] = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List who has more time."""
    from grader.cli.remote.scheduling import extensions

    extensions(server, slug=assignment, take_back=take_back, course=course, as_json=as_json)
