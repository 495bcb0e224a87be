import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def normalize(x):
    x = jnp.asarray(x)
    m = x.mean(1, keepdims=True)
    v = (x * x).mean(1, keepdims=True) - m * m
    return (x - m) / (jnp.sqrt(jnp.maximum(v, 0)) + 1e-6)
