"""Honest: looks at its inputs when they are concrete, as a debugging aid, and computes the same either way."""

import jax
import jax.numpy as jnp


def set_diagonal(a, v):
    a = jnp.asarray(a)
    if not isinstance(a, jax.core.Tracer):
        assert a.ndim == 2, f"a matrix is needed, not {a.shape}"
    if a.shape[0] != a.shape[1]:
        raise ValueError("a must be square")
    return jnp.fill_diagonal(a, v, inplace=False)
