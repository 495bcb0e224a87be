"""Clusters by a loop that ends when nothing changes."""

import numpy as np

from rubrics import criterion, f32, i32

PLAIN = f32[12, 2], f32[3, 2], 20
SQUARE = f32[4, 4], f32[4, 4], 3
CORNERS = (f32[6, 2], f32[3, 2], 0), (f32[1, 3], f32[2, 3], 5), (f32[9, 1], f32[1, 1], 1)
EMPTY = f32[8, 2], np.array([[0, 0], [100, 100], [-90, 3]], np.float32), 10
TIES = np.array([[0.0], [1.0], [2.0], [3.0]], np.float32), np.array([[0.0], [2.0]], np.float32), 7
WHOLE = i32[10, 2], i32[3, 2], 4


@criterion("values", points=1, function="kmeans")
def test_values(submission, reference, draw):
    """Right centers and labels."""
    cases = (PLAIN, SQUARE, *CORNERS, EMPTY, TIES, WHOLE)
    submission.kmeans.matches(
        reference.kmeans, *(draw(*args) for args in cases), *(draw.numpy(*args) for args in cases)
    )


@criterion("purity", points=1, function="kmeans")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.kmeans.is_pure(draw(*PLAIN), draw(*SQUARE))
    submission.kmeans.is_pure(draw.numpy(*PLAIN))


@criterion("immutability", points=1, function="kmeans")
def test_immutability(submission, draw):
    """Leaves points and centers alone."""
    submission.kmeans.leaves_inputs_unchanged(draw.numpy(*PLAIN), draw(*PLAIN), draw.numpy(*CORNERS[0]))


@criterion("jit", points=1, function="kmeans")
def test_jit(submission, draw):
    """One program for any number of steps."""
    subject = submission.kmeans
    subject.traces(*(draw(p, c, i32.scalar(n)) for p, c, n in (PLAIN, SQUARE, CORNERS[0], EMPTY)))
    subject.traces_once(draw(*PLAIN))
    for sizes in (lambda n: (n, 3), lambda n: (6, n)):
        subject.program_does_not_grow(*(draw(f32[n, 2], f32[k, 2], 3) for n, k in map(sizes, (8, 16, 32))))
