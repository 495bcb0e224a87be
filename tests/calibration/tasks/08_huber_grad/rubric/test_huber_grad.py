"""The gradient of each example's Huber loss."""

import numpy as np

from rubrics import criterion, f32, i32

SMALL = f32[3], f32[5, 3], f32[5]
SHAPES = (f32[4].normal(0, 4), f32[4, 4].normal(0, 2), f32[4].normal(0, 5)), (f32[3], f32[1, 3], f32[1])
EDGES = (f32[1], f32[6, 1], f32[6].normal(0, 3)), (f32[3], f32[0, 3], f32[0])
EXACT = f32[3], np.zeros((4, 3), np.float32), np.zeros(4, np.float32)
FAR = f32[2], np.array([[1, 2], [3, -4]], np.float32), np.array([50, -50], np.float32)
WHOLE = f32[3], i32[5, 3].between(-3, 3), f32[5]
ALL = (SMALL, *SHAPES, *EDGES, EXACT, FAR, WHOLE)


@criterion("values", points=1, function="huber_grad")
def test_values(submission, reference, draw):
    """Row i is the gradient of example i."""
    submission.huber_grad.matches(
        reference.huber_grad, *(draw(*args) for args in ALL), *(draw.numpy(*args) for args in ALL)
    )


@criterion("purity", points=1, function="huber_grad")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.huber_grad.is_pure(draw(*SMALL), draw(*SHAPES[0]))
    submission.huber_grad.is_pure(draw.numpy(*SMALL))


@criterion("immutability", points=1, function="huber_grad")
def test_immutability(submission, draw):
    """Leaves w, x and y alone."""
    submission.huber_grad.leaves_inputs_unchanged(draw.numpy(*SMALL), draw(*SMALL), draw.numpy(*WHOLE))


@criterion("jit", points=1, function="huber_grad")
def test_jit(submission, draw):
    """One program for any number of examples."""
    submission.huber_grad.traces(*(draw(*args) for args in ALL))
    submission.huber_grad.traces_once(draw(*SMALL))
    submission.huber_grad.program_does_not_grow(*(draw(f32[3], f32[n, 3], f32[n]) for n in (8, 16, 32)))
