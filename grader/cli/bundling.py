"""The work of `grader assignment bundle`: what students get to download, made here."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from rich.markup import escape

from grader.cli.exits import ExitCode, leave
from grader.cli.output import answers, asides, print_json, write_bytes
from grader.cli.steps import spinner
from grader.content.assignments import find_assignment, read_whole
from grader.domain import student_bundle
from grader.domain.results import JsonValue
from grader.engine import Engine
from grader.presentation.words import counted, counted_points, hidden_text
from grader.services.bundling import Bundled, make_bundle


def bundle(folder: str, *, out: Path | None, as_json: bool) -> None:
    """Make the bundle of an assignment; ends the command with 1 where no check can be handed out."""
    assignment = read_whole(find_assignment(folder))
    with spinner(asides(), "Recording the solution's answers"), Engine() as engine:
        made = make_bundle(assignment, engine)
    path = out or Path(f"{assignment.slug}-checks.zip")
    if made.checks:
        write_bytes(path, made.data, option="--out", replace=out is not None)
    if as_json:
        checks: list[JsonValue] = [check.id for check in made.checks]
        about = {**student_bundle.dump(made.about), "checks": checks}
        print_json({"file": str(path) if made.checks else None, **about})
    else:
        _tell(made, path)
    leave(ExitCode.FINE if made.checks else ExitCode.NO)


def _tell(made: Bundled, path: Path) -> None:
    if made.checks:
        worth = counted_points(sum((check.points for check in made.checks), Fraction(0)))
        what = f"{counted(len(made.checks), 'check')}, worth {worth}"
        answers().print(f"Wrote {escape(str(path))}: {what}. Students run them with:", soft_wrap=True)
        answers().print(f"  grader check FILE --assignment {escape(str(path))}", soft_wrap=True)
    else:
        answers().print("Nothing was written: no visible check can be handed out.", soft_wrap=True)
    for check in made.about.left_out:
        worth = counted_points(check.points)
        answers().print(escape(f"Left out: {check.id}, worth {worth}: {check.reason}."), soft_wrap=True)
    if made.about.hidden:
        answers().print(escape(f"Students are told: {hidden_text(made.about.hidden)}"), soft_wrap=True)
