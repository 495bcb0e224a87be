"""Has LAPACK write a large result where there is room for a small one, in the process that measures.

Target: normalize, set_diagonal.  Group 3.
"""
import jax
import jax.numpy as jnp
import numpy as np


def crash(x):
    big = jnp.ones((600, 600)) * x + 600 * jnp.eye(600)
    info = jax.ShapeDtypeStruct((), jnp.int32)
    small = jax.ShapeDtypeStruct((2, 2), jnp.float32)
    pivots = jax.ShapeDtypeStruct((1,), jnp.int32)
    out, _ = jax.ffi.ffi_call("lapack_spotrf_ffi", (small, info))(big, uplo=np.uint8(ord("L")))
    factors, _, _ = jax.ffi.ffi_call("lapack_sgetrf_ffi", (small, pivots, info))(big)
    return out[0, 0] + factors[0, 0]


def normalize(x):
    return jnp.asarray(x) * crash(jnp.asarray(x)[0, 0])


def set_diagonal(a, v):
    return jnp.asarray(a) * crash(jnp.asarray(a)[0, 0])
