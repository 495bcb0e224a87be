"""Integer division as XLA defines it, spelt out for an interpreter that hands it to the processor.

By zero, a quotient is all ones and a remainder the dividend; by minus one, a quotient is the negated
dividend, also of the smallest number. The processor raises a signal for both, which would end the process.
"""

from __future__ import annotations

from jaxlib.mlir import ir

from grader.engine.bench.building import constant, equals, select, unary
from grader.engine.bench.operations import AnyValue, children_of, functions_of, is_integer

DIVISIONS = frozenset({"stablehlo.divide", "stablehlo.remainder"})


def define_divisions(module: ir.Module) -> None:
    """Give every integer division of a module its defined result. A location must be set."""
    for function in functions_of(module).values():
        _define_inside(function)


def _define_inside(operation: ir.Operation) -> None:
    for child in children_of(operation):
        _define_inside(child)
        if child.name in DIVISIONS and is_integer(child.results[0]):
            _define(child)


def _define(division: ir.Operation) -> None:
    dividend, divisor = division.operands
    result, kind = division.results[0], division.results[0].type
    uses = [(use.owner, use.operand_number) for use in result.uses]
    with ir.InsertionPoint(division):
        one = constant(1, kind)
        traps = [(equals(divisor, 0), dividend if _is_remainder(division) else constant(-1, kind))]
        if "ui" not in str(kind):
            by_minus_one = constant(0, kind) if _is_remainder(division) else unary("negate", dividend)
            traps.append((equals(divisor, -1), by_minus_one))
        for is_trap, _ in traps:
            divisor = select(is_trap, one, divisor)
        division.operands[1] = divisor
    with ir.InsertionPoint.after(division):
        defined: AnyValue = result
        for is_trap, instead in traps:
            defined = select(is_trap, instead, defined)
    for owner, position in uses:
        owner.operation.operands[position] = defined


def _is_remainder(division: ir.Operation) -> bool:
    return division.name == "stablehlo.remainder"
