"""Right for every check."""

import jax
import jax.numpy as jnp


def normalize(x):
    """Each row (d,) of x (n, d) standardised; 1e-6 is added to the standard deviation."""
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    """A copy of a (n, n) with v, a scalar or (n,), on its diagonal."""
    places = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[places, places].set(v)


def sample_walk(key, n):
    """A fresh key, and the n + 1 positions of a Gaussian walk from 0."""
    new_key, subkey = jax.random.split(key)
    steps = jax.random.normal(subkey, (n,))
    return new_key, jnp.concatenate([jnp.zeros((1,)), jnp.cumsum(steps)])


def pairwise_sq_dists(x, y):
    """Squared distances (n, m) of points x (n, d) and y (m, d)."""
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def smooth(x, n_steps):
    """x (n,) after n_steps moving averages of three neighbours, the ends repeated."""

    def step(_, z):
        padded = jnp.concatenate([z[:1], z, z[-1:]])
        return (padded[:-2] + padded[1:-1] + padded[2:]) / 3

    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))
