"""A Metropolis chain whose target is the standard normal distribution."""

import numpy as np

from rubrics import CheckFailed, criterion, f32, key, raw_key

X0 = f32[()].between(-1, 1)


def chain_of(result):
    """The states of a chain."""
    if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], np.ndarray)):
        raise CheckFailed("values.wrong_structure", {"expected": "a key and the samples"})
    return result[1]


def is_a_key_and_a_chain(args, result):
    """Whether a result is a key of the given kind, and n float32 states."""
    new_key, samples = result[0], chain_of(result)
    given, _, n, _ = args
    kept = isinstance(new_key, np.ndarray) and (new_key.dtype, new_key.shape) == (given.dtype, given.shape)
    return kept and samples.dtype == np.float32 and samples.shape == (n,)


def explores_the_target(_, result):
    """Whether the states spread as they should, and about 70 % of the moves are accepted."""
    samples = chain_of(result).astype(float)
    moved = np.mean(np.diff(samples) != 0)
    return bool(abs(samples.mean()) < 0.7 and 0.4 < samples.var() < 2 and 0.6 < moved < 0.8)


@criterion("values", points=1, function="metropolis")
def test_values(submission, draw):
    """A chain that explores N(0, 1)."""
    f = submission.metropolis
    f.satisfies(
        is_a_key_and_a_chain, draw(key, X0, 8, 1.0), draw(raw_key, X0, 3, 0.5), says="a key and a chain"
    )
    f.satisfies(
        explores_the_target,
        draw(key, X0, 600, 1.0),
        says="states distributed as N(0, 1), of which about 70 % are new",
    )


@criterion("purity", points=1, function="metropolis")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.metropolis.is_pure(draw(key, X0, 6, 1.0), draw(key, X0, 4, 1.0))


@criterion("prng", points=1, function="metropolis")
def test_prng(submission, draw):
    """Each key is used once."""
    submission.metropolis.threads_keys(draw(key, X0, 6, 1.0), draw(raw_key, X0, 6, 1.0), returns_key=0)


@criterion("jit", points=1, function="metropolis")
def test_jit(submission, draw):
    """One program."""
    f = submission.metropolis
    f.traces(draw(key, X0, 6, 1.0), draw(raw_key, X0, 5, f32.scalar(0.5)))
    f.traces_once(draw(key, X0, 6, 1.0))
    f.program_does_not_grow(draw(key, X0, 16, 1.0), draw(key, X0, 64, 1.0), draw(key, X0, 256, 1.0))
