"""StableHLO's reference interpreter: runs small programs without compiling them, and calls no native code.

It ends the process on an operation it does not know, so programs are screened by name and type first. Where
it would merely differ, a copy of the program is adapted: integer divisions get the results that XLA defines
for divisors that the processor traps, scatters get operands of their own to write into, sorts the total order
of numbers, and results of bfloat16 or float8, which Python cannot read back, leave as their bits.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from grader.engine.bench.divisions import define_divisions
from grader.engine.bench.operations import AnyValue, function_type, functions_of, terminator_of
from grader.engine.bench.orders import SORT, define_orders
from grader.engine.bench.scatters import SCATTER, copy_operands
from grader.engine.bench.survey import Survey
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretable:
    """A module that the interpreter can run, with the types of what it takes and returns."""

    module: ir.Module
    inputs: tuple[ir.RankedTensorType, ...]
    outputs: tuple[np.dtype[Any], ...]

    def run(self, arguments: Sequence[AnyArray], *, probes: str = "") -> list[AnyArray]:
        """Results of main for `arguments`; `probes` is the folder that probe operations write to."""
        with self.module.context, ir.Location.unknown():
            pairs = zip(arguments, self.inputs, strict=True)
            sent = [to_attribute(array, kind) for array, kind in pairs]
            results = stablehlo.eval_module(self.module, sent, probes)
        return [from_attribute(result, dtype) for result, dtype in zip(results, self.outputs, strict=True)]


def prepare(module: ir.Module, found: Survey) -> Interpretable:
    """Adapt a program, or a copy of it where it must be changed. It must have no `blockers`."""
    kind = function_type(functions_of(module)["main"])
    outputs = tuple(dtype_of(str(ir.RankedTensorType(each).element_type)) for each in kind.results)
    opaque = any(map(_is_opaque, kind.results))
    if opaque or found.divides or not found.histogram.keys().isdisjoint((SCATTER, SORT)):
        module = clone(module)
        with module.context, ir.Location.unknown():
            define_divisions(module)
            copy_operands(module)
            define_orders(module)
            _return_bits(module)
    return Interpretable(
        module=module,
        inputs=tuple(map(ir.RankedTensorType, kind.inputs)),
        outputs=tuple(dtype for dtype in outputs if dtype is not None),
    )


def clone(module: ir.Module) -> ir.Module:
    """A copy in the same context that may be changed."""
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    copy: ir.Module = ir.Module.parse(buffer.getvalue(), module.context)
    return copy


def _return_bits(module: ir.Module) -> None:
    """Return values of opaque float types as integers of the same bits."""
    entry = functions_of(module)["main"]
    kind = function_type(entry)
    last = terminator_of(entry.regions[0].blocks[0])
    with ir.InsertionPoint(last):
        results = [_as_bits(value) if _is_opaque(value.type) else value for value in last.operands]
    for position, value in enumerate(results):
        last.operands[position] = value
    types = [value.type for value in results]
    entry.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(list(kind.inputs), types))


def _is_opaque(of: ir.Type) -> bool:
    return str(ir.RankedTensorType(of).element_type) in OPAQUE_FLOATS


def _as_bits(value: AnyValue) -> AnyValue:
    kind = ir.RankedTensorType(value.type)
    bits = ir.Type.parse(OPAQUE_FLOATS[str(kind.element_type)])
    return stablehlo.BitcastConvertOp(ir.RankedTensorType.get(kind.shape, bits), value).result
