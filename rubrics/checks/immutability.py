"""Immutability: the arguments are, after a plain call, what they were before it."""

from __future__ import annotations

from collections.abc import Sequence

from grader.engine.session import InputsAfter, SubmissionRaised
from rubrics.drawing import Case
from rubrics.subject import Subject


def leaves_inputs_unchanged(subject: Subject, cases: Sequence[Case]) -> None:
    """Bytes, buffers and containers of all arguments are untouched; results share no memory with them."""
    for case in cases:
        try:
            call = subject.plain(case, program=False)
        except SubmissionRaised as exc:
            raise subject.raised(exc) from exc
        if call.inputs is not None:
            _untouched(subject, case, call.inputs)
        aliases = getattr(call, "aliases", ())
        if aliases:
            argument = subject.argument_names(case)[aliases[0]]
            raise subject.failed(
                "immutability.result_aliases_input",
                {"argument": argument},
                spot=subject.source.returns(subject.name),
            )


def _untouched(subject: Subject, case: Case, after: InputsAfter) -> None:
    names = subject.argument_names(case)
    for index in after.changed:
        argument = names[index] if index < len(names) else ""
        spot = subject.source.mutates_argument(subject.name)
        raise subject.failed("immutability.input_changed", {"argument": argument}, spot=spot)
    for index in after.deleted:
        argument = names[index] if index < len(names) else ""
        spot = subject.source.mutates_argument(subject.name) or subject.source.calls(subject.name, "jax.jit")
        raise subject.failed("immutability.input_deleted", {"argument": argument}, spot=spot)
    before = subject.inputs(case)
    if after.structure != before.structure or after.order != tuple(range(len(before.leaves))):
        spot = subject.source.mutates_argument(subject.name)
        raise subject.failed("immutability.container_changed", {}, spot=spot)
