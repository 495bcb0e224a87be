"""One walk over a program's module: what it is made of, how often it runs, what it would cost to interpret.

Costs were measured on jaxlib 0.10.2's interpreter: about half a microsecond for each element an operation
makes, and more where elements are visited several times. Nothing is executed here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from jaxlib.mlir import ir

from grader.engine.bench.tensors import dtype_of

AnyValue = ir.Value[Any]

PARITY = 466688986
"""0x1BD11BDA, the constant every Threefry key schedule contains."""

SIZE_CHECK = "shape_assertion"
"""The custom call by which a program with symbolic sizes checks them; gone before anything is compiled."""

_INTEGERS = frozenset(f"{sign}{width}" for sign in ("i", "ui") for width in (8, 16, 32, 64))
_NARROW_FLOATS = frozenset({"bf16", "f16", "f8E4M3FN", "f8E5M2"})
_TRAPS = frozenset({None, 0, -1})
"""Integer divisors that may raise a signal: unknown ones, zero, and minus one of the smallest number."""

_OVERHEAD_S = 2e-6
_ELEMENT_S = 0.5e-6
_CONTROL = frozenset({"stablehlo.while", "stablehlo.case", "stablehlo.if"})
_UNCOUNTED = frozenset(
    {
        "builtin.module",
        "func.func",
        "func.return",
        "sdy.mesh",
        "sdy.sharding_constraint",
        "stablehlo.constant",
        "stablehlo.return",
    }
)


@dataclass(slots=True, kw_only=True)
class FunctionSurvey:
    """One function. Counts multiply the loops around; None where a trip count is unknown."""

    cost: float | None = 0.0
    calls: list[tuple[str, int | None]] = field(default_factory=list)
    loops: list[tuple[int | None, int | None]] = field(default_factory=list)
    """(trips, times the loop is entered per call of the function)."""
    is_kernel: bool = False
    """A Threefry kernel: it contains the parity constant."""


@dataclass(slots=True, kw_only=True)
class Survey:
    """A whole module, filled by `survey`."""

    ops: int = 0
    histogram: Counter[str] = field(default_factory=Counter)
    elements: set[str] = field(default_factory=set)
    """Names of the element types of all results, ``f32`` …; ``?`` for results that are not ranked tensors."""
    custom_calls: set[str] = field(default_factory=set)
    side_effects: bool = False
    dynamic: bool = False
    """Some result has a size unknown before the call."""
    largest_elements: int = 0
    constant_bytes: int = 0
    functions: dict[str, FunctionSurvey] = field(default_factory=dict)
    risks: set[str] = field(default_factory=set)
    """Operations that the interpreter does inexactly, or that may end the process for some inputs."""
    incomplete: bool = False
    """A function without a body, or a call of a function that is not there, or recursion."""


def survey(module: ir.Module) -> Survey:
    """Walk every operation of `module` once."""
    result = Survey()
    for operation in module.body.operations:
        _Walker(result).top(operation.operation)
    result.incomplete = result.incomplete or runs(result) is None
    return result


def runs(found: Survey) -> dict[str, int | None] | None:
    """How often each function runs per call of the program; None if calls are recursive.

    A value of None means that it depends on a loop whose length depends on values. Both branches of a
    conditional count.
    """
    order = callers_first(found.functions)
    if order is None:
        return None
    count: dict[str, int | None] = dict.fromkeys(found.functions, 0)
    count["main"] = 1
    for name in order:
        for callee, times in found.functions[name].calls:
            count[callee] = _plus(count[callee], _times(count[name], times))
    return count


def callers_first(functions: dict[str, FunctionSurvey]) -> list[str] | None:
    """Topological order by Kahn's rule; None if there is a cycle or an unknown callee."""
    waiting: Counter[str] = Counter(callee for one in functions.values() for callee, _ in one.calls)
    if not waiting.keys() <= functions.keys():
        return None
    ready = [name for name in functions if not waiting[name]]
    order: list[str] = []
    while ready:
        name = ready.pop()
        order.append(name)
        for callee, _ in functions[name].calls:
            waiting[callee] -= 1
            if not waiting[callee]:
                ready.append(callee)
    return order if len(order) == len(functions) else None


def interpreter_cost(found: Survey) -> float | None:
    """Estimated CPU seconds of one interpreted run; None if some loop's length is unknown."""
    total = 0.0
    for name, times in (runs(found) or {}).items():
        cost = found.functions[name].cost
        if times == 0:
            continue
        if cost is None or times is None:
            return None
        total += cost * times
    return total


