"""Effects: real mistakes that learners brought to issue trackers, in their shortest form."""

import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random

key = random.PRNGKey(0)
last = None
rng = np.random.default_rng(0)


def m01_key_kept_in_a_global(x):
    """jax-ml/jax#4312."""
    global key
    key, sub = random.split(key)  # purity.leaks_tracer
    return x + random.normal(sub, x.shape)


def m02_input_kept_in_a_global(x):
    """jax-ml/jax#3086."""
    global last
    last = x  # purity.changes_global
    return x + 2


def m04_prints(x):
    """jax-ml/jax#196."""
    print(x)  # purity.prints
    return x * 2


def m05_prints_in_a_branch(x):
    """jax-ml/jax#13351."""

    def a(v):
        print("a")  # purity.prints
        return v

    def b(v):
        print("b")
        return -v

    return lax.cond(x[0] > 0, a, b, x)


def m06_debug_print_in_a_branch(x):
    """jax-ml/jax#19314."""

    def g(v):
        lax.cond(v > 0, lambda w: jax.debug.print("{}", w), lambda w: None, v)  # purity.callback, jit.callback
        return v

    return jax.vmap(g)(x)


def m07_numpy_generator(x):
    """jax-ml/jax#2793, scipy/scipy#24412."""
    return x + rng.normal(size=3).astype(np.float32)  # purity.hidden_randomness


def m10_pure_callback(x):
    """jax-ml/jax#31319."""
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(lambda v: np.sin(v), shape, x)  # purity.callback, jit.callback


def m40_measures_itself(x):
    """jax-ml/jax#1219, jax-ml/jax#1797."""
    start = time.perf_counter()  # purity.reads_clock
    y = x @ x
    return jnp.sum(y) * (time.perf_counter() - start)
