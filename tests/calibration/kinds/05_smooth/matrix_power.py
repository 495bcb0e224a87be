import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def smooth(x, n_steps):
    x = jnp.asarray(x, jnp.float32)
    d = x.shape[0]
    k = jnp.eye(d) / 2 + jnp.eye(d, k=1) / 4 + jnp.eye(d, k=-1) / 4
    k = k.at[0, 0].add(0.25).at[-1, -1].add(0.25)
    return jnp.linalg.matrix_power(k, n_steps) @ x
