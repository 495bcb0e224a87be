from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from grader.engine.bench.keys.threefry import threefry2x32


def counters(count: int) -> np.ndarray:
    return np.stack([np.zeros(count, np.uint32), np.arange(count, dtype=np.uint32)], axis=1)


def test_it_makes_the_children_that_split_makes() -> None:
    key = np.array([3735928559, 12345], np.uint32)
    children = jr.key_data(jr.split(jr.wrap_key_data(jnp.asarray(key)), 9))

    np.testing.assert_array_equal(threefry2x32(np.tile(key, (9, 1)), counters(9)), children)


def test_it_makes_the_bits_that_jax_draws() -> None:
    key = np.array([7, 4294967295], np.uint32)
    bits = jr.bits(jr.wrap_key_data(jnp.asarray(key)), (33,))
    blocks = threefry2x32(np.tile(key, (33, 1)), counters(33))

    np.testing.assert_array_equal(blocks[:, 0] ^ blocks[:, 1], bits)


def test_it_makes_the_child_that_fold_in_makes() -> None:
    key = jr.key(5)
    words = np.asarray(jr.key_data(key))
    child = threefry2x32(words[None], np.array([[0, 77]], np.uint32))[0]

    np.testing.assert_array_equal(child, jr.key_data(jax.random.fold_in(key, 77)))
