"""Where right gradients come from: the reference's own, finite differences, or PyTorch.

A `CourseFunction` is an oracle itself. The other two do not share JAX's rules of differentiation with the
submission, so they also tell whether the reference differentiates rightly. All of them judge the sum of all
floating-point results, as `jax.grad` needs one number.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import jax
import numpy as np
import numpy.typing as npt

from grader.engine import trees
from grader.engine.candidate import staging
from grader.engine.candidate.conditions import Condition, under
from grader.engine.candidate.transforms import total
from grader.engine.candidate.values import as_result_leaf, concrete
from grader.engine.protocol import DTYPES, Leaf, LeafKind
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.failures import SuiteMisused
from rubrics.reference import CourseFunction

Floats = npt.NDArray[np.float64]

MAX_ELEMENTS = 2_000
"""Elements of an argument that finite differences are taken for: each costs four calls of the reference."""
STEP = 1e-4
"""Of the differences, relative to an element's size: rounding in float64 is then about 1e-11."""
KINK = 1e-2
"""How far slopes to both sides may lie apart, relative to the slope, before a point is no smooth one."""


class GradientOracle(Protocol):
    """Knows the gradient of the sum of a function's results."""

    def gradient(self, case: Case, *, wrt: int) -> Result:
        """With respect to the argument at `wrt`, in that argument's structure and types."""


@dataclass(frozen=True, slots=True)
class FiniteDifferences:
    """Central differences of the reference in float64, extrapolated once. Points have to be smooth ones."""

    function: CourseFunction

    def gradient(self, case: Case, *, wrt: int) -> Result:
        """SuiteMisused for an argument that is too large, and at a kink."""
        wide = case.widened().inputs(self.function.static)
        call = staging.BoundCall(self.function.function, wide.structure, len(wide.leaves))
        with under((Condition.X64,)):
            values = [concrete(leaf) for leaf in wide.leaves]
            summed = jax.jit(lambda *leaves: total(call(*leaves)))

            def slopes(index: int) -> Floats:
                at = np.asarray(values[index], np.float64)

                def value(array: Floats) -> float:
                    return float(summed(*values[:index], array, *values[index + 1 :]))

                return _slopes(value, at)

            return _as_argument(self.function, case, wrt, slopes)


@dataclass(frozen=True, slots=True)
class TorchAutograd:
    """`torch.autograd` of a function of PyTorch tensors, which are float64 where the case has floats."""

    function: Callable[..., Any]

    def gradient(self, case: Case, *, wrt: int) -> Result:
        """SuiteMisused for a PRNG key, where the result does not depend on `wrt`, and without PyTorch."""
        inputs = case.widened().inputs(frozenset(case.kwargs))
        tensors = [_tensor(leaf) for leaf in inputs.leaves]
        wanted = [tensors[index] for index in _indices(inputs.structure, wrt)]
        for tensor in wanted:
            tensor.requires_grad_(True)  # noqa: FBT003 - PyTorch takes it by position
        places = _numbered(len(tensors))
        args, kwargs = trees.unpack(inputs.structure, places, lambda leaf: tensors[leaf.shape[0]])
        summed = sum(part.sum() for part in _floats(self.function(*args, **kwargs)))
        if not _torch().is_tensor(summed) or not summed.requires_grad:
            raise SuiteMisused("the result of the PyTorch function does not depend on the argument")
        found = _torch().autograd.grad(summed, wanted, allow_unused=True, materialize_grads=True)
        slopes = dict(zip(_indices(inputs.structure, wrt), found, strict=True))
        return _as_argument(None, case, wrt, lambda index: np.asarray(slopes[index].numpy(), np.float64))


def finite_differences(function: CourseFunction) -> FiniteDifferences:
    """The gradient by central differences of ``reference.f`` in float64."""
    return FiniteDifferences(function)


def torch(function: Callable[..., Any]) -> TorchAutograd:
    """The gradient by `torch.autograd` of a function of tensors. PyTorch is needed when it is asked for."""
    return TorchAutograd(function)


def _torch() -> Any:  # noqa: ANN401 - a module
    try:
        return importlib.import_module("torch")
    except ImportError as exc:
        raise SuiteMisused(
            "this suite compares with PyTorch, which is not installed here; pip install 'jax-grader[torch]'"
        ) from exc


def _tensor(leaf: Leaf) -> Any:  # noqa: ANN401 - as above
    if leaf.array is None or leaf.impl_is_key:
        raise SuiteMisused("PyTorch cannot take a PRNG key")
    return _torch().from_numpy(np.array(leaf.array))


def _floats(result: Any) -> Iterator[Any]:  # noqa: ANN401 - tensors in containers
    if _torch().is_tensor(result):
        if result.is_floating_point():
            yield result
    elif isinstance(result, Mapping):
        for part in result.values():
            yield from _floats(part)
    elif isinstance(result, list | tuple):
        for part in result:
            yield from _floats(part)


def _slopes(value: Callable[[Floats], float], at: Floats) -> Floats:
    if at.size > MAX_ELEMENTS:
        raise SuiteMisused(f"finite differences of {at.size} elements; draw at most {MAX_ELEMENTS}")
    middle = value(at)
    found = np.empty(at.shape)
    for index in np.ndindex(at.shape):
        found[index] = _slope(value, at, index, middle)
    return found


def _slope(value: Callable[[Floats], float], at: Floats, index: tuple[int, ...], middle: float) -> float:
    step = STEP * max(1.0, abs(float(at[index])))

    def moved(by: float) -> float:
        other = at.copy()
        other[index] += by
        return value(other)

    right, left = moved(step), moved(-step)
    wide, narrow = (right - left) / (2 * step), (moved(step / 2) - moved(-step / 2)) / step
    slope = (4 * narrow - wide) / 3
    bend = abs((right - middle) - (middle - left)) / step
    if not max(bend, abs(wide - narrow)) <= KINK * (1 + abs(slope)):
        raise SuiteMisused(
            f"the reference has a kink, a jump or a pole near {at[index]:.6g}, where finite differences say "
            "nothing; draw smooth points, as f32[8].between(0.5, 1)"
        )
    return slope


def _as_argument(
    function: CourseFunction | None, case: Case, wrt: int, slopes: Callable[[int], Floats]
) -> Result:
    """Slopes for each leaf, as a tree like the argument's and in its types."""
    inputs = case.inputs(frozenset() if function is None else function.static)
    node = inputs.structure["c"][0]["c"][wrt]

    def leaf(place: Leaf) -> Any:  # noqa: ANN401 - an array
        given = inputs.leaves[place.shape[0]]
        dtype = DTYPES[given.dtype] if given.kind is not LeafKind.SCALAR else np.dtype(np.float32)
        return slopes(place.shape[0]).astype(dtype)

    tree = trees.unpack(node, _numbered(len(inputs.leaves)), leaf)
    structure, leaves = trees.pack(tree, as_result_leaf)
    return Result(structure=structure, leaves=leaves)


def _indices(structure: trees.Node, wrt: int) -> list[int]:
    return sorted(trees.leaf_paths(structure["c"][0]["c"][wrt]))


def _numbered(count: int) -> tuple[Leaf, ...]:
    """Leaves that say which one they are."""
    return tuple(Leaf(kind=LeafKind.ABSTRACT, dtype="int32", shape=(index,)) for index in range(count))
