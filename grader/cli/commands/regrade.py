"""`grader regrade ...`: grading again, as a plan first."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.commands import Panel, examples
from grader.cli.commands.options import AsJson, Assignment, Course, Seen, Server
from grader.domain.regrades import Which
from grader.domain.verdicts import Verdict

PlanId = Annotated[
    str, typer.Argument(metavar="PLAN", help="Its id, or the first letters of it.", show_default=False)
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until everything is graded, and show the changes.")]


def register(app: typer.Typer) -> None:
    """Add the group to the root."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Grade submissions again: plan, look, apply, undo.",
        rich_markup_mode="rich",
    )
    group.command(
        "plan",
        epilog=examples(
            "grader regrade plan functional-core --reason 'The bound was too tight' --wait",
            "grader regrade plan functional-core --reason Noise --check smooth.jit.fast --verdict failed",
        ),
    )(plan)
    group.command("list", epilog=examples("grader regrade list functional-core"))(list_)
    group.command("show", epilog=examples("grader regrade show functional-core 3fa9"))(show)
    group.command("apply", epilog=examples("grader regrade apply functional-core 3fa9 --seen 1"))(apply)
    group.command("undo", epilog=examples("grader regrade undo functional-core 3fa9"))(undo)
    group.command("discard", epilog=examples("grader regrade discard functional-core 3fa9"))(discard)
    app.add_typer(group, name="regrade", rich_help_panel=Panel.INSTRUCTOR)


def plan(  # noqa: PLR0913 - each is an option of its own
    assignment: Assignment,
    *,
    reason: Annotated[str, typer.Option("--reason", help="Why; students may read it.", show_default=False)],
    which: Annotated[Which, typer.Option("--which", help="Of each student.")] = Which.COUNTING,
    check: Annotated[
        str | None,
        typer.Option("--check", metavar="ID", help="Only those that this check judged.", show_default=False),
    ] = None,
    verdict: Annotated[
        list[Verdict] | None,
        typer.Option("--verdict", help="Only those where that check said so.", show_default=False),
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(
            "--version", metavar="N", min=1, help="Against this version.", show_default="the newest"
        ),
    ] = None,
    wait: Wait = False,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Grade submissions again without anything counting yet."""
    from grader.cli.remote.regrades import Wanted, plan

    wanted = Wanted(reason=reason, which=which, check=check, verdicts=tuple(verdict or ()), version=version)
    plan(server, wanted, slug=assignment, course=course, wait=wait, as_json=as_json)


def list_(
    assignment: Assignment, *, course: Course = None, server: Server = None, as_json: AsJson = False
) -> None:
    """List an assignment's plans."""
    from grader.cli.remote.regrades import list_plans

    list_plans(server, slug=assignment, course=course, as_json=as_json)


def show(
    assignment: Assignment,
    plan: PlanId,
    *,
    wait: Wait = False,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show whom a plan changes, by how much, and why."""
    from grader.cli.remote.regrades import show

    show(server, slug=assignment, typed=plan, course=course, wait=wait, as_json=as_json)


def apply(
    assignment: Assignment,
    plan: PlanId,
    *,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Let what a plan found count."""
    from grader.cli.remote.regrades import Decision, decide

    decide(server, Decision.APPLY, slug=assignment, typed=plan, seen=seen, course=course, as_json=as_json)


def undo(
    assignment: Assignment,
    plan: PlanId,
    *,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Let what counted before a plan count again."""
    from grader.cli.remote.regrades import Decision, decide

    decide(server, Decision.UNDO, slug=assignment, typed=plan, seen=seen, course=course, as_json=as_json)


def discard(
    assignment: Assignment,
    plan: PlanId,
    *,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Put a plan aside for good."""
    from grader.cli.remote.regrades import Decision, decide

    decide(server, Decision.DISCARD, slug=assignment, typed=plan, seen=seen, course=course, as_json=as_json)
