"""A function under one of JAX's transformations, as a request or a course function may ask for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

Transform = Mapping[str, Any]
"""``{"kind": "grad", "wrt": 0}`` or ``{"kind": "vmap", "mapped": [0, 2]}``: positions of arguments."""


def gradient(*, wrt: int) -> Transform:
    """The gradient of the sum of all results, with respect to one argument."""
    return {"kind": "grad", "wrt": wrt}


def mapped_over(*arguments: int) -> Transform:
    """`jax.vmap` over the first axis of these arguments."""
    return {"kind": "vmap", "mapped": list(arguments)}


def transformed(function: Callable[..., Any], transform: Transform | None) -> Callable[..., Any]:
    """`function` under `transform`; itself for None."""
    if transform is None:
        return function
    if transform["kind"] == "grad":
        return jax.grad(
            lambda *args, **kwargs: _total(function(*args, **kwargs)), argnums=int(transform["wrt"])
        )
    mapped = frozenset(transform["mapped"])

    def over_rows(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the function's own
        axes = tuple(0 if position in mapped else None for position in range(len(args)))
        return jax.vmap(lambda *rows: function(*rows, **kwargs), in_axes=axes)(*args)

    return over_rows


def _total(result: Any) -> Any:  # noqa: ANN401 - any pytree of arrays
    """One number that depends on every inexact array of a result."""
    leaves = [jnp.asarray(leaf) for leaf in jax.tree_util.tree_leaves(result)]
    return sum(
        (jnp.sum(leaf) for leaf in leaves if jnp.issubdtype(leaf.dtype, jnp.inexact)), start=jnp.zeros(())
    )
