"""The pytest plugin that turns marked test functions into checks, and their outcomes into judgements.

Loaded by name into the examiner's pytest. It finds the attempt on pytest's config, gives tests their
fixtures, and records for each test one judgement as a user property, which the engine reads from the report.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from grader.domain.errors import GraderError, ProtocolViolation
from grader.domain.results import Evidence, JsonValue
from grader.domain.rubric import CheckSpec
from grader.domain.verdicts import Blame, Verdict
from grader.engine.attempt import ATTEMPT_KEY, Attempt
from grader.engine.report import JUDGEMENT
from grader.engine.session import LoadFailed, Session, SubmissionEnded, SubmissionRaised
from rubrics import explaining, integrity
from rubrics.answers import COMPUTED, Answers, NotHandedOut, NotRecorded
from rubrics.answers.recording import Recording
from rubrics.answers.replaying import answers_in
from rubrics.drawing import Draw
from rubrics.failures import CheckFailed, judgement
from rubrics.function import Submission
from rubrics.marks import MARK
from rubrics.reference import Course
from rubrics.source import Source

CHECK_KEY = pytest.StashKey[CheckSpec]()
NOTES_KEY: pytest.StashKey[list[Evidence]] = pytest.StashKey()
STARTED_KEY = pytest.StashKey[float]()
CPU_KEY = pytest.StashKey[float]()
ANSWERS_KEY = pytest.StashKey[Answers]()


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark, and see where the solution's answers come from."""
    config.addinivalue_line("markers", f"{MARK}(family, points, function): a check of one criterion")
    config.stash[ANSWERS_KEY] = _answers_for(_attempt(config))


def _answers_for(attempt: Attempt) -> Answers:
    assignment = attempt.assignment
    if attempt.record:
        return Recording()
    if assignment.answers is None:
        return COMPUTED
    try:
        return answers_in(assignment.root / assignment.answers, assignment.version)
    except ProtocolViolation as exc:
        attempt.problems.append(
            f"{assignment.answers}, the recorded answers, is damaged ({exc}); download the checks again"
        )
        return COMPUTED


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Read each test's mark; drop the checks that are not asked for."""
    attempt = _attempt(config)
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        spec = _spec(item, attempt)
        if spec is None:
            continue
        item.stash[CHECK_KEY] = spec
        wanted = attempt.only is None or spec.visibility in attempt.only
        (kept if wanted else dropped).append(item)
        if wanted:
            attempt.checks.append(spec)
    _no_duplicates(attempt)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
    items[:] = kept


def _spec(item: pytest.Item, attempt: Attempt) -> CheckSpec | None:
    mark = item.get_closest_marker(MARK)
    if mark is None:
        attempt.problems.append(f"{item.name} has no @criterion")
        return None
    title = (getattr(getattr(item, "function", None), "__doc__", None) or "").strip().partition("\n")[0]
    if not title:
        attempt.problems.append(f"{item.name} has no docstring, which is the title students read")
    if all(spec.name != mark.kwargs["function"] for spec in attempt.assignment.functions):
        attempt.problems.append(
            f"{item.name} is about {mark.kwargs['function']!r}, which assignment.toml lacks"
        )
    name = item.name.removeprefix("test_")
    return CheckSpec(
        id=f"{mark.kwargs['function']}.{mark.kwargs['family'].value}.{name}",
        node_id=item.nodeid,
        title=title,
        **mark.kwargs,
    )


