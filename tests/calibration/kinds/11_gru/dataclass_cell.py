import dataclasses
from typing import Any

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Gate:
    w: Any
    u: Any
    b: Any

    def __call__(self, x, h):
        return jnp.dot(x, self.w) + jnp.dot(h, self.u) + self.b


@dataclasses.dataclass(frozen=True)
class Cell:
    update: Gate
    reset: Gate
    new: Gate

    @classmethod
    def from_dict(cls, params):
        return cls(**{k: Gate(**v) for k, v in params.items()})

    def step(self, h, x):
        z, r = (jax.nn.sigmoid(g(x, h)) for g in (self.update, self.reset))
        h = h + z * (jnp.tanh(self.new(x, r * h)) - h)
        return h, h


def gru(params, h0, xs):
    return jax.lax.scan(Cell.from_dict(params).step, jnp.asarray(h0), jnp.asarray(xs))
