import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


from dataclasses import dataclass


@dataclass
class Keys:
    k: object

    def next(self):
        self.k, s = jax.random.split(self.k)
        return s


def sample_walk(key, n):
    keys = Keys(key)
    z = jax.random.normal(keys.next(), (n,))
    return keys.k, jnp.cumsum(z)
