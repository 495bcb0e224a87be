"""Cuts a program down to what leads to its draws and returned keys, in a form whose draws can be probed.

Pruning leaves out what happens to numbers once they are drawn, and with it most of the work and nearly every
operation that the interpreter does not know. Branches become loops that run once or never, since the
interpreter refuses probes inside a conditional and allows them inside a loop.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from jaxlib.mlir import ir

from grader.engine.bench.survey import AnyValue, Survey, callers_first, is_integer

_DIVISIONS = frozenset({"stablehlo.divide", "stablehlo.remainder"})
_BRANCHING = frozenset({"stablehlo.case", "stablehlo.if"})


def functions_of(module: ir.Module) -> dict[str, ir.Operation]:
    """The module's functions by name."""
    return {
        ir.StringAttr(each.operation.attributes["sym_name"]).value: each.operation
        for each in module.body.operations
        if each.operation.name == "func.func"
    }


def operations_of(operation: ir.Operation) -> Iterator[ir.Operation]:
    """The operations directly inside `operation`'s regions; safe against changes while iterating."""
    for region in operation.regions:
        for block in region.blocks:
            for child in list(block.operations):
                yield child.operation


def callee_of(operation: ir.Operation) -> str | None:
    """The function an operation calls, None if it is no call."""
    if operation.name != "func.call":
        return None
    return ir.FlatSymbolRefAttr(operation.attributes["callee"]).value


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


def guard_divisions(module: ir.Module) -> None:
    """Divide integers by one instead of by zero or minus one, which may end the interpreter's process."""
    with module.context, ir.Location.unknown():
        for function in functions_of(module).values():
            _guard(function)


def _guard(operation: ir.Operation) -> None:
    for child in operations_of(operation):
        _guard(child)
        if child.name in _DIVISIONS and is_integer(child.results[0]):
            with ir.InsertionPoint(child):
                child.operands[1] = _without_traps(child.operands[1])


def _without_traps(divisor: AnyValue) -> AnyValue:
    kind = ir.RankedTensorType(divisor.type)
    boolean = ir.RankedTensorType.get(kind.shape, ir.IntegerType.get_signless(1))
    one, safe = _constant(f"dense<1> : {kind}"), divisor
    traps = (0,) if str(kind.element_type).startswith("ui") else (0, -1)
    for trap in traps:
        is_trap = _equals(divisor, trap, boolean)
        safe = _make("stablehlo.select", [is_trap, one, safe], kind)
    return safe


def _blank_results(function: ir.Operation, wanted: Container[int]) -> None:
    """Return zeros in place of the results nobody wants."""
    last = _terminator(function.regions[0].blocks[0])
    with ir.InsertionPoint(last):
        for position, value in enumerate(list(last.operands)):
            if position not in wanted:
                last.operands[position] = _zeros(value.type)


def _sweep(operation: ir.Operation, roots: Container[str]) -> None:
    """Erase, last first, operations whose results nobody uses and that lead to no draw."""
    for child in reversed(list(operations_of(operation))):
        _sweep(child, roots)
        if child.name.endswith(".return") or any(map(_is_used, child.results)):
            continue
        if not _leads_to(child, roots):
            child.erase()


def _leads_to(operation: ir.Operation, roots: Container[str]) -> bool:
    callee = callee_of(operation)
    if callee is not None:
        return callee in roots
    return any(_leads_to(child, roots) for child in operations_of(operation))


def _calls(operation: ir.Operation) -> Iterator[tuple[ir.Operation, str]]:
    for child in operations_of(operation):
        callee = callee_of(child)
        if callee is not None:
            yield child, callee
        elif child.name == "stablehlo.composite":
            yield child, ir.FlatSymbolRefAttr(child.attributes["decomposition"]).value
        yield from _calls(child)


def _is_used(value: AnyValue) -> bool:
    return next(iter(value.uses), None) is not None


def _convert_branches(operation: ir.Operation, drawing: Container[str], kernels: Container[str]) -> None:
    for child in operations_of(operation):
        _convert_branches(child, drawing, kernels)
        if child.name in _BRANCHING and any(
            callee in drawing or callee in kernels for _, callee in _calls(child)
        ):
            _to_loops(child)


def _to_loops(branching: ir.Operation) -> None:
    """``case i: a, b`` becomes ``r = zeros; while i is 0, once: r = a; while i is not, once: r = b``."""
    kinds = [result.type for result in branching.results]
    with ir.InsertionPoint(branching):
        values = [_zeros(kind) for kind in kinds]
        for taken, region in zip(_conditions(branching), list(branching.regions), strict=True):
            values = _run_once(taken, region.blocks[0], values)
    for result, value in zip(branching.results, values, strict=True):
        result.replace_all_uses_with(value)
    branching.erase()


def _conditions(branching: ir.Operation) -> list[AnyValue]:
    """For each branch a boolean: whether it is taken. An index out of range takes the last branch."""
    selector = branching.operands[0]
    if branching.name == "stablehlo.if":
        return [selector, _make("stablehlo.not", [selector], selector.type)]
    boolean = ir.Type.parse("tensor<i1>")
    taken = [_equals(selector, position, boolean) for position in range(len(branching.regions) - 1)]
    any_taken = _constant("dense<false> : tensor<i1>")
    for condition in taken:
        any_taken = _make("stablehlo.or", [any_taken, condition], boolean)
    return [*taken, _make("stablehlo.not", [any_taken], boolean)]


def _equals(value: AnyValue, number: int, boolean: ir.Type) -> AnyValue:
    """Whether `value` is `number`, element by element; `boolean` has the shape of `value`."""
    equal = {"comparison_direction": ir.Attribute.parse("#stablehlo<comparison_direction EQ>")}
    return _make("stablehlo.compare", [value, _constant(f"dense<{number}> : {value.type}")], boolean, equal)


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
    last = _terminator(body)
    with ir.InsertionPoint(last):
        done = _constant("dense<false> : tensor<i1>")
        ir.Operation.create("stablehlo.return", operands=[done, *last.operands])
    last.erase()
    return [loop.results[position] for position in range(1, len(kinds))]


def _terminator(block: ir.Block) -> ir.Operation:
    return block.operations[len(block.operations) - 1].operation


def _zeros(of: ir.Type) -> AnyValue:
    kind = ir.RankedTensorType(of)
    element = str(kind.element_type)
    if element.startswith("complex"):  # the binding cannot read complex constants back
        part = _zeros(ir.RankedTensorType.get(kind.shape, ir.ComplexType(kind.element_type).element_type))
        return _make("stablehlo.complex", [part, part], kind)
    return _constant(f"dense<{'0.0' if 'f' in element else 'false' if element == 'i1' else '0'}> : {kind}")


def _constant(text: str) -> AnyValue:
    value = ir.Attribute.parse(text)
    kind = ir.DenseElementsAttr(value).type
    return _make("stablehlo.constant", [], kind, {"value": value})


def _make(
    name: str, operands: Iterable[AnyValue], kind: ir.Type, attributes: dict[str, ir.Attribute] | None = None
) -> AnyValue:
    made = ir.Operation.create(name, results=[kind], operands=list(operands), attributes=attributes or {})
    result: AnyValue = made.results[0]
    return result
