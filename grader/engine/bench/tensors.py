"""NumPy arrays as MLIR attributes and back, for every dtype that the interpreter knows."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxlib.mlir import ir

from grader.engine.protocol import DTYPES, AnyArray

_ELEMENTS: dict[str, str] = {
    "i1": "bool", "i4": "int4", "ui4": "uint4",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "ui8": "uint8", "ui16": "uint16", "ui32": "uint32", "ui64": "uint64",
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2",
    "complex<f32>": "complex64", "complex<f64>": "complex128",
}  # fmt: skip
"""Dtype by the name of an MLIR element type. Signless integers are signed, as everywhere in StableHLO."""

_NAMES = {dtype: element for element, dtype in _ELEMENTS.items()}

OPAQUE_FLOATS: dict[str, str] = {"bf16": "ui16", "f8E4M3FN": "ui8", "f8E5M2": "ui8"}
"""Element types whose attributes Python cannot read back, and the integer type of equal width that it can."""


def dtype_of(element: str) -> np.dtype[Any] | None:
    """The dtype of an MLIR element type's name, None if it may not travel.

    >>> dtype_of("ui32")
    dtype('uint32')
    """
    name = _ELEMENTS.get(element)
    return None if name is None else DTYPES[name]


def element_of(dtype: str) -> str:
    """The MLIR element type's name of a dtype that may travel; KeyError if it may not.

    >>> element_of("bool")
    'i1'
    """
    return _NAMES[dtype]


def to_attribute(array: AnyArray, tensor: ir.RankedTensorType) -> ir.DenseElementsAttr:
    """`array` as an attribute of type `tensor`, which must agree in shape and width."""
    plain = np.ascontiguousarray(array).reshape(array.shape)
    if str(tensor.element_type) in OPAQUE_FLOATS:
        plain = plain.view(f"u{plain.itemsize}")
    made: ir.DenseElementsAttr = ir.DenseElementsAttr.get(plain, type=tensor)  # type: ignore[call-overload]
    return made


def from_attribute(attribute: ir.Attribute, dtype: np.dtype[Any]) -> AnyArray:
    """The array an attribute holds, reinterpreted as `dtype` where its integer twin was asked for."""
    array = np.array(attribute)
    return array if array.dtype == dtype else array.view(dtype)
