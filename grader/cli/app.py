"""The root of the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.boundary import BoundaryGroup
from grader.cli.commands import (
    assignment,
    check,
    course,
    demo,
    examples,
    grades,
    let_help_flow,
    login,
    operate,
    receipt,
    regrade,
    review,
    roster,
    submission,
    web,
)
from grader.cli.output import answers

app = typer.Typer(
    name="grader",
    cls=BoundaryGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="An automated grader for courses that teach JAX.",
    epilog=examples("grader demo", "grader check submission.py --assignment functional-core"),
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (
    demo,
    login,
    check,
    submission,
    receipt,
    course,
    roster,
    assignment,
    review,
    regrade,
    grades,
    operate,
    web,
):
    module.register(app)
let_help_flow(app)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - Typer calls it with the flag's value
    if wanted:
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - only when asked for

        try:
            number = version("jax-grader")
        except PackageNotFoundError:
            number = "(not installed: run from its source folder)"
        answers().print(f"grader {number}", soft_wrap=True)
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """An automated grader for courses that teach JAX."""
