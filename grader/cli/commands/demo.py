"""`grader demo`: the whole way of a submission, live, on this machine."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands import Panel, examples


def register(app: typer.Typer) -> None:
    """Add the command to the root."""
    app.command(
        "demo",
        rich_help_panel=Panel.ANYONE,
        epilog=examples("grader demo", "grader demo --out /tmp/reports --keep"),
    )(demo)


def demo(
    *,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the HTML reports go.")] = Path(
        "demo-reports"
    ),
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the demo's database and logs, and say where they are.")
    ] = False,
) -> None:
    """Grade sample submissions through a real queue and a real worker, and look at what comes back.

    Needs nothing but this package; everything it starts is stopped again. Exit code 0: every verdict is as
    expected; 1: at least one is not.
    """
    from grader.cli.demo.show import run

    run(out=out, keep=keep)
