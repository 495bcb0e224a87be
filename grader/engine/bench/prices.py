"""What one operation costs in the reference interpreter, in CPU seconds, from the sizes it works on.

Measured on jaxlib 0.10.2: about half a microsecond for each element made, and more where elements are visited
several times. Good to a factor of three, which is enough to choose between interpreting and compiling.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from jaxlib.mlir import ir

from grader.engine.bench.operations import AnyValue, size_of

_OVERHEAD_S = 2e-6
_ELEMENT_S = 0.5e-6


def price(operation: ir.Operation) -> float:
    """CPU seconds of one evaluation with its regions; the bodies of control flow pay for themselves."""
    elements = sum(map(_known_size, operation.results))
    return _OVERHEAD_S + _PRICES.get(operation.name, _elementwise)(operation, elements)


def _known_size(value: AnyValue) -> int:
    size = size_of(value)
    return 1 if size is None else size


def _elementwise(_operation: ir.Operation, elements: int) -> float:
    return _ELEMENT_S * elements


def _free(_operation: ir.Operation, _elements: int) -> float:
    return 0.0


def _dot(operation: ir.Operation, elements: int) -> float:
    left, right = map(_known_size, operation.operands)
    # Every element of the result sums over the contracted sizes, the root of what the operands share.
    return 0.7e-6 * elements * math.sqrt(max(1.0, left * right / max(1, elements)))


def _convolution(operation: ir.Operation, elements: int) -> float:
    return 0.7e-6 * elements * _known_size(operation.operands[1])


def _reduce(operation: ir.Operation, _elements: int) -> float:
    return 1.4e-6 * sum(map(_known_size, operation.operands))


def _window(operation: ir.Operation, elements: int) -> float:
    return 1.5e-6 * elements * _window_size(operation)


def _select_and_scatter(operation: ir.Operation, _elements: int) -> float:
    return 3e-6 * _known_size(operation.operands[1]) * _window_size(operation)


def _window_size(operation: ir.Operation) -> int:
    name = "window_dimensions"
    return math.prod(ir.DenseI64ArrayAttr(operation.attributes[name])) if name in operation.attributes else 1


def _sort(_operation: ir.Operation, elements: int) -> float:
    return 5e-6 * elements * math.log2(elements + 2)


def _gather(_operation: ir.Operation, elements: int) -> float:
    return 4e-6 * elements


def _scatter(operation: ir.Operation, elements: int) -> float:
    # The operand is copied first, see `scatters`.
    return (0.2e-6 + _ELEMENT_S) * elements + 6e-6 * _known_size(operation.operands[-1])


_PRICES: Mapping[str, Callable[[ir.Operation, int], float]] = {
    "func.call": _free,
    "stablehlo.case": _free,
    "stablehlo.composite": _free,
    "stablehlo.constant": _free,
    "stablehlo.convolution": _convolution,
    "stablehlo.dot_general": _dot,
    "stablehlo.gather": _gather,
    "stablehlo.if": _free,
    "stablehlo.reduce": _reduce,
    "stablehlo.reduce_window": _window,
    "stablehlo.scatter": _scatter,
    "stablehlo.select_and_scatter": _select_and_scatter,
    "stablehlo.sort": _sort,
    "stablehlo.while": _free,
}
