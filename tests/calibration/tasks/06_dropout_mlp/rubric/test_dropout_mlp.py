"""A multi-layer perceptron with dropout."""

import itertools

import numpy as np

from rubrics import CheckFailed, criterion, f32, key, raw_key

SIZES = (3, 5, 2), (4, 4, 4, 4), (2, 1)
WIDE = (64, 64)
ROWS, WIDTH = 100, 100


def mlp(*sizes):
    """Layers to draw."""
    return [{"w": f32[m, n], "b": f32[n]} for m, n in itertools.pairwise(sizes)]


SMALL = mlp(3, 8, 2), key, f32[5, 3]
DEEP = mlp(3, 8, 8, 2), key, f32[5, 3]
COPYING = [
    {"w": np.ones((3, WIDTH), np.float32), "b": np.full(WIDTH, 0.5, np.float32)},
    {"w": np.eye(WIDTH, dtype=np.float32), "b": np.zeros(WIDTH, np.float32)},
]
"""All hidden units hold the same positive number, and the last layer hands them out."""
EQUAL_ROWS = np.ones((ROWS, 3), np.float32)


def is_a_list_of_layers(args, result):
    """Whether a result has the layers that the sizes ask for."""
    shapes = list(itertools.pairwise(args[1]))
    return (
        isinstance(result, list)
        and len(result) == len(shapes)
        and all(isinstance(layer, dict) and layer.keys() == {"w", "b"} for layer in result)
        and all(isinstance(part, np.ndarray) for layer in result for part in layer.values())
        and all(layer["w"].shape == shape for layer, shape in zip(result, shapes, strict=True))
        and all(layer["b"].shape == shape[1:] for layer, shape in zip(result, shapes, strict=True))
        and all(part.dtype == np.float32 for layer in result for part in layer.values())
        and not any(layer["b"].any() for layer in result)
    )


def weights_of(result):
    """All weights, layer after layer."""
    if not (isinstance(result, list) and all(isinstance(layer, dict) and "w" in layer for layer in result)):
        raise CheckFailed("values.wrong_structure", {"expected": "a list of layers"})
    return np.concatenate([np.ravel(layer["w"]) for layer in result])


def drops_and_rescales(args, result):
    """Whether hidden units are zero or divided by 1 - rate, in the right shares, differently in each row."""
    kept = np.float32(3.5 / (1 - args[3]))
    if not (isinstance(result, np.ndarray) and result.shape == (ROWS, WIDTH)):
        return False
    share = np.mean(np.abs(result - kept) < 1e-3)
    values_right = np.all((np.abs(result - kept) < 1e-3) | (np.abs(result) < 1e-6))
    return bool(
        values_right and abs(share - (1 - args[3])) < 0.05 and len(np.unique(result, axis=0)) > ROWS / 2
    )


@criterion("values", points=1, function="init")
def test_init(submission, draw):
    """Layers of the right shapes, weights of the right spread."""
    submission.init.satisfies(
        is_a_list_of_layers, *(draw(key, sizes) for sizes in SIZES), says="a list of layers"
    )
    submission.init.draws_normal(draw(key, WIDE), steps=weights_of, std=(2 / 64) ** 0.5, shape="any")


@criterion("values", points=1, function="apply")
def test_values(submission, reference, draw):
    """Right values without dropout, and inverted dropout with it."""
    still = [
        (*DEEP, 0.3, False),
        (mlp(3, 5, 2), None, f32[4, 3], 0.5, False),
        (*SMALL, 0.0, True),
        (mlp(2, 2), key, f32[1, 2], 0.5, True),
    ]
    submission.apply.matches(
        reference.apply, *(draw(*args) for args in still), *(draw.numpy(*args) for args in still)
    )
    for rate in (0.5, 0.25):
        submission.apply.satisfies(
            drops_and_rescales, draw(COPYING, key, EQUAL_ROWS, rate, True), says="inverted dropout"
        )


@criterion("purity", points=1, function="init")
def test_init_purity(submission, draw):
    """Weights depend on the arguments alone."""
    submission.init.is_pure(draw(key, (3, 5, 2)), draw(key, (4, 4)))


@criterion("purity", points=1, function="apply")
def test_purity(submission, draw):
    """The result depends on the arguments alone."""
    submission.apply.is_pure(draw(*SMALL, 0.5, True), draw(*DEEP, 0.5, False))


@criterion("immutability", points=1, function="apply")
def test_immutability(submission, draw):
    """Leaves params and x alone."""
    submission.apply.leaves_inputs_unchanged(
        draw.numpy(*DEEP, 0.5, True), draw(*SMALL, 0.5, True), draw.numpy(*DEEP, 0.5, False)
    )


@criterion("prng", points=1, function="init")
def test_init_prng(submission, draw):
    """Each key is used once: all layers have different weights."""
    submission.init.threads_keys(
        draw(key, (4, 4, 4)), draw(raw_key, (3, 5, 2)), draws=lambda _, result: weights_of(result)
    )


@criterion("prng", points=1, function="apply")
def test_prng(submission, draw):
    """Each key is used once: all layers and rows have different masks."""
    submission.apply.threads_keys(draw(*DEEP, 0.5, True), draw(mlp(3, 8, 2), raw_key, f32[5, 3], 0.5, True))
    submission.apply.threads_keys(
        draw(COPYING, key, EQUAL_ROWS, 0.5, True), draws=lambda _, result: np.atleast_1d(result)
    )


@criterion("jit", points=1, function="init")
def test_init_jit(submission, draw):
    """jax.jit works with static sizes."""
    submission.init.traces(draw(key, (3, 5, 2)), draw(raw_key, (2, 1)))
    submission.init.traces_once(draw(key, (3, 5, 2)))


@criterion("jit", points=1, function="apply")
def test_jit(submission, draw):
    """jax.jit works with a traced rate."""
    submission.apply.traces(
        draw(*SMALL, 0.5, True), draw(*DEEP, 0.25, False), draw(*SMALL, f32.scalar(0.5), True),
        draw(mlp(3, 5, 2), None, f32[4, 3], 0.5, False),
    )  # fmt: skip
    submission.apply.traces_once(draw(*SMALL, 0.5, True))
