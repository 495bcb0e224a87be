"""Means of bootstrap resamples."""

import math

import numpy as np

from rubrics import criterion, f32, key, laws, raw_key

X = f32[20].normal(3, 2)


def has_means(args, result):
    """Whether a result is n_boot float32 numbers between the smallest and the largest of x."""
    _, x, n_boot = args
    if not (isinstance(result, np.ndarray) and result.shape == (n_boot,) and result.dtype == np.float32):
        return False
    return bool(np.all((result >= x.min() - 1e-4) & (result <= x.max() + 1e-4)))


N = 20
ONE_IN_20 = np.array([0.0] * (N - 1) + [N], np.float32)
"""The mean of a resample of it says how often the last number is in there."""
HOW_OFTEN = laws.categorical([math.comb(N, k) * (1 / N) ** k * (1 - 1 / N) ** (N - k) for k in range(N + 1)])


def how_often(_, result):
    """How often each resample holds the last number."""
    return np.round(np.ravel(result))


@criterion("values", points=1, function="bootstrap")
def test_values(submission, draw):
    """Means of resamples, spread as they should be."""
    cases = draw(key, X, 7), draw(raw_key, X, 3), draw.numpy(key, X, 5)
    submission.bootstrap.satisfies(has_means, *cases, says="n_boot means")
    submission.bootstrap.draws_from(HOW_OFTEN, draw(key, ONE_IN_20, 100), numbers=how_often)


@criterion("purity", points=1, function="bootstrap")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.bootstrap.is_pure(draw(key, X, 6), draw(key, X, 4))


@criterion("immutability", points=1, function="bootstrap")
def test_immutability(submission, draw):
    """Leaves x alone."""
    submission.bootstrap.leaves_inputs_unchanged(draw.numpy(key, X, 6), draw(key, X, 6))


@criterion("prng", points=1, function="bootstrap")
def test_prng(submission, draw):
    """Each key is used once, and each resample has its own."""
    submission.bootstrap.threads_keys(
        draw(key, X, 6), draw(raw_key, X, 6), draws=lambda _, result: np.ravel(result)
    )


@criterion("jit", points=1, function="bootstrap")
def test_jit(submission, draw):
    """One program."""
    submission.bootstrap.traces(draw(key, X, 6), draw(raw_key, X, 3))
    submission.bootstrap.traces_once(draw(key, X, 6))
    submission.bootstrap.program_does_not_grow(draw(key, X, 16), draw(key, X, 64), draw(key, X, 256))
