"""Tracing: real mistakes that learners brought to issue trackers, in their shortest form."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

WEIGHTS = [1.0, 2.0, 3.0]
first = jax.jit(lambda x, v: x, static_argnums=1)
times = jax.jit(lambda x, i: x * i, static_argnums=1)  # m38: jit.retraced


def m31_branches_on_a_value(x):
    """jax-ml/jax#16430."""
    if x.sum() > 0:  # jit.tracer_bool
        return x
    return -x


def m32_numpy_on_a_tracer(x):
    """jax-ml/jax#3160."""
    return np.sin(x) + 0  # jit.tracer_array


def m33_size_from_a_value(n):
    """jax-ml/jax#5186."""
    return jnp.arange(0, n, 1)  # jit.concretization


def m34_size_computed_by_jax(x):
    """jax-ml/jax#4449."""
    return jnp.ones((jnp.add(x.size, 1),))  # jit.concretization


def m35_list_indexed_by_a_tracer(i):
    """jax-ml/jax#25186."""
    return WEIGHTS[i]  # jit.tracer_integer


def m36_static_array(x):
    """jax-ml/jax#883."""
    return first(x, np.array([1, 2]))  # jit.unhashable_static


def m37_jit_in_a_loop(x):
    """jax-ml/jax#9288."""
    for _ in range(5):
        x = jax.jit(lambda v: v + 1)(x)  # jit.retraced
    return x


def m38_static_counter(x):
    """jax-ml/jax#1033, patrick-kidger/equinox#1141."""
    for i in range(6):
        x = times(x, i + 1)
    return x


def m39_written_out_loop(x):
    """jax-ml/jax#2777, jax-ml/jax#1897."""
    for _ in range(x.shape[0]):  # jit.program_grows
        x = jnp.sin(x) * 1.01
    return x


def m50_both_branches_under_vmap(x):
    """jax-ml/jax#8409, jax-ml/jax#2947: right, if not cheap."""
    return jax.vmap(lambda v: lax.cond(v > 0, lambda w: jnp.log(w), lambda w: 0.0 * w, v))(x)


def m52_loop_over_an_array(x):
    """jax-ml/jax#427, jax-ml/jax#968: right, and slow by design."""
    s = 0.0
    for v in x:
        s += v
    return s
