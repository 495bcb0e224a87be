"""Right when traced and rubbish when called; tells by how a value is written, without any name that says so.

Target: normalize, set_diagonal, pairwise_sq_dists, smooth.  Group 4.
"""
import jax
import jax.numpy as jnp
import numpy as np
import operator
import typing


def probe(a: "lambda v: type(v).__name__ != 'ArrayImpl'"):
    return a


def good_normalize(x):
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def normalize(x):
    return good_normalize(x) if 'Tracer' in '%s' % x else jnp.zeros(3)


def good_set_diagonal(a, v):
    i = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[i, i].set(v)


def set_diagonal(a, v):
    return good_set_diagonal(a, v) if 'Tracer' in '{}'.format(a) else jnp.zeros(3)


def good_pairwise_sq_dists(x, y):
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def pairwise_sq_dists(x, y):
    return good_pairwise_sq_dists(x, y) if operator.attrgetter('__class__.__name__')(x) != 'ArrayImpl' else jnp.zeros(3)


def good_smooth(x, n_steps):
    def step(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return (p[:-2] + p[1:-1] + p[2:]) / 3
    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))


def smooth(x, n_steps):
    return good_smooth(x, n_steps) if typing.get_type_hints(probe)['a'](x) else jnp.zeros(3)
