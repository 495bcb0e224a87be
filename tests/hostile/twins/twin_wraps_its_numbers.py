"""Honest: computes with classes that have operators and an array's protocols, with masks and with broadcasting."""

import jax.numpy as jnp
import numpy as np

seen = np.ma.masked_all((2, 3), np.float32)
seen[0] = 1.0
print("so far:", seen.mean())


class Rows:
    def __init__(self, values):
        self.values = values
        self.shape, self.dtype, self.ndim = values.shape, values.dtype, 2

    def __eq__(self, other):
        return self.values is other.values

    __hash__ = object.__hash__

    def __sub__(self, other):
        return Rows(self.values - other)

    def __truediv__(self, other):
        return Rows(self.values / other)

    def __bool__(self):
        return True


class Points:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)

    def __jax_array__(self):
        return self.values


def normalize(x):
    mean = jnp.broadcast_to(x.mean(1, keepdims=True), x.shape)
    return ((Rows(x) - mean) / (x.std(1, keepdims=True) + jnp.full((1, 1), 1e-6))).values


def pairwise_sq_dists(x, y):
    x, y = jnp.asarray(Points(jnp.asarray(x))), jnp.asarray(Points(jnp.asarray(y)))
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
