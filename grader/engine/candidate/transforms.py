"""A function under JAX's transformations, as a request or a course function may ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from grader.engine.candidate.stepping import with_steps

_grad, _vmap, _scan = jax.grad, jax.vmap, jax.lax.scan
"""As they are before a submission can replace them."""

Transform = Mapping[str, Any]
"""One transformation as JSON, such as ``{"kind": "grad", "wrt": 0}``; made by the functions below."""


def gradient(*, wrt: int) -> Transform:
    """The gradient of the sum of all results, with respect to one argument."""
    return {"kind": "grad", "wrt": wrt}


def mapped_over(axes: Mapping[int, int]) -> Transform:
    """`jax.vmap` over these axes of the arguments at these positions; results are stacked along the first."""
    return {"kind": "vmap", "axes": [[position, axis] for position, axis in sorted(axes.items())]}


def scanned() -> Transform:
    """`jax.lax.scan` with the function as body: the first argument is the carry, the second the inputs."""
    return {"kind": "scan"}


def chained(transforms: Iterable[Transform]) -> Transform:
    """One transformation after the other, the innermost first."""
    return {"kind": "chain", "steps": [dict(transform) for transform in transforms]}


def stepped() -> Transform:
    """The function with every array on the way to its result, and the lines that they come from."""
    return {"kind": "steps"}


def transformed(function: Callable[..., Any], transform: Transform | None) -> Callable[..., Any]:
    """`function` under `transform`; itself for None. ValueError for a kind that there is not."""
    if transform is None:
        return function
    match transform["kind"]:
        case "grad":
            return _differentiated(function, int(transform["wrt"]))
        case "vmap":
            return _mapped(function, {int(position): int(axis) for position, axis in transform["axes"]})
        case "scan":
            return _looped(function)
        case "chain":
            for step in transform["steps"]:
                function = transformed(function, step)
            return function
        case "steps":
            return with_steps(function)
        case kind:
            raise ValueError(f"no transformation is called {kind!r}")


def total(result: Any) -> Any:  # noqa: ANN401 - any pytree of arrays
    """One number that depends on every inexact array of a result."""
    leaves = [jnp.asarray(leaf) for leaf in jax.tree_util.tree_leaves(result)]
    return sum(
        (jnp.sum(leaf) for leaf in leaves if jnp.issubdtype(leaf.dtype, jnp.inexact)), start=jnp.zeros(())
    )


def _differentiated(function: Callable[..., Any], wrt: int) -> Callable[..., Any]:
    derivative: Callable[..., Any] = _grad(
        lambda *args, **kwargs: total(function(*args, **kwargs)), argnums=wrt
    )
    return derivative


def _mapped(function: Callable[..., Any], axes: Mapping[int, int]) -> Callable[..., Any]:
    def over_rows(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the function's own
        in_axes = tuple(axes.get(position) for position in range(len(args)))
        return _vmap(lambda *rows: function(*rows, **kwargs), in_axes=in_axes)(*args)

    return over_rows


def _looped(function: Callable[..., Any]) -> Callable[..., Any]:
    def over_steps(carry: Any, inputs: Any, *rest: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as above
        return _scan(lambda state, x: function(state, x, *rest, **kwargs), carry, inputs)

    return over_steps
