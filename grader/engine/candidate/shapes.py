"""What a function is traced for: shapes and types of its inputs, some sizes unknown, some arrays split."""

from __future__ import annotations

from collections.abc import Sequence

import jax
from jax import export

from grader.engine.candidate.values import abstract
from grader.engine.layouts import Layout
from grader.engine.meshes import sharding
from grader.engine.protocol import Leaf

Sizes = Sequence[str | None]
"""For each leaf its shape in JAX's notation of symbolic sizes, such as ``n, 3``; None as it is."""
Layouts = Sequence[Layout | None]


def described(
    leaves: Sequence[Leaf], *, sizes: Sizes = (), layouts: Layouts = ()
) -> list[jax.ShapeDtypeStruct]:
    """Shapes and types to trace with; under x64, types keep their width."""
    plain = [abstract(leaf) for leaf in leaves]
    if sizes:
        scope = export.SymbolicScope()
        return [_sized(each, size, scope) for each, size in zip(plain, sizes, strict=True)]
    if layouts:
        return [_laid(each, layout) for each, layout in zip(plain, layouts, strict=True)]
    return plain


def _sized(
    plain: jax.ShapeDtypeStruct, size: str | None, scope: export.SymbolicScope
) -> jax.ShapeDtypeStruct:
    if size is None:
        return plain
    shape = export.symbolic_shape(size, scope=scope)
    return jax.ShapeDtypeStruct(shape, plain.dtype, weak_type=plain.weak_type)


def _laid(plain: jax.ShapeDtypeStruct, layout: Layout | None) -> jax.ShapeDtypeStruct:
    if layout is None:
        return plain
    where = sharding(layout, len(plain.shape), jax.devices())
    return jax.ShapeDtypeStruct(plain.shape, plain.dtype, weak_type=plain.weak_type, sharding=where)
