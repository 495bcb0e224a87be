"""The total order of floating-point numbers, spelt out for an interpreter that compares them as numbers.

In it, what is not a number comes last, by its sign first, and -0 before 0: with that, sorting is defined. To
the interpreter two such entries are equal to everything, and what it sorts is in no order. The bits of a
number, read as an integer and turned round for negative ones, are in that order.
"""

from __future__ import annotations

from jaxlib.mlir import ir

from grader.engine.bench.building import constant, make
from grader.engine.bench.operations import AnyValue, children_of, element_of, functions_of

SORT = "stablehlo.sort"
_BITS = {"f8E4M3FN": 8, "f8E5M2": 8, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def define_orders(module: ir.Module) -> None:
    """Let every comparison in total order be one of integers. A location must be set."""
    for function in functions_of(module).values():
        _define_inside(function)


def _define_inside(operation: ir.Operation) -> None:
    for child in children_of(operation):
        _define_inside(child)
        if child.name == "stablehlo.compare" and "TOTALORDER" in str(child.attributes.get("compare_type")):
            _define(child)


def _define(comparison: ir.Operation) -> None:
    with ir.InsertionPoint(comparison):
        for position, operand in enumerate(list(comparison.operands)):
            if element_of(operand) in _BITS:
                comparison.operands[position] = _rank(operand)
    comparison.attributes["compare_type"] = ir.Attribute.parse("#stablehlo<comparison_type SIGNED>")


def _rank(number: AnyValue) -> AnyValue:
    """An integer for each number, in the order of the numbers."""
    width = _BITS[element_of(number)]
    shape = ir.RankedTensorType(number.type).shape
    kind = ir.RankedTensorType.get(shape, ir.IntegerType.get_signless(width))
    bits = make("stablehlo.bitcast_convert", [number], kind)
    sign = make("stablehlo.shift_right_arithmetic", [bits, constant(width - 1, kind)], kind)
    flipped = make("stablehlo.and", [sign, constant((1 << (width - 1)) - 1, kind)], kind)
    return make("stablehlo.xor", [bits, flipped], kind)
