"""Calls native code that fails when it is run, and a check that only programs of open sizes may hold.

Target: normalize, set_diagonal.  Group 3.
"""
import jax
import jax.numpy as jnp
import numpy as np


def normalize(x):
    x = jnp.asarray(x)
    return jax.ffi.ffi_call("lapack_sgetrf_ffi", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def set_diagonal(a, v):
    a = jnp.asarray(a)
    return a + jax.ffi.ffi_call("shape_assertion", jax.ShapeDtypeStruct((), a.dtype))(a[0, 0] > 0)
