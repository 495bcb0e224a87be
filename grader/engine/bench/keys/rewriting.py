"""Cuts a program down to what leads to its draws and returned keys, in a form whose draws can be probed.

Pruning leaves out what happens to numbers once they are drawn, and with it most of the work and nearly every
operation that the interpreter does not know. Branches become loops that run once or never, since the
interpreter refuses probes inside a conditional and allows them inside a loop.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from jaxlib.mlir import ir

from grader.engine.bench.building import constant, equals, make, unary
from grader.engine.bench.operations import (
    AnyValue,
    callee_of,
    children_of,
    functions_of,
    terminator_of,
)
from grader.engine.bench.survey import Survey, callers_first

_BRANCHING = frozenset({"stablehlo.case", "stablehlo.if"})


def drawing_functions(found: Survey) -> frozenset[str]:
    """Functions that call a kernel, directly or through others; without the kernels themselves."""
    drawing: set[str] = set()
    for name in reversed(callers_first(found.functions) or []):
        calls = found.functions[name].calls
        if any(callee in drawing or found.functions[callee].is_kernel for callee, _ in calls):
            drawing.add(name)
    return frozenset(drawing)


def prune(module: ir.Module, found: Survey, *, outputs: Container[int]) -> None:
    """Leave out whatever no draw and none of main's results at positions `outputs` depends on."""
    kernels = frozenset(name for name, function in found.functions.items() if function.is_kernel)
    roots = drawing_functions(found) | kernels
    functions = functions_of(module)
    needed: dict[str, set[int]] = {name: set() for name in functions}
    called = {"main"}
    with module.context, ir.Location.unknown():
        for name in callers_first(found.functions) or []:
            if name not in called:
                functions[name].erase()
                continue
            wanted = outputs if name == "main" else needed[name]
            _blank_results(functions[name], wanted)
            _sweep(functions[name], roots)
            for call, callee in _calls(functions[name]):
                called.add(callee)
                needed[callee].update(i for i, result in enumerate(call.results) if _is_used(result))


def branches_to_loops(module: ir.Module, drawing: Container[str], kernels: Container[str]) -> None:
    """Turn every conditional that contains a draw into loops, innermost first."""
    with module.context, ir.Location.unknown():
        for function in functions_of(module).values():
            _convert_branches(function, drawing, kernels)


def _blank_results(function: ir.Operation, wanted: Container[int]) -> None:
    """Return zeros in place of the results nobody wants."""
    last = terminator_of(function.regions[0].blocks[0])
    with ir.InsertionPoint(last):
        for position, value in enumerate(list(last.operands)):
            if position not in wanted:
                last.operands[position] = constant(0, value.type)


def _sweep(operation: ir.Operation, roots: Container[str]) -> None:
    """Erase, last first, operations whose results nobody uses and that lead to no draw."""
    for child in reversed(list(children_of(operation))):
        _sweep(child, roots)
        if child.name.endswith(".return") or any(map(_is_used, child.results)):
            continue
        if not _leads_to(child, roots):
            child.erase()


def _leads_to(operation: ir.Operation, roots: Container[str]) -> bool:
    callee = callee_of(operation)
    if callee is not None:
        return callee in roots
    return any(_leads_to(child, roots) for child in children_of(operation))


def _calls(operation: ir.Operation) -> Iterator[tuple[ir.Operation, str]]:
    for child in children_of(operation):
        callee = callee_of(child)
        if callee is not None:
            yield child, callee
        yield from _calls(child)


def _is_used(value: AnyValue) -> bool:
    return next(iter(value.uses), None) is not None


def _convert_branches(operation: ir.Operation, drawing: Container[str], kernels: Container[str]) -> None:
    for child in children_of(operation):
        _convert_branches(child, drawing, kernels)
        if child.name in _BRANCHING and any(
            callee in drawing or callee in kernels for _, callee in _calls(child)
        ):
            _to_loops(child)


def _to_loops(branching: ir.Operation) -> None:
    """``case i: a, b`` becomes ``r = zeros; while i is 0, once: r = a; while i is not, once: r = b``."""
    kinds = [result.type for result in branching.results]
    with ir.InsertionPoint(branching):
        values = [constant(0, kind) for kind in kinds]
        for taken, region in zip(_conditions(branching), list(branching.regions), strict=True):
            values = _run_once(taken, region.blocks[0], values)
    for result, value in zip(branching.results, values, strict=True):
        result.replace_all_uses_with(value)
    branching.erase()


def _conditions(branching: ir.Operation) -> list[AnyValue]:
    """For each branch a boolean: whether it is taken. An index out of range takes the last branch."""
    selector = branching.operands[0]
    if branching.name == "stablehlo.if":
        return [selector, unary("not", selector)]
    taken = [equals(selector, position) for position in range(len(branching.regions) - 1)]
    any_taken = constant(0, ir.Type.parse("tensor<i1>"))
    for condition in taken:
        any_taken = make("stablehlo.or", [any_taken, condition], any_taken.type)
    return [*taken, unary("not", any_taken)]


def _run_once(taken: AnyValue, branch: ir.Block, values: list[AnyValue]) -> list[AnyValue]:
    carried = [taken, *values]
    kinds = [value.type for value in carried]
    loop = ir.Operation.create("stablehlo.while", results=kinds, operands=carried, regions=2)
    places = [ir.Location.unknown()] * len(kinds)
    condition = loop.regions[0].blocks.append(*kinds, arg_locs=places)
    body = loop.regions[1].blocks.append(*kinds, arg_locs=places)
    with ir.InsertionPoint(condition):
        ir.Operation.create("stablehlo.return", operands=[condition.arguments[0]])
    for operation in list(branch.operations):
        body.append(operation)
    last = terminator_of(body)
    with ir.InsertionPoint(last):
        done = constant(0, taken.type)
        ir.Operation.create("stablehlo.return", operands=[done, *last.operands])
    last.erase()
    return [loop.results[position] for position in range(1, len(kinds))]
