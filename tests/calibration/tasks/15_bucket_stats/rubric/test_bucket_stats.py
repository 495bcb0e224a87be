"""Sums by bucket, with ids that are not to be trusted."""

import numpy as np

from rubrics import bf16, criterion, f32, i32

PLAIN = f32[20], i32[20].between(0, 4), 5
STRAY = f32[20], i32[20].between(-3, 8), 4
CORNERS = (f32[0], i32[0], 3), (f32[1], i32[1].full(0), 1), (f32[6], i32[6].full(7), 2)
NEGATIVE = f32[12].between(-9, -1), i32[12].between(0, 2), 3
WHOLE_NUMBERS = np.array([1, 2, 4, 8, 16, 32], np.float32), np.array([0, -1, 2, 3, 1, -3], np.int32), 3
HALF = bf16[8], i32[8].between(0, 2), 3


@criterion("values", points=1, function="bucket_stats")
def test_values(submission, reference, draw):
    """Right numbers, whatever the ids."""
    cases = (PLAIN, STRAY, *CORNERS, NEGATIVE, WHOLE_NUMBERS)
    submission.bucket_stats.matches(
        reference.bucket_stats, *(draw(*args) for args in cases), *(draw.numpy(*args) for args in cases)
    )


@criterion("dtype", points=1, function="bucket_stats")
def test_dtype(submission, reference, draw):
    """Sums of the values' type, and nothing narrowed."""
    submission.bucket_stats.matches(reference.bucket_stats, draw(*HALF))
    submission.bucket_stats.does_not_narrow(draw(*PLAIN))
    submission.bucket_stats.gives_strong_types(draw(*PLAIN))


@criterion("purity", points=1, function="bucket_stats")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.bucket_stats.is_pure(draw(*PLAIN), draw(*STRAY))
    submission.bucket_stats.is_pure(draw.numpy(*PLAIN))


@criterion("immutability", points=1, function="bucket_stats")
def test_immutability(submission, draw):
    """Leaves values and ids alone."""
    submission.bucket_stats.leaves_inputs_unchanged(draw.numpy(*STRAY), draw(*STRAY), draw.numpy(*CORNERS[1]))


@criterion("jit", points=1, function="bucket_stats")
def test_jit(submission, draw):
    """One program, whatever the sizes."""
    subject = submission.bucket_stats
    subject.traces(*(draw(*args) for args in (PLAIN, STRAY, *CORNERS)))
    subject.traces_once(draw(*PLAIN))
    subject.program_does_not_grow(*(draw(f32[n], i32[n].between(0, 2), 3) for n in (8, 16, 32)))
    subject.program_does_not_grow(*(draw(f32[9], i32[9].between(0, 2), k) for k in (8, 16, 32)))
