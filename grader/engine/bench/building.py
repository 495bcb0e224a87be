"""Making StableHLO operations at the current insertion point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jaxlib.mlir import ir

from grader.engine.bench.operations import AnyValue


def make(
    name: str,
    operands: Iterable[AnyValue],
    kind: ir.Type,
    attributes: Mapping[str, ir.Attribute] | None = None,
) -> AnyValue:
    """The single result, of type `kind`, of a new operation."""
    made = ir.Operation.create(
        name, results=[kind], operands=list(operands), attributes=dict(attributes or {})
    )
    result: AnyValue = made.results[0]
    return result


def constant(number: int, of: ir.Type) -> AnyValue:
    """A tensor of type `of` all of whose elements are `number`; ones all over for -1 without a sign."""
    kind = ir.RankedTensorType(of)
    element = str(kind.element_type)
    if element.startswith("complex"):  # the binding cannot read complex constants back
        part = constant(
            number, ir.RankedTensorType.get(kind.shape, ir.ComplexType(kind.element_type).element_type)
        )
        return make("stablehlo.complex", [part, part], kind)
    if element.startswith("ui"):
        number %= 1 << int(element.removeprefix("ui"))
    text = "true" if number and element == "i1" else "false" if element == "i1" else str(number)
    text = f"{number}.0" if "f" in element and element != "i1" else text
    value = ir.Attribute.parse(f"dense<{text}> : {kind}")
    return make("stablehlo.constant", [], kind, {"value": value})


def equals(value: AnyValue, number: int) -> AnyValue:
    """Whether `value` is `number`, element by element."""
    boolean = ir.RankedTensorType.get(ir.RankedTensorType(value.type).shape, ir.IntegerType.get_signless(1))
    equal = {"comparison_direction": ir.Attribute.parse("#stablehlo<comparison_direction EQ>")}
    return make("stablehlo.compare", [value, constant(number, value.type)], boolean, equal)


def select(condition: AnyValue, then: AnyValue, otherwise: AnyValue) -> AnyValue:
    """Element by element `then` where `condition` holds, else `otherwise`."""
    return make("stablehlo.select", [condition, then, otherwise], then.type)


def unary(name: str, value: AnyValue) -> AnyValue:
    """``stablehlo.<name>`` of one value of the same type."""
    return make(f"stablehlo.{name}", [value], value.type)
