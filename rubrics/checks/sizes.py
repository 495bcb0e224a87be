"""One program for every size: traced with a symbol in its place, then run at the sizes of all cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from grader.domain.errors import ProgramFailed
from grader.domain.results import JsonValue
from grader.engine.bench.answers import Trouble
from grader.engine.session import SubmissionRaised, TracedCall, Tracing
from rubrics.checks.values import explained
from rubrics.comparing import Result, Tolerance, difference
from rubrics.drawing import Case
from rubrics.failures import CheckFailed, SuiteMisused
from rubrics.programs import exported, program_inputs
from rubrics.reference import CourseFunction
from rubrics.source import Spot
from rubrics.subject import Subject

_Entry = TypeVar("_Entry")


def has_symbolic_size(
    subject: Subject, reference: CourseFunction, cases: Sequence[Case], *, tolerance: Tolerance
) -> None:
    """Traced once, with symbols for the sizes in which the cases differ, the function is right for all.

    No loop of Python's can run over such a size, and no Python condition can ask for it.
    """
    subject.foresee(cases)
    general = _traced(subject, cases)
    for case in cases:
        leaves = program_inputs(subject.inputs(case))
        try:
            evaluation = subject.session.evaluate(subject.name, exported(general), [leaves])
        except ProgramFailed as exc:
            if exc.code != Trouble.SIZES:
                raise subject.gave_out(exc) from exc
            raise _fixed(subject, "it holds for one size only", spot=None) from exc
        expected = reference.result(case.inputs(subject.static))
        actual = Result(structure=general.structure, leaves=evaluation.outputs[0])
        found = difference(actual, expected, tolerance=tolerance)
        if found is not None:
            raise explained(subject, case, actual, found)


def _traced(subject: Subject, cases: Sequence[Case]) -> TracedCall:
    subject.traced(cases[0])  # so that only a size that is not known can be what fails
    sizes = symbols([[leaf.shape for leaf in subject.inputs(case).leaves] for case in cases])
    try:
        return subject.session.traced(subject.name, subject.inputs(cases[0]), how=Tracing(sizes=sizes))
    except SubmissionRaised as exc:
        failure = subject.raised(exc)
        text = str(failure.feedback.params.get("text", ""))
        raise _fixed(subject, text.partition(" This error arises")[0], spot=failure.spot) from exc


def _fixed(subject: Subject, text: str, *, spot: Spot | None) -> CheckFailed:
    where = spot or subject.source.loop(subject.name) or subject.source.returns(subject.name)
    params: dict[str, JsonValue] = {"text": text}
    return subject.failed("jit.fixed_size", params, spot=where)


def symbols(shapes: Sequence[Sequence[tuple[int, ...]]]) -> tuple[str | None, ...]:
    """For each leaf its shape with symbols for the sizes that differ between cases, None if none does.

    `shapes` holds the leaves' shapes case by case. Sizes that change alike share a symbol. SuiteMisused
    if the cases do not differ in sizes alone.

    >>> symbols([[(7, 3), (7,), ()], [(2, 3), (2,), ()]])
    ('a, 3', 'a', None)
    """
    names: dict[tuple[int, ...], str] = {}
    described: list[str | None] = []
    for leaf in _columns(shapes):
        axes = _columns(leaf)
        parts = [
            str(axis[0]) if len(set(axis)) == 1 else names.setdefault(axis, chr(ord("a") + len(names)))
            for axis in axes
        ]
        described.append(", ".join(parts) if any(len(set(axis)) > 1 for axis in axes) else None)
    if not names:
        raise SuiteMisused("program_has_symbolic_size needs cases of different sizes, as f32[7] and f32[2]")
    return tuple(described)


def _columns(rows: Sequence[Sequence[_Entry]]) -> list[tuple[_Entry, ...]]:
    if len({len(row) for row in rows}) != 1:
        raise SuiteMisused("the cases must differ in sizes alone, and take the same arguments")
    return list(zip(*rows, strict=True))
