"""Keys: real mistakes that learners brought to issue trackers, in their shortest form."""

import jax
import jax.numpy as jnp
from jax import lax, random

KEY = random.key(0)


def m21_draws_twice_with_one_key(key):
    """jax-ml/jax#2009."""
    a = random.uniform(key, (2,))
    b = random.uniform(key, (2,))  # prng.key_reused
    return a, b


def m22_draws_with_the_parent(key):
    """AakashKumarNain/TF_JAX_tutorials#4."""
    key, sub = random.split(key)
    r = random.randint(key, (3,), 0, 2)
    return r, key  # prng.returned_key_used


def m23_seeds_anew_in_a_loop(key):
    """AakashKumarNain/TF_JAX_tutorials#4."""
    out = []
    for _ in range(3):
        k = random.PRNGKey(0)  # prng.hidden_key
        out.append(random.normal(k, ()))
    return jnp.stack(out)


def m24_splits_what_it_drew_with(key):
    """blackjax-ml/jax#53."""

    def body(carry, _):
        u = random.normal(carry, ())
        carry, _ = random.split(carry)  # prng.parent_used_after_split
        return carry, u

    return lax.scan(body, key, None, length=3)[1]


def m25_one_key_for_all_rows(key, x):
    """google/flax#4195."""
    return jax.vmap(lambda v: v + random.normal(key, ()))(x)  # prng.key_reused


def m26_a_key_for_each_row(key, x):
    """jax-ml/jax#7708: right."""
    return jax.vmap(lambda i, v: v + random.normal(random.fold_in(key, i), ()))(jnp.arange(3), x)


def m27_draws_with_many_keys_at_once(key):
    """jax-ml/jax#19376."""
    return random.normal(random.split(key, 4), (4,))  # prng.key_batch


def m28_key_of_the_module(key):
    """jax-ml/jax#20704."""
    return random.bits(KEY)  # prng.hidden_key


def m29_a_callback_sees_the_key(keys):
    """jax-ml/jax#37795: right, as far as its keys go; JAX's own check of keys rejects it."""

    def draw(q):
        a, b = random.split(q)
        jax.debug.callback(lambda z: None, q)
        return random.normal(a) + random.normal(b)

    return jax.vmap(draw)(keys)


def m30_one_key_for_all_steps(key):
    """The scan pitfall of several tutorials."""

    def body(p, _):
        return p + random.normal(key, ()), p  # prng.key_reused

    return lax.scan(body, 0.0, None, length=4)[0]
