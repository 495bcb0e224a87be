"""One MLIR context for the life of the process. Making it costs more than reading a program does."""

from __future__ import annotations

import functools

from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


@functools.cache
def context() -> ir.Context:
    """The context every program is read into. Single-threaded, so that it survives a fork."""
    made = jax_mlir.make_ir_context()
    made.enable_multithreading(False)  # noqa: FBT003 - the binding takes it by position
    stablehlo.register_interpreter_dialect(made)
    return made