def _no_duplicates(attempt: Attempt) -> None:
    seen: set[str] = set()
    for spec in attempt.checks:
        if spec.id in seen:
            attempt.problems.append(f"two checks share the id {spec.id}")
        seen.add(spec.id)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Start a check: its clock, its notes, its place in the progress."""
    attempt, spec = _attempt(item.config), item.stash[CHECK_KEY]
    item.stash[NOTES_KEY] = []
    item.stash[STARTED_KEY] = time.monotonic()
    item.stash[CPU_KEY] = _cpu_s(attempt)
    if attempt.session is not None:
        attempt.session.begin_check()
    answers = item.config.stash[ANSWERS_KEY]
    if isinstance(answers, Recording):
        answers.begin_check()
    attempt.started(spec)
    return (yield)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell staff what in the submission wants a look, whatever its verdicts; hand over what was recorded."""
    attempt = _attempt(session.config)
    answers = session.config.stash[ANSWERS_KEY]
    if isinstance(answers, Recording):
        attempt.recorded = answers.written()
    if attempt.session is not None:
        names = [function.name for function in attempt.assignment.functions]
        found = integrity.flags(_source(attempt.session), names, attempt.session.observed)
        attempt.session.flags.extend(found)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Record what the test decided, before pytest reports it."""
    if call.when == "call" or (call.when == "setup" and call.excinfo is not None):
        decided = _decide(item, call.excinfo.value if call.excinfo is not None else None)
        if decided is not None:
            decided["cpu_s"] = round(_cpu_s(_attempt(item.config)) - item.stash[CPU_KEY], 6)
            item.user_properties.append((JUDGEMENT, decided))
            seconds = time.monotonic() - item.stash[STARTED_KEY]
            _attempt(item.config).judged(item.stash[CHECK_KEY], decided, seconds)
    return (yield)


def _cpu_s(attempt: Attempt) -> float:
    """CPU seconds of this process and, as charged to the attempt so far, of those it asks."""
    charged = 0.0 if attempt.session is None else sum(attempt.session.cost.values())
    return time.process_time() + charged


def _notes(item: pytest.Item) -> tuple[Evidence, ...]:
    """What the checks noted about a pass."""
    notes: list[Evidence] = item.stash[NOTES_KEY]
    return tuple(notes)


def _decide(item: pytest.Item, raised: BaseException | None) -> dict[str, Any] | None:
    """The judgement for how a test ended; None if the suite itself is at fault."""
    attempt = _attempt(item.config)
    memory = attempt.assignment.limits.memory_mib
    match raised:
        case None:
            return _withheld(item) or judgement(None, evidence=_notes(item))
        case CheckFailed():
            return judgement(raised)
        case SubmissionEnded() if attempt.session is not None:
            return judgement(explaining.ended(raised, attempt.session.files, memory_mib=memory))
        case LoadFailed() if attempt.session is not None:
            return judgement(explaining.load_failed(raised, attempt.session.files, memory_mib=memory))
        case SubmissionRaised() if attempt.session is not None:
            return judgement(explaining.raised(raised.function, raised.fault, attempt.session.files))
        case NotRecorded():
            params: dict[str, JsonValue] = {"recorded": raised.recorded, "here": raised.here}
            return judgement(CheckFailed("grader.not_recorded", params, verdict=Verdict.SKIPPED))
        case NotHandedOut():
            attempt.withheld[item.stash[CHECK_KEY].id] = str(raised)
            return _suite_fault(raised)
        case _:
            return _suite_fault(raised)


def _withheld(item: pytest.Item) -> dict[str, Any] | None:
    """While answers are recorded, the judgement on a check that passed but cannot be handed out."""
    answers = item.config.stash[ANSWERS_KEY]
    try:
        if isinstance(answers, Recording):
            answers.keep_check()
    except NotHandedOut as exc:
        return _decide(item, exc)
    return None


def _suite_fault(raised: BaseException) -> dict[str, Any]:
    """A fault of the suite (the course's) or of the engine (the system's): not graded."""
    blame = Blame.SYSTEM if isinstance(raised, GraderError) else Blame.COURSE
    failure = CheckFailed(
        "grader.internal",
        {"reason": f"{type(raised).__name__}: {raised}"[:500]},
        verdict=Verdict.INTERNAL_ERROR,
    )
    return {**judgement(failure), "blame": blame.value}


@pytest.fixture
def submission(request: pytest.FixtureRequest) -> Submission:
    """The submission under test."""
    attempt, session = _attempt(request.config), _session(request)
    reference = Course(attempt.assignment, attempt.assignment.entry, request.config.stash[ANSWERS_KEY])
    return Submission(
        session, attempt.assignment, reference, source=_source(session), notes=request.node.stash[NOTES_KEY]
    )


@pytest.fixture
def reference(request: pytest.FixtureRequest) -> Course:
    """The reference solution."""
    assignment = _attempt(request.config).assignment
    return Course(assignment, assignment.entry, request.config.stash[ANSWERS_KEY])


@pytest.fixture
def baseline(request: pytest.FixtureRequest) -> Course:
    """The slow but right programs that speedups are measured against."""
    return Course(_attempt(request.config).assignment, "baseline.py", request.config.stash[ANSWERS_KEY])


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> Draw:
    """Draws fresh inputs, reproducible from the attempt's seed."""
    return Draw(_attempt(request.config).seed, request.node.stash[CHECK_KEY].id)


def _attempt(config: pytest.Config) -> Attempt:
    return config.stash[ATTEMPT_KEY]


def _session(request: pytest.FixtureRequest) -> Session:
    session = _attempt(request.config).session
    if session is None:
        raise pytest.UsageError("a rubric suite runs in the grader's examiner only")
    return session


_SOURCES: dict[int, tuple[Session, Source]] = {}


def _source(session: Session) -> Source:
    """The parsed source of a session's files, kept for the length of one attempt."""
    known = _SOURCES.get(id(session))
    if known is None or known[0] is not session:
        _SOURCES.clear()
        known = _SOURCES[id(session)] = (session, Source(session.files))
    return known[1]
