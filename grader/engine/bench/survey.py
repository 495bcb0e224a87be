"""One walk over a program's module: what it is made of, how often it runs, what it would cost to interpret.

Nothing is executed here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from jaxlib.mlir import ir

from grader.engine.bench.loops import trip_count
from grader.engine.bench.native import NativeCall
from grader.engine.bench.operations import (
    AnyValue,
    callee_of,
    children_of,
    constant_int,
    defining,
    element_of,
    is_integer,
    size_of,
)
from grader.engine.bench.prices import price
from grader.engine.bench.tensors import dtype_of

PARITY = 466688986
"""0x1BD11BDA, the constant every Threefry key schedule contains."""

SIZE_CHECK = "shape_assertion"
"""The custom call by which a program with symbolic sizes checks them; gone before anything is compiled."""

_NARROW_FLOATS = frozenset({"bf16", "f16", "f8E4M3FN", "f8E5M2"})
_TRAPS = frozenset({None, 0, -1})
"""Integer divisors that may raise a signal: unknown ones, zero, and minus one of the smallest number."""

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
    misfits: set[str] = field(default_factory=set)
    """Targets that are called with sizes for which they were not made."""
    side_effects: bool = False
    dynamic: bool = False
    """Some result has a size unknown before the call."""
    largest_elements: int = 0
    constant_bytes: int = 0
    functions: dict[str, FunctionSurvey] = field(default_factory=dict)
    divides: bool = False
    """It divides integers by other than a plain constant, so that the processor may raise a signal."""
    risks: set[str] = field(default_factory=set)
    """Operations that the interpreter does inexactly, or that may end the process."""
    incomplete: bool = False
    """A function without a body or inside something else, a call of one that is missing, or recursion."""


def survey(module: ir.Module) -> Survey:
    """Walk every operation of `module` once."""
    result = Survey()
    for operation in module.body.operations:
        _Walker(result).top(operation.operation)
    nested = result.histogram["func.func"] > len(result.functions) or result.histogram["builtin.module"] > 0
    result.incomplete = result.incomplete or nested or runs(result) is None
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
            count[callee] = _plus(count[callee], product((count[name], times)))
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
        for result in operation.results:
            self._note(result)
        special = getattr(self, "_" + name.replace(".", "_"), None)
        if special is not None:
            special(operation)
        callee = callee_of(operation)
        if callee is not None:
            self._function.calls.append((callee, times))
        self._charge(operation, times)
        if name == "stablehlo.while":
            trips = trip_count(operation)
            self._function.loops.append((trips, times))
            times = product((times, trips))
        for child in children_of(operation):
            self._visit(child, times)

    def _note(self, result: AnyValue) -> None:
        self._found.elements.add(element_of(result))
        size = size_of(result)
        self._found.dynamic |= size is None
        self._found.largest_elements = max(self._found.largest_elements, size or 0)

    def _charge(self, operation: ir.Operation, times: int | None) -> None:
        parent = operation.parent
        if parent is None or (parent.name not in _CONTROL and parent.name != "func.func"):
            return  # the operation around it pays for its region
        if self._function.cost is None or times is None:
            self._function.cost = None
        else:
            self._function.cost += times * price(operation)

    def _stablehlo_constant(self, operation: ir.Operation) -> None:
        self._found.constant_bytes += _constant_bytes(operation)
        if constant_int(operation.results[0]) == PARITY:
            self._function.is_kernel = True

    def _stablehlo_custom_call(self, operation: ir.Operation) -> None:
        attributes, call = operation.attributes, NativeCall.read(operation)
        self._found.custom_calls.add(call.target)
        if not call.fits:
            self._found.misfits.add(call.target)
        if "has_side_effect" in attributes and call.target != SIZE_CHECK:
            self._found.side_effects |= ir.BoolAttr(attributes["has_side_effect"]).value

    def _stablehlo_divide(self, operation: ir.Operation) -> None:
        if is_integer(operation.results[0]) and _divisor(operation.operands[1]) in _TRAPS:
            self._found.divides = True

    _stablehlo_remainder = _stablehlo_divide

    def _stablehlo_dot_general(self, operation: ir.Operation) -> None:
        if element_of(operation.results[0]) in _NARROW_FLOATS:
            self._found.risks.add("matrix product in low precision")
        if size_of(operation.results[0]) and not all(map(size_of, operation.operands)):
            self._found.risks.add("empty sums")

    def _stablehlo_convolution(self, operation: ir.Operation) -> None:
        """Those that the gradient of a filter needs have examples elsewhere: they would end the process."""
        before, _, after = str(operation.attributes["dimension_numbers"]).partition("->")
        if "<[b" not in before or not after.startswith("[b"):
            self._found.risks.add("convolution whose examples are not in front")


def _constant_bytes(constant: ir.Operation) -> int:
    """Bytes a constant takes in the program: one element if all are equal."""
    dtype, size = dtype_of(element_of(constant.results[0])), size_of(constant.results[0]) or 0
    width = 16 if dtype is None else dtype.itemsize
    if dtype is None or dtype.kind == "c":  # the binding cannot read these attributes
        return width * size
    value = constant.attributes["value"]
    splat = isinstance(value, ir.DenseElementsAttr) and value.is_splat
    return width * (1 if splat else size)


def _divisor(value: AnyValue) -> int | None:
    """The constant that every element of a divisor is, None if there is none."""
    broadcast = defining(value, "stablehlo.broadcast_in_dim")
    return constant_int(value if broadcast is None else broadcast.operands[0])
