"""The work of `grader check`: read a file, grade it with the engine of this machine, show what was found."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from rich.markup import escape

from grader.cli.exits import ExitCode, leave
from grader.cli.opening import Opened, opened
from grader.cli.output import answers, asides, print_json, require_folder, write_text
from grader.cli.steps import spinner, step_display
from grader.content.uploads import read_paths
from grader.domain.errors import ConfigurationInvalid, SealUnavailable
from grader.domain.lessons import pointing_into
from grader.domain.report_json import view_to_json
from grader.domain.results import AttemptResult, Progress, Stage
from grader.domain.rubric import Assignment, Rubric
from grader.domain.student_bundle import LeftOut, public_seed
from grader.domain.submission import Notice, SubmittedFiles
from grader.domain.text import one_line
from grader.domain.verdicts import Verdict, Visibility
from grader.domain.view import STAFF, Audience, HiddenChecks, Reader, ReportView, view_of
from grader.engine import Engine
from grader.presentation.html import render_report
from grader.presentation.page import Heading
from grader.presentation.terminal import report
from grader.presentation.words import counted_points
from grader.services.lessons import anchors_of

STUDENT_CHECKS = frozenset({Visibility.VISIBLE})
_SEED = re.compile(r"[0-9a-fA-F]{1,128}")
GIVES_POINTS = frozenset({Verdict.PASSED, Verdict.INCONCLUSIVE})

UNSEALED = (
    "This machine cannot seal off the code that it grades, so it runs here with your own rights. "
    "Check only code that you trust."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """What to grade, and how to answer. `seed` replays an attempt's hidden inputs; None takes public ones."""

    paths: tuple[Path, ...]
    assignment: str
    every_check: bool = False
    as_json: bool = False
    html: Path | None = None
    seed: str | None = None

    @property
    def reader(self) -> Reader:
        return STAFF if self.every_check else Reader(audience=Audience.STUDENT)


def run(request: CheckRequest) -> None:
    """Grade and answer; ends the command with 1 where a check failed, with 3 where one was not judged."""
    if request.seed is not None:
        _require_seed(request.seed)
    with opened(request.assignment) as found:
        _require_whole(found, request)
        assignment = found.assignment
        names = [function.name for function in assignment.functions]
        files = read_paths(request.paths, entry=assignment.entry, functions=names)
        if request.html is not None:
            require_folder(request.html.parent, option="--html")
        with _warm_engine(request) as engine:
            result = _grade(engine, files, found, request)
            view = _view(result, engine.rubric(assignment), found, files=files, reader=request.reader)
    _answer(view, files=files, assignment=assignment, request=request)
    leave(exit_code_of(view))


def _require_whole(found: Opened, request: CheckRequest) -> None:
    """ConfigurationInvalid where a student's bundle is asked for what only the whole assignment has."""
    for option, is_given in {"--all": request.every_check, "--seed": request.seed is not None}.items():
        if is_given and found.bundle is not None:
            problem = f"{request.assignment} holds the visible checks, with answers for one set of inputs."
            raise ConfigurationInvalid(
                option, problem, "Give the whole assignment's folder, or leave it out."
            )


def _view(
    result: AttemptResult, rubric: Rubric, found: Opened, *, files: SubmittedFiles, reader: Reader
) -> ReportView:
    """What the reader sees, and that there is more."""
    view = pointing_into(view_of(result, reader, source=files), anchors_of(found.assignment))
    if found.bundle is None:
        return replace(view, hidden=hidden_checks(rubric, result))
    return replace(
        view,
        version=found.bundle.version,
        hidden=found.bundle.hidden,
        notices=(*view.notices, *map(_left_out, found.bundle.left_out)),
    )


def _left_out(check: LeftOut) -> Notice:
    worth = counted_points(check.points)
    message = f"{check.id}, worth {worth}, runs on the server only: {check.reason}. ({check.title})"
    return Notice(code="check.left_out", message=message)


def _require_seed(seed: str) -> None:
    """ConfigurationInvalid for what no attempt's seed can be."""
    if not _SEED.fullmatch(seed):
        problem = f"{one_line(seed, 40)!r} is not a seed: it must be a row of the digits 0-9 and a-f."
        raise ConfigurationInvalid("--seed", problem, "Reports for staff show an attempt's seed.")


def exit_code_of(view: ReportView) -> ExitCode:
    """The answer in one number: a check that nobody could judge is our fault and weighs most."""
    if not view.graded:
        return ExitCode.OUR_FAULT
    if any(check.verdict not in GIVES_POINTS for check in view.checks):
        return ExitCode.NO
    return ExitCode.FINE


def hidden_checks(rubric: Rubric, result: AttemptResult) -> tuple[HiddenChecks, ...]:
    """What the rubric holds beyond the checks that were run; they count too, so a report says so."""
    run = {check.id for check in result.rubric.checks}
    groups = []
    for visibility in Visibility:
        left = [check for check in rubric.checks if check.id not in run and check.visibility is visibility]
        if left:
            points = sum((check.points for check in left), Fraction(0))
            groups.append(HiddenChecks(visibility=visibility, count=len(left), points=points))
    return tuple(groups)


def _grade(engine: Engine, files: SubmittedFiles, found: Opened, request: CheckRequest) -> AttemptResult:
    own_seed = public_seed(found.assignment.version) if found.bundle is None else found.bundle.seed
    with step_display(asides(), lines=False) as show:

        def tell(progress: Progress) -> None:
            if progress.stage is Stage.CHECKING:
                show(progress.done + 1, progress.total, progress.check_id or "")

        return engine.grade(
            files,
            found.assignment,
            seed=request.seed or own_seed,
            on_progress=tell,
            only=None if request.every_check else STUDENT_CHECKS,
        )


def _warm_engine(request: CheckRequest) -> Engine:
    """A started engine. Students may run their own code unsealed where no seal can be had, and are told so.

    SealUnavailable where the code may be somebody else's (`--all`, on a system that has a seal).
    """
    with spinner(asides(), "Starting JAX"):
        try:
            engine = _started(sealed=None)
        except SealUnavailable:
            if request.every_check:
                raise
            engine = _started(sealed=False)
    if not engine.sealed:
        asides().print(UNSEALED, style="yellow", soft_wrap=True)
    return engine


def _started(*, sealed: bool | None) -> Engine:
    engine = Engine(sealed=sealed)
    engine.start()
    return engine


def _answer(
    view: ReportView, *, files: SubmittedFiles, assignment: Assignment, request: CheckRequest
) -> None:
    heading = Heading(title=f"{assignment.title}: {one_line(files.entry, 80)}")
    if request.html is not None:
        page = render_report(view, source=files, heading=heading)
        write_text(request.html, page, option="--html")
    if request.as_json:
        print_json(view_to_json(view))
        return
    answers().print(report(view, source=files, heading=heading))
    if request.html is not None:
        answers().print(f"\nReport: {escape(request.html.resolve().as_uri())}", soft_wrap=True)
