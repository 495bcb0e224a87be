"""`grader up`, `worker`, `db upgrade`, `doctor`: keeping the grader running."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from grader.cli.commands import Panel, examples


class QueueName(StrEnum):
    """The queues a worker can serve."""

    CPU = "cpu"
    GPU = "gpu"


def register(app: typer.Typer) -> None:
    """Add the commands to the root."""
    app.command("up", rich_help_panel=Panel.OPERATOR, epilog=examples("grader up"))(up)
    app.command(
        "worker",
        rich_help_panel=Panel.OPERATOR,
        epilog=examples("grader worker --queue cpu --processes 4"),
    )(worker)
    app.command("doctor", rich_help_panel=Panel.OPERATOR, epilog=examples("grader doctor"))(doctor)
    database = typer.Typer(no_args_is_help=True, help="Look after the database.", rich_markup_mode="rich")
    database.command("upgrade", epilog=examples("grader db upgrade"))(upgrade)
    app.add_typer(database, name="db", rich_help_panel=Panel.OPERATOR)


def up() -> None:
    """Run everything on this machine until Ctrl-C: database, broker, one worker and the web server."""
    from grader.cli.working import up

    up()


def worker(
    *,
    queue: Annotated[QueueName, typer.Option("--queue", "-q", help="The queue to serve.")] = QueueName.CPU,
    processes: Annotated[
        int,
        typer.Option("--processes", min=1, help="How many submissions to grade at a time."),
    ] = 1,
) -> None:
    """Grade submissions from a queue until stopped. Start one per machine, or several."""
    from grader.cli.working import work

    work(queue=queue.value, processes=processes)


def upgrade() -> None:
    """Bring the database to this version of the grader; does nothing where it already is."""
    from grader.cli.working import upgrade_database

    upgrade_database()


def doctor(
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a table.")
    ] = False,
) -> None:
    """Look at this machine and say what works, what does not, and what to do about it.

    Exit code 0: submissions can be graded here; 1: something that is needed is missing.
    """
    from grader.cli.diagnosis import doctor

    doctor(as_json=as_json)
