import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


N = 0


def normalize(x):
    global N
    N = N + 1
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
