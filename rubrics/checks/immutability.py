"""Immutability: the arguments are, after a plain call, what they were before it."""

from __future__ import annotations

from collections.abc import Sequence

from grader.engine.session import EagerCall, InputsAfter, SubmissionRaised, TracedCall
from rubrics.drawing import Case
from rubrics.failures import CheckFailed
from rubrics.known_errors import code_of
from rubrics.source import Spot
from rubrics.subject import PLAIN, Subject

_OWN_ERRORS = ("immutability.", "submission.")
"""Codes of exceptions that belong here. Any other one is the business of the checks on values and tracing."""


def leaves_inputs_unchanged(subject: Subject, cases: Sequence[Case]) -> None:
    """Bytes, buffers and containers of all arguments are untouched; results share nothing with them."""
    for case in cases:
        try:
            _judge(subject, case, subject.plain(case, program=False))
        except SubmissionRaised as exc:
            if code_of(exc.fault).startswith(_OWN_ERRORS):
                raise subject.raised(exc) from exc


def _judge(subject: Subject, case: Case, call: TracedCall | EagerCall) -> None:
    if call.inputs is not None:
        _untouched(subject, case, call.inputs)
    telling = subject.source.telltale(subject.name) is not None
    if isinstance(call, TracedCall) and (call.donates or telling or (call.hands_back and case.as_numpy)):
        # Staging runs nothing: only a call that is really run gives buffers away, shares memory, or shows
        # what code does that can tell the two apart.
        really = subject.session.eager(subject.name, subject.inputs(case), world=PLAIN)
        _untouched(subject, case, really.inputs)


def _untouched(subject: Subject, case: Case, after: InputsAfter) -> None:
    source, name = subject.source, subject.name
    names = subject.argument_names(case)
    for index in after.changed:
        spot = source.mutates_argument(name, _root(names[index])) or source.mutates_argument(name)
        raise subject.failed("immutability.input_changed", {"argument": names[index]}, spot=spot)
    for index in after.deleted:
        spot = (
            source.jit_option(name, "donate_arg")
            or source.calls(name, "jax.jit")
            or source.mutates_argument(name)
        )
        raise subject.failed("immutability.input_deleted", {"argument": names[index]}, spot=spot)
    before = subject.inputs(case)
    if after.structure != before.structure or after.order != tuple(range(len(before.leaves))):
        spot = source.mutates_argument(name)
        raise subject.failed("immutability.container_changed", {}, spot=spot)
    if after.kept:
        raise _shared(subject, "a list or dict of its arguments", source.returns(name))
    for index in after.aliases:
        spot = source.returns_argument(name, _root(names[index])) or source.returns(name)
        raise _shared(subject, f"its argument {names[index]}", spot)


def _shared(subject: Subject, other: str, spot: Spot | None) -> CheckFailed:
    return subject.failed("immutability.result_aliases_input", {"other": other}, spot=spot)


def _root(path: str) -> str:
    return path.split("[", maxsplit=1)[0].split(".", maxsplit=1)[0]
