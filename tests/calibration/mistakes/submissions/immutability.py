"""Arrays that never change: real mistakes that learners brought to issue trackers, in their shortest form."""

import jax
import jax.numpy as jnp
import numpy as np

donating = jax.jit(lambda v: v + 1, donate_argnums=0)


def m11_assigns_an_item(x):
    """jax-ml/jax#24315."""
    x[1] = 99.0  # immutability.item_assignment
    return x


def m12_throws_an_update_away(x):
    """jax-ml/jax#2287."""
    x.at[1].set(99.0)  # values.discarded_update
    return x


def m13_updates_and_returns_nothing(x):
    """jax-ml/jax#7783."""
    x.at[1].set(-1.0)  # values.discarded_update


def m14_writes_into_a_view(x):
    """jax-ml/jax#2219."""
    y = np.asarray(x)
    y[0] = 1.0  # immutability.item_assignment
    return y


def m15_reads_past_the_end(x):
    """jax-ml/jax#4383, jax-ml/jax#11277."""
    return x[3]  # values.differ


def m16_gathers_past_the_end(x):
    """jax-ml/jax#278."""
    return x[jnp.array([13])]  # values.differ


def m17_takes_past_the_end(x):
    """jax-ml/jax#14193."""
    return jnp.take(x, 10)  # values.not_finite


def m18_updates_past_the_end(x):
    """jax-ml/jax#9126."""
    return x.at[7].set(1.0)  # values.differ


def m19_reads_what_it_gave_away(x):
    """jax-ml/jax#9237, jax-ml/jax#9675."""
    y = donating(x)
    return y + x  # immutability.input_deleted


def m20_deletes_its_input(x):
    """jax-ml/jax#1705."""
    y = x + 1
    x.delete()  # immutability.input_deleted
    return y
