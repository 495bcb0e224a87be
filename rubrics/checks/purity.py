"""Purity: nothing happens besides returning, and the program is the same in every world.

The verdict comes from runs: what the candidate observed around each call (output, files, changed state), and
the program traced in two fresh processes whose clock, environment, hidden generators and history differ. The
source only says which line, and which kind of impurity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.domain.results import Evidence, EvidenceKind
from grader.engine.session import EagerCall, Seen, SubmissionRaised, TracedCall
from rubrics.comparing import Result, Tolerance, difference
from rubrics.drawing import Case
from rubrics.failures import CheckFailed
from rubrics.source import CLOCKS, FILE_FUNCTIONS, HIDDEN_GENERATORS
from rubrics.subject import Subject

PERTURBED = 1
"""The world that a submission is run in for comparison."""

_SAME = Tolerance(atol=1e-6, rtol=1e-5)
_HIDDEN_STATE = ("random state", "numpy.random state")


def is_pure(subject: Subject, cases: Sequence[Case]) -> None:
    """Neither a plain call nor a trace does anything besides returning, and both worlds agree."""
    for case in cases:
        here = _call(subject, case, world=0)
        for seen in subject.session.observed(subject.name):
            _raise_first(subject, seen)
        if isinstance(here, TracedCall):
            _no_callbacks(subject, here)
        _agrees_with_other_world(subject, case, here)


def _call(subject: Subject, case: Case, *, world: int) -> TracedCall | EagerCall:
    """A plain call, twice; where JAX arrays raise, the observations up to there still count."""
    inputs = subject.inputs(case)
    session = subject.session
    try:
        return session.direct(subject.name, inputs, world=world, twice=True, program=False)
    except SubmissionRaised as staged:
        try:
            return session.eager(subject.name, inputs, world=world)
        except SubmissionRaised as exc:
            for seen in session.observed(subject.name):
                _raise_first(subject, seen)
            raise subject.raised(exc) from staged


def _agrees_with_other_world(subject: Subject, case: Case, here: TracedCall | EagerCall) -> None:
    there = _call(subject, case, world=PERTURBED)
    for seen in subject.session.observed(subject.name):
        _raise_first(subject, seen)
    if isinstance(here, TracedCall) and isinstance(there, TracedCall):
        same_text = here.fingerprint == there.fingerprint
        if same_text and here.fingerprint in (here.fingerprint_again, there.fingerprint_again):
            return
        results = [
            _values(subject, case, world=0),
            _values(subject, case, world=0, turn=1),
            _values(subject, case, world=PERTURBED),
        ]
    elif isinstance(here, EagerCall) and isinstance(there, EagerCall):
        again = subject.session.eager(subject.name, subject.inputs(case), turn=1)
        results = [Result(structure=call.structure, leaves=call.leaves) for call in (here, again, there)]
    else:
        raise _differs(subject)
    if any(difference(other, results[0], tolerance=_SAME) is not None for other in results[1:]):
        raise _differs(subject)


def _values(subject: Subject, case: Case, *, world: int, turn: int = 0) -> Result:
    call = subject.session.direct(subject.name, subject.inputs(case), world=world, turn=turn)
    return Result(structure=call.structure, leaves=subject.outputs(call, [()])[0])


def _differs(subject: Subject) -> CheckFailed:
    source, name = subject.source, subject.name
    for code, names in (
        ("purity.hidden_randomness", HIDDEN_GENERATORS),
        ("purity.reads_clock", CLOCKS),
    ):
        spot = source.calls(name, *names)
        if spot is not None:
            return subject.failed(code, {}, spot=spot)
    return subject.failed("purity.differs_between_runs", {}, spot=source.definition(name))


def _no_callbacks(subject: Subject, call: TracedCall) -> None:
    if call.callbacks:
        spot = subject.source.calls(
            subject.name, "jax.debug.", "jax.pure_callback", "jax.experimental.io_callback"
        )
        raise subject.failed("purity.callback", {"call": call.callbacks[0]}, spot=spot)


def _raise_first(subject: Subject, seen: Seen) -> None:
    for failure in _findings(subject, seen):
        raise failure


def _findings(subject: Subject, seen: Seen) -> Iterator[CheckFailed]:
    source, name = subject.source, subject.name
    if seen.output_bytes:
        evidence = Evidence(
            kind=EvidenceKind.OUTPUT,
            data={"stream": "output", "text": seen.output[:2000], "bytes": seen.output_bytes},
        )
        params = {"output": seen.output[:80]}
        yield subject.failed("purity.prints", params, spot=source.prints(name), evidence=(evidence,))
    for event, *details in seen.events:
        spot = source.calls(name, *FILE_FUNCTIONS, "os.", "pathlib.", "shutil.", "subprocess.", "socket.")
        yield subject.failed("purity.touches_files", {"path": details[0] if details else event}, spot=spot)
    yield from _changed_state(subject, seen)
    yield from _changed_process(subject, seen)


def _changed_state(subject: Subject, seen: Seen) -> Iterator[CheckFailed]:
    for path, before, after in seen.state:
        spot = subject.source.writes(subject.name, path)
        data = {"name": path, "before": before[:100], "after": after[:100]}
        evidence = (Evidence(kind=EvidenceKind.STATE, data=data),)
        if "leaked tracer" in after:
            yield subject.failed("purity.leaks_tracer", {"name": path}, spot=spot, evidence=evidence)
        elif before.startswith("generator") or after.startswith("generator"):
            spot = subject.source.calls(subject.name, *HIDDEN_GENERATORS) or spot
            yield subject.failed("purity.hidden_randomness", {"call": path}, spot=spot, evidence=evidence)
        elif path.replace("_", "").isalnum():
            yield subject.failed("purity.changes_global", {"name": path}, spot=spot, evidence=evidence)
        else:
            yield subject.failed("purity.changes_state", {"what": f"`{path}`"}, spot=spot, evidence=evidence)


def _changed_process(subject: Subject, seen: Seen) -> Iterator[CheckFailed]:
    for what, *_ in seen.process:
        evidence = (Evidence(kind=EvidenceKind.STATE, data={"name": what}),)
        if what in _HIDDEN_STATE:
            spot = subject.source.calls(subject.name, *HIDDEN_GENERATORS)
            yield subject.failed("purity.hidden_randomness", {}, spot=spot, evidence=evidence)
        elif what.startswith("jax.config."):
            spot = subject.source.calls(subject.name, "jax.config.", "jax.")
            setting = what.removeprefix("jax.config.")
            yield subject.failed("purity.changes_config", {"setting": setting}, spot=spot, evidence=evidence)
        else:
            spot = subject.source.calls(subject.name, "os.", "numpy.set", "sys.", "gc.", "warnings.")
            yield subject.failed("purity.changes_environment", {"what": what}, spot=spot, evidence=evidence)
