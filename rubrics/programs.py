"""A function's program beside the function: the inputs it takes, and its outputs as what is returned."""

from __future__ import annotations

from collections.abc import Sequence

from grader.domain.verdicts import Verdict
from grader.engine.bench.answers import Aval
from grader.engine.protocol import Leaf, LeafKind
from grader.engine.session import CallInputs, SubmissionEnded, TracedCall
from rubrics.comparing import canonical
from rubrics.failures import SuiteMisused


def exported(call: TracedCall) -> bytes:
    """The program of a call that was asked for with one."""
    if call.program is None:
        raise SuiteMisused("the call was asked for without its program")
    return call.program


def program_inputs(inputs: CallInputs) -> tuple[Leaf, ...]:
    """Flat inputs as a program takes them: Python scalars as 0-d arrays of JAX's own 32-bit types."""
    return tuple(_scalar_array(leaf) if leaf.kind is LeafKind.SCALAR else leaf for leaf in inputs.leaves)


def widened(leaf: Leaf, taken: Aval) -> Leaf:
    """An input as a program takes it that was made where types are wider."""
    if leaf.array is None or leaf.impl_is_key or leaf.dtype == taken.dtype:
        return leaf
    return Leaf.of(leaf.array.astype(taken.dtype), kind=leaf.kind)


def _scalar_array(leaf: Leaf) -> Leaf:
    if leaf.array is None:
        raise SuiteMisused("a scalar argument has no value")
    return Leaf.of(leaf.array.astype(canonical(leaf.dtype)), kind=LeafKind.JAX)


def as_described(function: str, outputs: Sequence[Leaf], described: Sequence[Leaf]) -> tuple[Leaf, ...]:
    """The bench's outputs as what `function` returned: keys, NumPy arrays, Python numbers.

    SubmissionEnded if they are not what the candidate said that its program gives: it is no honest one.
    """
    if len(outputs) != len(described) or not all(map(_fits, outputs, described)):
        raise SubmissionEnded(function, Verdict.CRASHED)
    return tuple(map(_as_described, outputs, described))


def _fits(output: Leaf, described: Leaf) -> bool:
    sizes = zip(output.shape, described.shape, strict=False)
    # A size that was not known when the program was made is told as 0.
    alike = len(output.shape) == len(described.shape) and all(told in (size, 0) for size, told in sizes)
    return alike and (output.dtype == described.dtype or not described.impl_is_key)


def _as_described(output: Leaf, described: Leaf) -> Leaf:
    if output.array is None:
        return output
    if described.impl_is_key:
        return Leaf.of(output.array, kind=LeafKind.KEY, impl=described.impl)
    if described.impl == "numpy":
        return Leaf.of(output.array.astype(described.dtype), kind=LeafKind.NUMPY)
    return Leaf.of(output.array, kind=LeafKind.SCALAR) if described.impl == "scalar" else output
