import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class AdamState(NamedTuple):
    count: jax.Array
    mu: Any
    nu: Any


@dataclasses.dataclass(frozen=True)
class Adam:
    b1: float = 0.9
    b2: float = 0.999
    eps: float = 1e-8

    def init(self, params):
        new = functools.partial(jax.tree.map, lambda p: jnp.zeros_like(p))
        return AdamState(count=jnp.array(0, dtype=jnp.int32), mu=new(params), nu=new(params))

    def __call__(self, grads, state, params, lr):
        ema = lambda decay: lambda old, new: decay * old + (1 - decay) * new
        count = jnp.add(state.count, 1)
        mu = jax.tree.map(ema(self.b1), state.mu, grads)
        nu = jax.tree.map(ema(self.b2), state.nu, jax.tree.map(lambda g: g**2, grads))
        scale = lr * jnp.sqrt(1 - self.b2**count) / (1 - self.b1**count)
        eps = self.eps * jnp.sqrt(1 - self.b2**count)
        new = jax.tree.map(lambda p, m, v: p - scale * m / (jnp.sqrt(v) + eps), params, mu, nu)
        return new, AdamState(count, mu, nu)


_adam = Adam()
adam_init = _adam.init
adam_update = _adam
