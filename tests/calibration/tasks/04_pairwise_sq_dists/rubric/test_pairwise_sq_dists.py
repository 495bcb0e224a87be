"""Squared distances of all pairs of points."""

import numpy as np

from rubrics import criterion, f32, i32

POINTS = f32[5, 3], f32[4, 3]
SHAPES = (f32[6, 4], f32[6, 4]), (f32[4, 4], f32[4, 4]), (f32[1, 3], f32[7, 3]), (f32[5, 1], f32[3, 1])
EMPTY = (f32[0, 3], f32[4, 3]), (f32[3, 2], f32[0, 2])
WHOLE = i32[4, 3].between(-4, 4), i32[3, 3].between(-4, 4)
N, M, D = 24, 20, 16
ELEMENTS, STEPS = 4 * (N * M + N * D + M * D), N + M + D
NEAR = f32[9, 16].normal(100, 1e-3)


def is_not_negative(_, result):
    """Whether every entry has a root."""
    return isinstance(result, np.ndarray) and bool(np.all(result >= 0))


@criterion("values", points=1, function="pairwise_sq_dists")
def test_values(submission, reference, draw):
    """Right distances, none negative."""
    subject = submission.pairwise_sq_dists
    cases = (POINTS, *SHAPES, *EMPTY, WHOLE)
    subject.matches(
        reference.pairwise_sq_dists,
        *(draw(*args) for args in cases),
        *(draw.numpy(*args) for args in cases),
        atol=5e-4,
        rtol=1e-4,
    )
    subject.satisfies(is_not_negative, draw(NEAR, NEAR), draw.numpy(NEAR, NEAR), says="no negative entry")


@criterion("purity", points=1, function="pairwise_sq_dists")
def test_purity(submission, draw):
    """Depends on x and y alone."""
    submission.pairwise_sq_dists.is_pure(draw(*POINTS), draw(*SHAPES[0]))
    submission.pairwise_sq_dists.is_pure(draw.numpy(*POINTS))


@criterion("immutability", points=1, function="pairwise_sq_dists")
def test_immutability(submission, draw):
    """Leaves x and y alone."""
    submission.pairwise_sq_dists.leaves_inputs_unchanged(
        draw.numpy(*POINTS), draw(*POINTS), draw.numpy(*WHOLE)
    )


@criterion("jit", points=1, function="pairwise_sq_dists")
def test_jit(submission, draw):
    """One small and fast program, whatever the sizes."""
    subject = submission.pairwise_sq_dists
    subject.traces(*(draw(*args) for args in (POINTS, *SHAPES, *EMPTY, WHOLE)))
    subject.traces_once(draw(*POINTS))
    for sizes in (lambda n: (n, 6, 4), lambda n: (6, n, 4), lambda n: (5, 6, n)):
        subject.program_does_not_grow(*(draw(f32[n, d], f32[m, d]) for n, m, d in map(sizes, (8, 16, 32))))
    subject.needs_at_most(draw(f32[N, D], f32[M, D]), elements=ELEMENTS, steps=STEPS)
