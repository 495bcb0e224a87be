"""Honest: tries itself on drawn examples and keeps their answers to compare; a callback version of it is not used."""

import jax
import jax.numpy as jnp
import numpy as np

examples = {}


def _plain(x, y):
    return np.sum((np.asarray(x)[:, None, :] - np.asarray(y)[None, :, :]) ** 2, -1).astype(np.float32)


def pairwise_sq_dists(x, y):
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def by_callback(x, y):
    shape = jax.ShapeDtypeStruct((x.shape[0], y.shape[0]), jnp.float32)
    return jax.pure_callback(_plain, shape, x, y)


for seed in range(3):
    one, other = jax.random.split(jax.random.key(seed))
    x, y = jax.random.normal(one, (8, 3)), jax.random.normal(other, (5, 3))
    examples[np.asarray(x).tobytes()] = _plain(x, y)
    assert np.allclose(pairwise_sq_dists(x, y), examples[np.asarray(x).tobytes()], atol=1e-4)