def product(factors: Iterable[int | None]) -> int | None:
    """The product; zero if any factor is, else None if any is unknown."""
    known = 1
    unknown = False
    for factor in factors:
        unknown |= factor is None
        known *= 1 if factor is None else factor
    return None if unknown and known else known


def _times(left: int | None, right: int | None) -> int | None:
    return product((left, right))


def _plus(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


class _Walker:
    """Walks one top-level operation; `times` is the product of the trip counts around the current one."""

    def __init__(self, found: Survey) -> None:
        self._found = found
        self._function = FunctionSurvey()

    def top(self, operation: ir.Operation) -> None:
        if operation.name == "func.func":
            name = ir.StringAttr(operation.attributes["sym_name"]).value
            self._found.functions[name] = self._function
            self._found.incomplete |= not operation.regions[0].blocks
        self._visit(operation, 1)

    def _visit(self, operation: ir.Operation, times: int | None) -> None:
        name = operation.name
        self._found.histogram[name] += 1
        if name not in _UNCOUNTED:
            self._found.ops += 1
        elements = self._results(operation)
        special = getattr(self, "_" + name.replace(".", "_"), None)
        if special is not None:
            special(operation, times)
        self._charge(operation, elements, times)
        inner = times
        if name == "stablehlo.while":
            trips = trip_count(operation)
            self._function.loops.append((trips, times))
            inner = _times(times, trips)
        for child in _children(operation):
            self._visit(child, inner)

    def _results(self, operation: ir.Operation) -> int:
        """Note the results' types; the number of elements of all results together."""
        total = 0
        for result in operation.results:
            kind = result.type
            if not isinstance(kind, ir.RankedTensorType):
                self._found.elements.add("?")
                continue
            self._found.elements.add(str(kind.element_type))
            if not kind.has_static_shape:
                self._found.dynamic = True
                continue
            size = math.prod(kind.shape)
            total += size
            self._found.largest_elements = max(self._found.largest_elements, size)
        return total

    def _charge(self, operation: ir.Operation, elements: int, times: int | None) -> None:
        parent = operation.parent
        if parent is None or (parent.name not in _CONTROL and parent.name != "func.func"):
            return  # the operation around it pays for its region
        if times is None:
            self._function.cost = None
        if self._function.cost is None or times is None:
            return
        price = _PRICES.get(operation.name, _elementwise)
        self._function.cost += times * (_OVERHEAD_S + price(operation, elements))

    def _stablehlo_constant(self, operation: ir.Operation, _times: int | None) -> None:
        self._found.constant_bytes += _constant_bytes(operation)
        if constant_int(operation.results[0]) == PARITY:
            self._function.is_kernel = True

    def _stablehlo_custom_call(self, operation: ir.Operation, _times: int | None) -> None:
        attributes = operation.attributes
        target = ir.StringAttr(attributes["call_target_name"]).value
        self._found.custom_calls.add(target)
        if "has_side_effect" in attributes and target != SIZE_CHECK:
            self._found.side_effects |= ir.BoolAttr(attributes["has_side_effect"]).value

    def _stablehlo_divide(self, operation: ir.Operation, _times: int | None) -> None:
        if is_integer(operation.results[0]) and _constant_through_broadcast(operation.operands[1]) in _TRAPS:
            self._found.risks.add("integer division")

    _stablehlo_remainder = _stablehlo_divide

    def _stablehlo_dot_general(self, operation: ir.Operation, _times: int | None) -> None:
        if _element(operation.results[0]) in _NARROW_FLOATS:
            self._found.risks.add("matrix product in low precision")
        if _size(operation.results[0]) and not all(map(_size, operation.operands)):
            self._found.risks.add("empty sums")

    def _func_call(self, operation: ir.Operation, times: int | None) -> None:
        callee = ir.FlatSymbolRefAttr(operation.attributes["callee"]).value
        self._function.calls.append((callee, times))

    def _stablehlo_composite(self, operation: ir.Operation, times: int | None) -> None:
        callee = ir.FlatSymbolRefAttr(operation.attributes["decomposition"]).value
        self._function.calls.append((callee, times))


def _children(operation: ir.Operation) -> Iterator[ir.Operation]:
    for region in operation.regions:
        for block in region.blocks:
            for child in block.operations:
                yield child.operation


def _constant_bytes(constant: ir.Operation) -> int:
    """Bytes a constant takes in the program: one element if all are equal."""
    kind = constant.results[0].type
    dtype = dtype_of(str(kind.element_type))
    width = 16 if dtype is None else dtype.itemsize
    if dtype is None or dtype.kind == "c":  # the binding cannot read these attributes
        return width * _size(constant.results[0])
    value = constant.attributes["value"]
    splat = isinstance(value, ir.DenseElementsAttr) and value.is_splat
    return width * (1 if splat else _size(constant.results[0]))


def constant_int(value: AnyValue) -> int | None:
    """The integer of a scalar or single-valued integer constant, None if `value` is anything else."""
    owner = value.owner
    if not isinstance(owner, ir.Operation | ir.OpView) or owner.name != "stablehlo.constant":
        return None
    if not is_integer(value):
        return None
    attribute = owner.attributes["value"]
    if not isinstance(attribute, ir.DenseIntElementsAttr) or not len(attribute) or not attribute.is_splat:
        return None
    return int(attribute[0])


def _constant_through_broadcast(value: AnyValue) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Operation | ir.OpView) and owner.name == "stablehlo.broadcast_in_dim":
        return constant_int(owner.operands[0])
    return constant_int(value)


