"""A signal, smoothed n times."""

import numpy as np

from rubrics import criterion, f32, i32

SIGNALS = (f32[8], 3), (f32[8], 0), (f32[8], 1), (f32[1], 5), (f32[2], 2), (i32[6], 2), (f32[16], 40)
AT_THE_END = np.array([0, 0, 0, 0, 0, 0, 9], np.float32), 2
SLOW = np.cumsum(np.random.default_rng(3).normal(size=200)).astype(np.float32) * np.float32(0.3)


@criterion("values", points=1, function="smooth")
def test_values(submission, reference, draw):
    """Right values after any number of steps."""
    cases = (*SIGNALS, AT_THE_END, (SLOW, 1500))
    submission.smooth.matches(
        reference.smooth,
        *(draw.numpy(*args) for args in cases),
        *(draw(*args) for args in cases),
        atol=1e-3,
        rtol=1e-3,
    )


@criterion("purity", points=1, function="smooth")
def test_purity(submission, draw):
    """Depends on x and n_steps alone."""
    submission.smooth.is_pure(draw(f32[8], 3), draw(f32[6], 2))
    submission.smooth.is_pure(draw.numpy(f32[8], 3))


@criterion("immutability", points=1, function="smooth")
def test_immutability(submission, draw):
    """Leaves x alone."""
    submission.smooth.leaves_inputs_unchanged(
        draw.numpy(f32[8], 3), draw(f32[8], 3), draw.numpy(f32[8], 0), draw.numpy(f32[1], 5)
    )


@criterion("jit", points=1, function="smooth")
def test_jit(submission, draw):
    """One program for any number of steps."""
    submission.smooth.traces(*(draw(spec, i32.scalar(n)) for spec, n in SIGNALS), draw(f32[8], 3))
    submission.smooth.traces_once(draw(f32[8], 3))
