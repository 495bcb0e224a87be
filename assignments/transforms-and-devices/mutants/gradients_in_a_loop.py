"""Mutant: example_gradients loops over the examples in Python."""

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def loss(params, x, y):
    """The mean over all examples of (x @ w + b - y) ** 2."""
    residuals = x @ params["w"] + params["b"] - y
    return jnp.mean(residuals**2)


def example_gradients(params, x, y):
    def of_one(params, row, target):
        return (row @ params["w"] + params["b"] - target) ** 2

    each = [jax.grad(of_one)(params, x[i], y[i]) for i in range(x.shape[0])]
    return jax.tree.map(lambda *parts: jnp.stack(parts), *each)


def filter_step(state, x):
    """(new state, output): the state moves a tenth of the way towards x, and is the output."""
    state = state + (x - state) * 0.1
    return state, state


def log_sum_exp(x):
    """log(sum(exp(x))) over the last axis, in the type of x and without overflow."""
    largest = jax.lax.stop_gradient(jnp.max(x, axis=-1, keepdims=True))
    return jnp.log(jnp.sum(jnp.exp(x - largest), axis=-1)) + largest[..., 0]


def spread_rows(x):
    """x (n, d) with its rows split over all devices, whose number divides n."""
    mesh = Mesh(jax.devices(), ("rows",))
    return jax.device_put(x, NamedSharding(mesh, P("rows")))


def center_rows(x):
    """x (n, d) minus the mean of all its rows, wherever they lie."""
    return x - jnp.mean(x, axis=0)
