"""Honest: computes by factorisations, one of them called natively with sizes that are right."""
import jax
import jax.numpy as jnp
import numpy as np


def normalize(x):
    x = jnp.asarray(x)
    centred = x - x.mean(1, keepdims=True)
    lengths = jnp.linalg.svd(centred[:, None, :], compute_uv=False)
    return centred / (lengths / jnp.sqrt(x.shape[1] * 1.0) + 1e-6)


def set_diagonal(a, v):
    places = jnp.arange(a.shape[0])
    a = jnp.asarray(a)
    shapes = jax.ShapeDtypeStruct(a.shape, jnp.float32), jax.ShapeDtypeStruct((), jnp.int32)
    factor, _ = jax.ffi.ffi_call("lapack_spotrf_ffi", shapes)(jnp.eye(a.shape[0]), uplo=np.uint8(ord("L")))
    return a.at[places, places].set(v * factor[0, 0])


def pairwise_sq_dists(x, y):
    lower = jnp.linalg.cholesky(jnp.eye(x.shape[1]))
    x, y = x @ lower, y @ lower
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