def _element(value: AnyValue) -> str:
    """The name of a value's element type."""
    kind = value.type
    return str(kind.element_type) if isinstance(kind, ir.RankedTensorType) else "?"


def is_integer(value: AnyValue) -> bool:
    """Whether a value holds integers of a width that NumPy knows."""
    return _element(value) in _INTEGERS


def trip_count(loop: ir.Operation) -> int | None:
    """Iterations of ``while i < n: ...; i += step`` with constant start, n and step; else None."""
    condition, body = (region.blocks[0] for region in loop.regions)
    test = _terminator(condition).operands[0].owner
    if not isinstance(test, ir.Operation | ir.OpView) or test.name != "stablehlo.compare":
        return None
    if "LT" not in str(test.attributes["comparison_direction"]):
        return None
    counter, bound = test.operands
    if not isinstance(counter, ir.BlockArgument) or counter.owner != condition:
        return None
    position = counter.arg_number
    start, stop = constant_int(loop.operands[position]), _invariant(bound, loop)
    step = _step(body, position)
    if start is None or stop is None or not step or step < 0:
        return None
    return max(0, -(-(stop - start) // step))


def _terminator(block: ir.Block) -> ir.OpView:
    return block.operations[len(block.operations) - 1]


def _invariant(bound: AnyValue, loop: ir.Operation) -> int | None:
    """The constant a loop compares with: written in place, or carried around unchanged."""
    if not isinstance(bound, ir.BlockArgument):
        return constant_int(bound)
    body = loop.regions[1].blocks[0]
    if bound.owner != loop.regions[0].blocks[0]:
        return None
    carried = _terminator(body).operands[bound.arg_number]
    if carried != body.arguments[bound.arg_number]:
        return None
    return constant_int(loop.operands[bound.arg_number])


def _step(body: ir.Block, position: int) -> int | None:
    update = _terminator(body).operands[position].owner
    if not isinstance(update, ir.Operation | ir.OpView) or update.name != "stablehlo.add":
        return None
    left, right = update.operands
    if left == body.arguments[position]:
        return constant_int(right)
    return constant_int(left) if right == body.arguments[position] else None


def _elementwise(_operation: ir.Operation, elements: int) -> float:
    return _ELEMENT_S * elements


def _free(_operation: ir.Operation, _elements: int) -> float:
    return 0.0


def _size(value: AnyValue) -> int:
    kind = value.type
    known = isinstance(kind, ir.RankedTensorType) and kind.has_static_shape
    return math.prod(kind.shape) if known else 1


def _dot(operation: ir.Operation, elements: int) -> float:
    left, right = operation.operands
    # Every element of the result sums over the contracted sizes, the root of what the operands share.
    contracted = math.sqrt(max(1.0, _size(left) * _size(right) / max(1, elements)))
    return 0.7e-6 * elements * contracted


def _convolution(operation: ir.Operation, elements: int) -> float:
    return 0.7e-6 * elements * _size(operation.operands[1])


def _reduce(operation: ir.Operation, _elements: int) -> float:
    return 1.4e-6 * sum(map(_size, operation.operands))


def _window(operation: ir.Operation, elements: int) -> float:
    return 1.5e-6 * elements * math.prod(ir.DenseI64ArrayAttr(operation.attributes["window_dimensions"]))


def _select_and_scatter(operation: ir.Operation, _elements: int) -> float:
    return 3e-6 * _size(operation.operands[0]) * 8


def _sort(_operation: ir.Operation, elements: int) -> float:
    return 5e-6 * elements * math.log2(elements + 2)


def _gather(_operation: ir.Operation, elements: int) -> float:
    return 4e-6 * elements


def _scatter(operation: ir.Operation, elements: int) -> float:
    return 0.2e-6 * elements + 6e-6 * _size(operation.operands[-1])


_PRICES: dict[str, Callable[[ir.Operation, int], float]] = {
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
