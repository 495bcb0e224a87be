"""Attention over padded batches."""

import numpy as np

from rubrics import bf16, criterion, f32, i32

PLAIN = f32[3, 4, 5], f32[3, 6, 5], f32[3, 6, 2], i32[3].full(6, 2, 4)
SQUARE = f32[2, 4, 4], f32[2, 4, 4], f32[2, 4, 4], i32[2].full(3, 4)
NOTHING = f32[2, 3, 4], f32[2, 5, 4], f32[2, 5, 3], i32[2].full(0, 5)
ONE = f32[1, 1, 1], f32[1, 1, 1], f32[1, 1, 1], i32[1].full(1)
LARGE = f32[2, 3, 4].normal(0, 60), f32[2, 5, 4].normal(0, 60), f32[2, 5, 3], i32[2].full(5, 3)
HALF = bf16[2, 3, 4], bf16[2, 5, 4], bf16[2, 5, 3], i32[2].full(5, 2)
PADDED = np.array([[[1, 0], [0, 1], [np.nan, np.nan]]], np.float32)
STRANGE = f32[1, 2, 2], PADDED, PADDED, i32[1].full(2)


@criterion("values", points=1, function="attend")
def test_values(submission, reference, draw):
    """Right averages, whatever the padding."""
    cases = (PLAIN, SQUARE, NOTHING, ONE, LARGE, STRANGE)
    submission.attend.matches(
        reference.attend,
        *(draw(*args) for args in cases),
        *(draw.numpy(*args) for args in cases),
        atol=1e-4,
        rtol=1e-3,
    )


@criterion("dtype", points=1, function="attend")
def test_dtype(submission, draw):
    """Of q's type."""
    submission.attend.keeps_dtype(draw(*HALF), draw(*PLAIN))
    submission.attend.does_not_narrow(draw(*PLAIN))


@criterion("purity", points=1, function="attend")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.attend.is_pure(draw(*PLAIN), draw(*SQUARE))
    submission.attend.is_pure(draw.numpy(*PLAIN))


@criterion("immutability", points=1, function="attend")
def test_immutability(submission, draw):
    """Leaves the arguments alone."""
    submission.attend.leaves_inputs_unchanged(draw.numpy(*PLAIN), draw(*PLAIN), draw.numpy(*NOTHING))


@criterion("jit", points=1, function="attend")
def test_jit(submission, draw):
    """One program, whatever the sizes."""
    subject = submission.attend
    subject.traces(*(draw(*args) for args in (PLAIN, SQUARE, NOTHING, ONE)))
    subject.traces_once(draw(*PLAIN))
    for sizes in (lambda n: (n, 4, 4), lambda n: (4, n, 4), lambda n: (4, 4, n)):
        subject.program_does_not_grow(
            *(
                draw(f32[b, n, 3], f32[b, m, 3], f32[b, m, 3], i32[b].full(2))
                for b, n, m in map(sizes, (8, 16, 32))
            )
        )


@criterion("transforms", points=1, function="attend")
def test_transforms(submission, reference, draw):
    """Has the right slope, also where there is nothing to attend to."""
    submission.attend.gradient_matches(
        reference.attend, draw(*PLAIN), draw(*NOTHING), wrt=0, atol=1e-3, rtol=1e-3
    )
