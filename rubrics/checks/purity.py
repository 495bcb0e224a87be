"""Purity: nothing happens besides returning, and the program is the same in every world.

The verdict comes from runs: what the candidate observed around each call (output, files, changed state), and
the program traced in two fresh processes whose clock, environment, hidden generators and history differ. The
source only says which line, and which kind of impurity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.domain.results import Evidence, EvidenceKind
from grader.engine.candidate.outside import Read
from grader.engine.session import EagerCall, Seen, SubmissionRaised, TracedCall
from rubrics import explaining
from rubrics.comparing import Result, Tolerance, difference
from rubrics.drawing import Case
from rubrics.failures import CheckFailed
from rubrics.known_errors import code_of
from rubrics.source import (
    CALLBACKS,
    CLOCKS,
    ENVIRONMENT,
    FILE_FUNCTIONS,
    HIDDEN_GENERATORS,
    NUMPY_SETTERS,
    WHEREABOUTS,
    Spot,
)
from rubrics.subject import PERTURBED, SLOW, Subject

_SAME = Tolerance(atol=1e-6, rtol=1e-5)
_HIDDEN_STATE = ("random state", "numpy.random state")

_Outcome = TracedCall | EagerCall | SubmissionRaised


def is_pure(subject: Subject, cases: Sequence[Case]) -> None:
    """Calls do nothing besides returning, and agree whatever was called before, here and in another world.

    A function that raises is judged by what it did until then: that it raises is for other checks to say.
    """
    _quiet_import(subject)
    cases = cases if len(cases) > 1 else [*cases, cases[0].again()]
    here = [_call(subject, case, world=0) for case in cases]
    before = len(subject.session.observed(subject.name))
    _nothing_happened(subject, subject.session.observed(subject.name), settled=False)
    again = [_call(subject, case, world=0, turn=1) for case in cases[:-1]]
    _nothing_happened(subject, subject.session.observed(subject.name)[before:], settled=True)
    there = [_call(subject, case, world=PERTURBED) for case in reversed(cases)][::-1]
    telling = subject.source.telltale(subject.name) is not None
    slow = [_call(subject, cases[0], world=SLOW)] if telling else []
    _nothing_happened(subject, subject.session.observed(subject.name), settled=False)
    for position, case in enumerate(cases):
        outcomes = [here[position], there[position], *again[position : position + 1], *slow[position:][:1]]
        _no_callbacks(subject, outcomes)
        _agree(subject, case, outcomes)
    spot = subject.source.reads_changeable_global(subject.name)
    if spot is not None:
        raise subject.failed("purity.reads_global", {}, spot=spot)


def _quiet_import(subject: Subject) -> None:
    """Loading may print and compute, but not change settings that hold for everybody."""
    for what, *_ in subject.session.loaded().seen.process:
        if what.startswith("jax.config."):
            spot = subject.source.anywhere("jax.config.", "jax.enable_x64")
            setting = what.removeprefix("jax.config.")
            raise subject.failed("purity.changes_config", {"setting": setting}, spot=spot)


def _call(subject: Subject, case: Case, *, world: int, turn: int = 0) -> _Outcome:
    """A plain call: staged, or really run where that cannot be, or the exception it raised."""
    inputs, session = subject.inputs(case), subject.session
    # Asked again later, code that looks at the clock may have settled: its programs are taken at once.
    program = subject.source.telltale(subject.name) is not None
    try:
        return session.direct(subject.name, inputs, world=world, program=program, fingerprint=True, turn=turn)
    except SubmissionRaised as staged:
        try:
            if not (explaining.leaked(staged.fault) or code_of(staged.fault) == "jit.callback"):
                return session.eager(subject.name, inputs, world=world, turn=turn)
        except SubmissionRaised as exc:
            staged = exc
        return _accepted(subject, staged)


def _accepted(subject: Subject, exc: SubmissionRaised) -> SubmissionRaised:
    """The exception, unless it says by itself that there is nothing to judge, or that state was kept."""
    if explaining.leaked(exc.fault):
        _leaves_no_tracer(subject)
        failure = subject.raised(exc)
        spot = None if failure.spot is None else subject.source.remembering(failure.spot)
        raise subject.failed("purity.leaks_tracer", {}, spot=spot, evidence=failure.evidence) from exc
    if code_of(exc.fault) == "jit.callback":
        raise _calls_back(subject) from exc
    if code_of(exc.fault).startswith("submission."):
        raise subject.raised(exc) from exc
    return exc


def _leaves_no_tracer(subject: Subject) -> None:
    """Fails where a call so far was seen to keep a tracer: that line is at fault, not its maker's."""
    for seen in subject.session.observed(subject.name):
        for failure in _changed_state(subject, seen, settled=False):
            if failure.feedback.code == "purity.leaks_tracer":
                raise failure


def _agree(subject: Subject, case: Case, outcomes: Sequence[_Outcome]) -> None:
    """Equal program texts are enough; where they differ (the order of a set, say), values decide."""
    texts = {outcome.fingerprint for outcome in outcomes if isinstance(outcome, TracedCall)}
    if all(isinstance(outcome, TracedCall) for outcome in outcomes):
        if len(texts) > 1:
            programs = [
                outcome for outcome in outcomes if isinstance(outcome, TracedCall) and outcome.program
            ]
            _values_agree(subject, [_result(subject, outcome) for outcome in programs])
            _values_agree(subject, [_values(subject, case, 0), _values(subject, case, PERTURBED)])
            _values_agree(subject, [_values(subject, case, 0), _values(subject, case, 0, turn=2)])
        return
    runs = [outcome for outcome in outcomes if isinstance(outcome, EagerCall)]
    raised = {outcome.fault.type for outcome in outcomes if isinstance(outcome, SubmissionRaised)}
    if texts or len(raised) > 1 or (raised and runs):
        raise _differs(subject)
    _values_agree(subject, [Result(structure=run.structure, leaves=run.leaves) for run in runs])


