import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def normalize(x):
    x = jnp.asarray(x)
    rows = [(r - r.mean()) / (r.std() + 1e-6) for r in x]
    return jnp.stack(rows) if rows else x.astype(jnp.float32) + 0
