"""How often a loop of an exported program runs, where that can be told without running it."""

from __future__ import annotations

from jaxlib.mlir import ir

from grader.engine.bench.operations import AnyValue, constant_int, defining, terminator_of


def trip_count(loop: ir.Operation) -> int | None:
    """Iterations of ``while i < n: ...; i += step`` with constant start, n and step; else None."""
    condition, body = (region.blocks[0] for region in loop.regions)
    test = defining(terminator_of(condition).operands[0], "stablehlo.compare")
    if test is None or "LT" not in str(test.attributes["comparison_direction"]):
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


def _invariant(bound: AnyValue, loop: ir.Operation) -> int | None:
    """The constant a loop compares with: written in place, or carried around unchanged."""
    if not isinstance(bound, ir.BlockArgument):
        return constant_int(bound)
    condition, body = (region.blocks[0] for region in loop.regions)
    position = bound.arg_number
    if bound.owner != condition or terminator_of(body).operands[position] != body.arguments[position]:
        return None
    return constant_int(loop.operands[position])


def _step(body: ir.Block, position: int) -> int | None:
    update = defining(terminator_of(body).operands[position], "stablehlo.add")
    if update is None:
        return None
    left, right = update.operands
    if left == body.arguments[position]:
        return constant_int(right)
    return constant_int(left) if right == body.arguments[position] else None
