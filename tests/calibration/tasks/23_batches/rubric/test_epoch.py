"""Shuffled mini-batches."""

import numpy as np

from rubrics import CheckFailed, criterion, f32, i32, key, laws, raw_key

X = np.arange(24, dtype=np.float32).reshape(12, 2)
Y = np.arange(12, dtype=np.int32) * 2


def batches(result):
    """The batches of x and y."""
    parts = result if isinstance(result, tuple) else ()
    if len(parts) != 3 or not all(isinstance(part, np.ndarray) for part in parts):
        raise CheckFailed("values.wrong_structure", {"expected": "a key and two arrays"})
    return result[1:]


def takes_each_example_once(args, result):
    """Whether batches of the right form hold no example twice, and its y beside each x."""
    _, x, y, size = args
    xb, yb = batches(result)
    m = len(x) // size
    if xb.shape != (m, size, x.shape[1]) or yb.shape != (m, size):
        return False
    if (xb.dtype, yb.dtype) != (x.dtype, y.dtype):
        return False
    found = np.searchsorted(x[:, 0], xb.reshape(-1, x.shape[1])[:, 0])
    rows = found[found < len(x)]
    if len(set(rows)) != m * size or not np.array_equal(x[rows], xb.reshape(-1, x.shape[1])):
        return False
    return bool(np.array_equal(y[rows], yb.reshape(-1)))


def place_of_the_first(_, result):
    """Where the first example ended up."""
    return np.flatnonzero(batches(result)[1].ravel() == Y[0])


def first_two(_, result):
    """Whether the second example came later than the first."""
    order = batches(result)[1].ravel()
    return np.flatnonzero(order == Y[1]) > np.flatnonzero(order == Y[0])


@criterion("values", points=1, function="epoch")
def test_values(submission, draw):
    """Each example once, in an order that is random."""
    f = submission.epoch
    cases = draw(key, X, Y, 4), draw(raw_key, X, Y, 5), draw(key, X, Y, 12), draw.numpy(key, X, Y, 5)
    f.satisfies(takes_each_example_once, *cases, says="each example once, x and y alike")
    f.draws_from(laws.integers(0, 11), draw(key, X, Y, 12), numbers=place_of_the_first)
    f.draws_from(laws.bernoulli(0.5), draw(key, X, Y, 12), numbers=first_two)


@criterion("purity", points=1, function="epoch")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.epoch.is_pure(draw(key, X, Y, 4), draw(key, f32[6, 3], i32[6], 2))


@criterion("immutability", points=1, function="epoch")
def test_immutability(submission, draw):
    """Leaves x and y alone."""
    submission.epoch.leaves_inputs_unchanged(draw.numpy(key, X, Y, 4), draw(key, X, Y, 4))


@criterion("prng", points=1, function="epoch")
def test_prng(submission, draw):
    """Each key is used once."""
    submission.epoch.threads_keys(draw(key, X, Y, 4), draw(raw_key, X, Y, 5), returns_key=0)


@criterion("jit", points=1, function="epoch")
def test_jit(submission, draw):
    """Works under jit with a static size."""
    submission.epoch.traces(draw(key, X, Y, 4), draw(raw_key, X, Y, 5))
    submission.epoch.traces_once(draw(key, X, Y, 4))
