"""Glorot's uniform initialisation of a list of layers."""

import itertools

import numpy as np

from rubrics import CheckFailed, criterion, key, laws, raw_key

SIZES = (3, 5, 2), (4, 4, 4, 4), (2, 1)
WIDE = 60, 80


def layers(args, result):
    """Whether a result has the layers that the sizes ask for."""
    shapes = list(itertools.pairwise(args[1]))
    return (
        isinstance(result, list)
        and len(result) == len(shapes)
        and all(isinstance(layer, tuple) and len(layer) == 2 for layer in result)
        and all(
            isinstance(part, np.ndarray) and part.dtype == np.float32 for layer in result for part in layer
        )
        and all(
            w.shape == shape and b.shape == shape[1:] for (w, b), shape in zip(result, shapes, strict=True)
        )
        and not any(b.any() for _, b in result)
    )


def weights(result):
    """All weights, each divided by its layer's bound."""
    if not isinstance(result, list) or not all(isinstance(layer, tuple) for layer in result):
        raise CheckFailed("values.wrong_structure", {"expected": "a list of layers"})
    return np.concatenate([np.ravel(w) / np.sqrt(6 / sum(w.shape)) for w, _ in result])


@criterion("values", points=1, function="glorot")
def test_values(submission, draw):
    """Layers of the right shapes, weights of the right spread."""
    submission.glorot.satisfies(layers, *(draw(key, sizes) for sizes in SIZES), says="a list of layers")
    submission.glorot.draws_from(
        laws.uniform(-1, 1), draw(key, WIDE), numbers=lambda _, result: weights(result)
    )


@criterion("purity", points=1, function="glorot")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.glorot.is_pure(draw(key, (3, 5, 2)), draw(key, (4, 4)))


@criterion("prng", points=1, function="glorot")
def test_prng(submission, draw):
    """All layers are drawn from keys of their own."""
    submission.glorot.threads_keys(
        draw(key, (4, 4, 4)), draw(raw_key, (3, 5, 2)), draws=lambda _, result: weights(result)
    )


@criterion("jit", points=1, function="glorot")
def test_jit(submission, draw):
    """Works under jit with static sizes."""
    submission.glorot.traces(draw(key, (3, 5, 2)), draw(raw_key, (2, 1)))
    submission.glorot.traces_once(draw(key, (3, 5, 2)))
