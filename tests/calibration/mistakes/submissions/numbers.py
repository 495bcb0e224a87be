"""Types, gradients and devices: real mistakes that learners brought to issue trackers, in their shortest form."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def m42_asks_for_64_bits(x):
    """jax-ml/jax#652, jax-ml/jax#1333."""
    return jnp.ones((2,), dtype=np.float64) * x[0]  # dtype.narrowed


def m43_integers_overflow(x):
    """jax-ml/jax#8604."""
    return (1 / 256 ** jnp.arange(1, 5)) * x[0]  # values.not_finite


def m44_gradient_of_a_guarded_root(x):
    """jax-ml/jax#5798."""
    return jax.grad(lambda v: jnp.where(v < 1, v, jnp.sqrt(v)))(x[0] * 0)  # values.not_finite


def m45_gradient_through_a_while_loop(x):
    """jax-ml/jax#1954, jax-ml/jax#2956."""

    def doubled(v):
        return lax.while_loop(lambda c: c[1] < 3, lambda c: (c[0] * 2, c[1] + 1), (v, 0))[0]

    return jax.grad(doubled)(x[0])  # jit.while_reverse


def m46_gradient_at_an_integer(x):
    """jax-ml/jax#424, jax-ml/jax#2663."""
    return jax.grad(lambda v: v**2)(3) * x[0]  # jit.integer_grad


def m47_gradient_of_a_pair(x):
    """jax-ml/jax#6213."""
    return jax.grad(lambda v: (v.sum(), v))(x)  # jit.nonscalar_grad


def m48_carry_of_another_type(x):
    """jax-ml/jax#6059, jax-md/jax-md#99."""
    return lax.scan(lambda c, v: (c.astype(jnp.float32) + v, None), jnp.int32(0), x)[0]  # jit.scan_carry


def m49_list_in_place_of_an_array(x):
    """jax-ml/jax#365, jax-ml/jax#5044."""
    return jnp.max([1, 2]) + x[0]  # call.list_argument


def m51_device_by_name(x):
    """jax-ml/jax#6040, jax-ml/jax#1914."""
    return jax.device_put(x, "cpu")  # device.string_device
