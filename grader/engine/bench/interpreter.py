"""StableHLO's reference interpreter: runs small programs without compiling them, and calls no native code.

It ends the process on an operation it does not know, so programs are screened by name and type first. Its
tensors have no bfloat16 or float8 form that Python can read: such results leave the program as their bits.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from grader.engine.bench.survey import AnyValue, Survey, interpreter_cost
from grader.engine.bench.tensors import OPAQUE_FLOATS, dtype_of, from_attribute, to_attribute
from grader.engine.protocol import AnyArray

_STABLEHLO = (
    "abs", "add", "and", "atan2", "bitcast_convert", "broadcast_in_dim", "case", "cbrt", "ceil", "clamp",
    "compare", "composite", "concatenate", "constant", "convert", "convolution", "cosine",
    "count_leading_zeros", "divide", "dot_general", "dynamic_slice", "dynamic_update_slice",
    "exponential", "exponential_minus_one", "floor", "gather", "if", "iota", "is_finite", "log",
    "log_plus_one", "logistic", "map", "maximum", "minimum", "multiply", "negate", "not",
    "optimization_barrier", "or", "pad", "popcnt", "power", "reduce", "reduce_precision", "reduce_window",
    "remainder", "reshape", "return", "reverse", "round_nearest_afz", "round_nearest_even", "rsqrt",
    "scatter", "select", "select_and_scatter", "shift_left", "shift_right_arithmetic",
    "shift_right_logical", "sign", "sine", "slice", "sort", "sqrt", "subtract", "tan", "tanh",
    "transpose", "while", "xor",
)  # fmt: skip
_OPERATIONS = frozenset("stablehlo." + name for name in _STABLEHLO) | {
    "builtin.module",
    "func.call",
    "func.func",
    "func.return",
}
_ELEMENTS = frozenset(
    {"i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"}
    | {"f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"}
)
_GONE_BEFORE = frozenset({"sdy.mesh", "sdy.sharding_constraint"})
"""Operations that reading a program takes out."""


def blockers(found: Survey) -> tuple[str, ...]:
    """What the interpreter does not know of a program, by name; empty if it can run it."""
    unknown = (found.histogram.keys() - _OPERATIONS - _GONE_BEFORE) | (found.elements - _ELEMENTS)
    return tuple(sorted(unknown | ({"dynamic shapes"} if found.dynamic else set())))


def interpret(module: ir.Module, arguments: Sequence[AnyArray], *, probes: str = "") -> list[AnyArray]:
    """Results of `module`'s main for `arguments`; `probes` is the folder that probe operations write to."""
    with module.context, ir.Location.unknown():
        entry = main_of(module)
        kind = ir.FunctionType(ir.TypeAttr(entry.attributes["function_type"]).value)
        sent = [
            to_attribute(array, ir.RankedTensorType(of))
            for array, of in zip(arguments, kind.inputs, strict=True)
        ]
        results = stablehlo.eval_module(_readable(module), sent, probes)
        dtypes = [dtype_of(str(ir.RankedTensorType(each).element_type)) for each in kind.results]
    return [
        from_attribute(result, dtype)
        for result, dtype in zip(results, dtypes, strict=True)
        if dtype is not None
    ]


def main_of(module: ir.Module) -> ir.Operation:
    """The entry function; StopIteration if there is none, which verification rules out."""
    return next(
        each.operation
        for each in module.body.operations
        if each.operation.name == "func.func"
        and ir.StringAttr(each.operation.attributes["sym_name"]).value == "main"
    )


def cost(found: Survey) -> float | None:
    """Estimated CPU seconds of one run; None if some loop's length is unknown."""
    return interpreter_cost(found)


def clone(module: ir.Module) -> ir.Module:
    """A copy in the same context that may be changed."""
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    copy: ir.Module = ir.Module.parse(buffer.getvalue(), module.context)
    return copy


def _readable(module: ir.Module) -> ir.Module:
    """`module`, or a copy whose results of opaque float types are cast to their bits."""
    kind = ir.FunctionType(ir.TypeAttr(main_of(module).attributes["function_type"]).value)
    if not any(_is_opaque(each) for each in kind.results):
        return module
    copy = clone(module)
    entry = main_of(copy)
    block = entry.regions[0].blocks[0]
    last = block.operations[len(block.operations) - 1]
    with ir.InsertionPoint(last):
        results = [_as_bits(value) if _is_opaque(value.type) else value for value in last.operands]
    for position, value in enumerate(results):
        last.operation.operands[position] = value
    types = [value.type for value in results]
    entry.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(list(kind.inputs), types))
    return copy


def _is_opaque(of: ir.Type) -> bool:
    return str(ir.RankedTensorType(of).element_type) in OPAQUE_FLOATS


def _as_bits(value: AnyValue) -> AnyValue:
    kind = ir.RankedTensorType(value.type)
    bits = ir.Type.parse(OPAQUE_FLOATS[str(kind.element_type)])
    return stablehlo.BitcastConvertOp(ir.RankedTensorType.get(kind.shape, bits), value).result
