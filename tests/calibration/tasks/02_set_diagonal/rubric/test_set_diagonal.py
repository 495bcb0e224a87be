"""A new matrix with another diagonal."""

import numpy as np

from rubrics import bf16, criterion, f32, i32

SQUARE = f32[4, 4], f32[4]
SCALAR = f32[3, 3], 2.5
SHAPES = (f32[3, 6], f32[3]), (f32[6, 3], f32[3]), (f32[1, 1], f32[1]), (f32[0, 0], 1.0), (f32[2, 5], -1.0)
WHOLE = (i32[4, 4], 7), (i32[3, 4], i32[3])
HALF = bf16[4, 4], bf16[4]
STRANGE = np.array([[1, 2, 3], [4, np.nan, 5], [6, 7, np.inf]], np.float32)


@criterion("values", points=1, function="set_diagonal")
def test_values(submission, reference, draw):
    """Exactly the right entries."""
    cases = [SQUARE, SCALAR, *SHAPES, *WHOLE, (STRANGE, f32[3]), (STRANGE, 0.0)]
    submission.set_diagonal.matches(
        reference.set_diagonal,
        *(draw(*args) for args in cases),
        *(draw.numpy(*args) for args in cases),
        draw(*HALF),
        draw(f32[4, 4], f32[()]),
        atol=0,
        rtol=0,
    )


@criterion("purity", points=1, function="set_diagonal")
def test_purity(submission, draw):
    """Depends on a and v alone."""
    submission.set_diagonal.is_pure(draw(*SQUARE), draw(*SCALAR))
    submission.set_diagonal.is_pure(draw.numpy(*SQUARE))


@criterion("immutability", points=1, function="set_diagonal")
def test_immutability(submission, draw):
    """Leaves a and v alone."""
    submission.set_diagonal.leaves_inputs_unchanged(
        draw.numpy(*SQUARE), draw(*SQUARE), draw.numpy(*SCALAR), draw(*SCALAR), draw.numpy(*WHOLE[1])
    )


@criterion("jit", points=1, function="set_diagonal")
def test_jit(submission, draw):
    """One program, whatever the size."""
    submission.set_diagonal.traces(*(draw(*args) for args in (SQUARE, SCALAR, *SHAPES, *WHOLE)))
    submission.set_diagonal.traces_once(draw(*SQUARE))
    submission.set_diagonal.program_does_not_grow(
        draw(f32[8, 8], f32[8]), draw(f32[16, 16], f32[16]), draw(f32[32, 32], f32[32])
    )
