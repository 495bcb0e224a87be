"""Reading MLIR operations and values: the few questions that several modules ask of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from jaxlib.mlir import ir

AnyValue = ir.Value[Any]

_INTEGERS = frozenset(f"{sign}{width}" for sign in ("i", "ui") for width in (8, 16, 32, 64))


def functions_of(module: ir.Module) -> dict[str, ir.Operation]:
    """The module's functions by name."""
    return {
        ir.StringAttr(each.operation.attributes["sym_name"]).value: each.operation
        for each in module.body.operations
        if each.operation.name == "func.func"
    }


def children_of(operation: ir.Operation) -> Iterator[ir.Operation]:
    """The operations directly inside `operation`'s regions; safe against changes while iterating."""
    for region in operation.regions:
        for block in region.blocks:
            for child in list(block.operations):
                yield child.operation


def terminator_of(block: ir.Block) -> ir.Operation:
    """The last operation of a block, which returns its results."""
    return block.operations[len(block.operations) - 1].operation


def callee_of(operation: ir.Operation) -> str | None:
    """The function that an operation runs, None if it runs none."""
    attribute = {"func.call": "callee", "stablehlo.composite": "decomposition"}.get(operation.name)
    return None if attribute is None else ir.FlatSymbolRefAttr(operation.attributes[attribute]).value


def function_type(function: ir.Operation) -> ir.FunctionType:
    """The type of a function."""
    return ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)


def element_of(value: AnyValue) -> str:
    """The name of a value's element type; ``?`` if it is no ranked tensor."""
    kind = value.type
    return str(kind.element_type) if isinstance(kind, ir.RankedTensorType) else "?"


def size_of(value: AnyValue) -> int | None:
    """The number of elements of a value; None if it is not known before the call."""
    kind = value.type
    known = isinstance(kind, ir.RankedTensorType) and kind.has_static_shape
    return math.prod(kind.shape) if known else None


def shape_of(value: AnyValue) -> tuple[int, ...] | None:
    """The sizes of a value; None if they are not known before the call."""
    kind = value.type
    known = isinstance(kind, ir.RankedTensorType) and kind.has_static_shape
    return tuple(kind.shape) if known else None


def is_integer(value: AnyValue) -> bool:
    """Whether a value holds integers of a width that NumPy knows."""
    return element_of(value) in _INTEGERS


def defining(value: AnyValue, name: str) -> ir.Operation | None:
    """The operation called `name` whose result `value` is; None if it comes from elsewhere."""
    owner = value.owner
    if isinstance(owner, ir.Operation | ir.OpView) and owner.operation.name == name:
        return owner.operation
    return None


def constant_int(value: AnyValue) -> int | None:
    """The integer of a scalar or single-valued integer constant, None if `value` is anything else."""
    constant = defining(value, "stablehlo.constant")
    if constant is None or not is_integer(value):
        return None
    attribute = constant.attributes["value"]
    if not isinstance(attribute, ir.DenseIntElementsAttr) or not len(attribute) or not attribute.is_splat:
        return None
    return int(attribute[0])
