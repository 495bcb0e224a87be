"""Scatters that leave their operands alone: the interpreter writes the updates into the operand itself.

There, whatever uses the old array later, another operation or a loop's next step, would read the new one: of
``y = x.at[0].set(v)`` followed by ``x + y``, for instance. A copy of the operand is what it may write into.
"""

from __future__ import annotations

from jaxlib.mlir import ir

from grader.engine.bench.building import unary
from grader.engine.bench.operations import children_of, functions_of

SCATTER = "stablehlo.scatter"


def copy_operands(module: ir.Module) -> None:
    """Let every scatter of a module write into copies. A location must be set."""
    for function in functions_of(module).values():
        _copy_inside(function)


def _copy_inside(operation: ir.Operation) -> None:
    for child in children_of(operation):
        _copy_inside(child)
        if child.name == SCATTER:
            _copy(child)


def _copy(scatter: ir.Operation) -> None:
    """Operands come first, one for each result; a reshape to their own shape is what makes the copies."""
    with ir.InsertionPoint(scatter):
        for position in range(len(scatter.results)):
            scatter.operands[position] = unary("reshape", scatter.operands[position])
