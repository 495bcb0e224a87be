"""Piecewise linear functions from a table."""

import numpy as np

from rubrics import criterion, f32, i32, oracles

KNOTS = np.array([-2.0, -1.5, 0.0, 0.25, 3.0], np.float32)
PLAIN = f32[7].between(-1.9, 2.9), KNOTS, f32[5]
GRID = f32[3, 5].between(-5, 5), KNOTS, f32[5]
CORNERS = (f32[4], np.array([0.5], np.float32), f32[1]), (f32[0], KNOTS, f32[5]), (f32[()], KNOTS, f32[5])
AT_KNOTS = KNOTS, KNOTS, f32[5]
WHOLE = i32[6].between(-4, 4), KNOTS, f32[5]


@criterion("values", points=1, function="lookup")
def test_values(submission, reference, draw):
    """Right values, also at the points and outside."""
    cases = (PLAIN, GRID, *CORNERS, AT_KNOTS, WHOLE)
    submission.lookup.matches(
        reference.lookup, *(draw(*args) for args in cases), *(draw.numpy(*args) for args in cases)
    )


@criterion("purity", points=1, function="lookup")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.lookup.is_pure(draw(*PLAIN), draw(*GRID))
    submission.lookup.is_pure(draw.numpy(*PLAIN))


@criterion("immutability", points=1, function="lookup")
def test_immutability(submission, draw):
    """Leaves the table alone."""
    submission.lookup.leaves_inputs_unchanged(draw.numpy(*PLAIN), draw(*PLAIN), draw.numpy(*CORNERS[0]))


@criterion("jit", points=1, function="lookup")
def test_jit(submission, draw):
    """One program, whatever the sizes."""
    subject = submission.lookup
    subject.traces(*(draw(*args) for args in (PLAIN, GRID, *CORNERS)))
    subject.traces_once(draw(*PLAIN))
    knots = {m: np.linspace(-2, 2, m, dtype=np.float32) for m in (8, 16, 32)}
    subject.program_does_not_grow(*(draw(f32[4], knots[m], f32[m]) for m in knots))
    subject.program_does_not_grow(*(draw(f32[n], KNOTS, f32[5]) for n in (8, 16, 32)))


@criterion("transforms", points=1, function="lookup")
def test_transforms(submission, reference, draw):
    """Slopes, and rows of points."""
    subject = submission.lookup
    subject.gradient_matches(oracles.finite_differences(reference.lookup), draw(*PLAIN), wrt=2)
    subject.gradient_matches(reference.lookup, draw(f32[6].between(4, 9), KNOTS, f32[5]), draw(*PLAIN))
    subject.maps_over(draw(f32[4, 3], KNOTS, f32[5]), mapped=(0,))