def _values_agree(subject: Subject, results: Sequence[Result]) -> None:
    if any(difference(other, results[0], tolerance=_SAME) is not None for other in results[1:]):
        raise _differs(subject)


def _values(subject: Subject, case: Case, world: int, turn: int = 0) -> Result:
    return _result(
        subject, subject.session.direct(subject.name, subject.inputs(case), world=world, turn=turn)
    )


def _result(subject: Subject, call: TracedCall) -> Result:
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
    spot = source.calls(name, *WHEREABOUTS) or source.definition(name)
    return subject.failed("purity.differs_between_runs", {}, spot=spot)


def _no_callbacks(subject: Subject, outcomes: Sequence[_Outcome]) -> None:
    for outcome in outcomes:
        if isinstance(outcome, TracedCall) and outcome.callbacks:
            raise _calls_back(subject, outcome.callbacks[0])


def _calls_back(subject: Subject, call: str | None = None) -> CheckFailed:
    """A program with a callback cannot be exported; which one it is then, only the source tells."""
    spot = subject.source.calls(subject.name, *CALLBACKS)
    return subject.failed("purity.callback", {} if call is None else {"call": call}, spot=spot)


def _nothing_happened(subject: Subject, observed: Sequence[Seen], *, settled: bool) -> None:
    for seen in observed:
        for failure in _findings(subject, seen, settled=settled):
            raise failure


def _findings(subject: Subject, seen: Seen, *, settled: bool) -> Iterator[CheckFailed]:
    source, name = subject.source, subject.name
    if seen.output_bytes:
        evidence = Evidence(
            kind=EvidenceKind.OUTPUT,
            data={"stream": "output", "text": seen.output[:2000], "bytes": seen.output_bytes},
        )
        params = {"output": seen.output[:80]}
        yield subject.failed("purity.prints", params, spot=source.prints(name), evidence=(evidence,))
    for event, *details in seen.events:
        yield _reached_outside(subject, event, *details)
    yield from _changed_state(subject, seen, settled=settled)
    yield from _changed_process(subject, seen)


def _reached_outside(subject: Subject, event: str, *details: str) -> CheckFailed:
    """The failure of code that read or touched what no argument gives it."""
    source, name = subject.source, subject.name
    if event == Read.ENVIRONMENT:
        spot = source.calls(name, *ENVIRONMENT) or source.uses(name, "os.environ")
        return subject.failed("purity.reads_environment", {"name": details[0]}, spot=spot)
    if event == Read.CLOCK:
        return subject.failed("purity.reads_clock", {"call": details[0]}, spot=source.calls(name, *CLOCKS))
    spot = source.calls(name, *FILE_FUNCTIONS, "os.", "pathlib.", "shutil.", "subprocess.", "socket.")
    spot = spot or source.uses(name, "os.environ")
    return subject.failed("purity.touches_files", {"path": details[0] if details else event}, spot=spot)


def _changed_state(subject: Subject, seen: Seen, *, settled: bool) -> Iterator[CheckFailed]:
    kept: list[str] = []
    for path, before, after in seen.state:
        remembered = _is_memo(path, before, after, kept) or (
            not before and subject.source.is_cached_property(path.rpartition(".")[2])
        )
        if "leaked tracer" not in after and not settled and remembered:
            kept.append(path)
            continue
        spot = _spot_of_state(subject, path)
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


def _spot_of_state(subject: Subject, path: str) -> Spot | None:
    source, name = subject.source, subject.name
    if "(defaults)" in path:
        return source.mutates_argument(name) or source.definition(name)
    return source.writes(name, path) or source.mentions(name, path)


def _is_memo(path: str, before: str, after: str, kept: Sequence[str]) -> bool:
    """Whether a change is of the kind that a cache makes at its first use: an entry more, nothing replaced.

    What hangs on a path that was `kept` so before comes with it.

    A cache is impure only if it can change a result: then histories or worlds disagree, or it keeps a tracer,
    or it changes at later calls too. Each of these is looked for.
    """
    if "(cache)[" in path:
        return True
    grown = _DICT.fullmatch(before), _DICT.fullmatch(after)
    if grown[0] is not None and grown[1] is not None:
        return grown[0]["at"] == grown[1]["at"] and int(grown[0]["size"]) < int(grown[1]["size"])
    if after == "" and kept:
        return True  # what it led to is now first reached along another path
    lazy_attribute = path.rpartition("]")[2].count(".") == 1 and after.startswith(_LAZY)
    new_entry = before == "" and (path.endswith("]") or path.startswith(tuple(kept)) or lazy_attribute)
    first_value = before == "NoneType None" and after.startswith(_LAZY)
    return new_entry or first_value


_DICT = re.compile(r"dict of (?P<size>\d+) at (?P<at>\d+)")
_LAZY = ("ndarray ", "ArrayImpl at", "PjitFunction at", "function at", "dict of")
"""What a variable that was None may hold after its first use."""


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
            spot = subject.source.calls(subject.name, "os.", *NUMPY_SETTERS, "sys.", "gc.", "warnings.")
            yield subject.failed("purity.changes_environment", {"what": what}, spot=spot, evidence=evidence)
