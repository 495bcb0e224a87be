"""Mutant: log_sum_exp stops the gradient of everything."""

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def loss(params, x, y):
    """The mean over all examples of (x @ w + b - y) ** 2."""
    residuals = x @ params["w"] + params["b"] - y
    return jnp.mean(residuals**2)


def example_gradients(params, x, y):
    """For each example the gradient of its own squared error, in the structure of params."""

    def of_one(params, row, target):
        return (row @ params["w"] + params["b"] - target) ** 2

    return jax.vmap(jax.grad(of_one), in_axes=(None, 0, 0))(params, x, y)


def filter_step(state, x):
    """(new state, output): the state moves a tenth of the way towards x, and is the output."""
    state = state + (x - state) * 0.1
    return state, state


def log_sum_exp(x):
    return jax.nn.logsumexp(jax.lax.stop_gradient(x), axis=-1)


def spread_rows(x):
    """x (n, d) with its rows split over all devices, whose number divides n."""
    mesh = Mesh(jax.devices(), ("rows",))
    return jax.device_put(x, NamedSharding(mesh, P("rows")))


def center_rows(x):
    """x (n, d) minus the mean of all its rows, wherever they lie."""
    return x - jnp.mean(x, axis=0)
