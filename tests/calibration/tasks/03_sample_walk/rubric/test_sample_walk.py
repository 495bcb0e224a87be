"""A Gaussian random walk."""

import numpy as np

from rubrics import CheckFailed, criterion, key, raw_key

LENGTHS = range(200, 205)
"""Of many walks: no two of one length, so that a key made from the length alone shows in prng only."""


def parts_of(result):
    """The new key and the positions of a walk."""
    if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], np.ndarray)):
        raise CheckFailed("values.wrong_structure", {"expected": "a key and the positions"})
    return result


def is_a_key_and_a_walk(args, result):
    """Whether a result is a key of the given kind, and n float32 numbers."""
    new_key, positions = parts_of(result)
    given, n = args
    same_kind = isinstance(new_key, np.ndarray) and (new_key.dtype, new_key.shape) == (
        given.dtype,
        given.shape,
    )
    right_form = same_kind and positions.dtype == np.float32 and positions.shape == (n,)
    return right_form and bool(np.all(positions[:1] != 0))  # the starting point is not included


def steps_of(result):
    """What was added to reach each position."""
    return np.diff(np.ravel(parts_of(result)[1]), prepend=0)


@criterion("values", points=1, function="sample_walk")
def test_values(submission, draw):
    """A fresh key, and n standard normal steps added up."""
    submission.sample_walk.satisfies(
        is_a_key_and_a_walk,
        draw(key, 8),
        draw(raw_key, 8),
        draw(key, 1),
        draw(key, 0),
        says="a key and a walk",
    )
    submission.sample_walk.draws_normal(*(draw(key, n) for n in LENGTHS), steps=steps_of)


@criterion("purity", points=1, function="sample_walk")
def test_purity(submission, draw):
    """Depends on key and n alone."""
    submission.sample_walk.is_pure(draw(key, 8), draw(key, 5))


@criterion("prng", points=1, function="sample_walk")
def test_prng(submission, draw):
    """Each key is used once, and the returned one is fresh."""
    submission.sample_walk.threads_keys(
        draw(key, 8), draw(raw_key, 8), returns_key=0, draws=lambda _, result: steps_of(result)
    )


@criterion("jit", points=1, function="sample_walk")
def test_jit(submission, draw):
    """One program, however long the walk."""
    submission.sample_walk.traces(draw(key, 8), draw(raw_key, 8), draw(key, 1), draw(key, 0))
    submission.sample_walk.traces_once(draw(key, 8))
    submission.sample_walk.program_does_not_grow(draw(key, 64), draw(key, 128), draw(key, 256))
