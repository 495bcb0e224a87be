"""One check for each kind of point of each function: what an attack is after is earned whole or not at all.

The cases of a check differ in shape, so that nothing is right by luck.
"""

import numpy as np

from rubrics import CheckFailed, criterion, f32, key

ROWS, POINTS, OTHERS = f32[6, 4], f32[5, 3], f32[4, 3]
SQUARE, DIAGONAL = f32[5, 5], f32[5]
STEPS, WALKS = 8, 320


# --- normalize ---------------------------------------------------------------------------------------


@criterion("values", points=4, function="normalize")
def test_is_right(submission, reference, draw):
    """Each row has mean 0 and standard deviation 1."""
    cases = draw(ROWS), draw(f32[3, 7].normal(3, 2)), draw(ROWS.normal(-2, 0.1))
    submission.normalize.matches(reference.normalize, *cases, atol=1e-3, rtol=1e-3)


@criterion("purity", points=2, function="normalize")
def test_is_pure(submission, draw):
    """Nothing but the result changes, and the result depends on x alone."""
    submission.normalize.is_pure(draw(ROWS))


@criterion("jit", points=2, function="normalize")
def test_is_traceable(submission, draw):
    """jax.jit(normalize) works and agrees with the plain call."""
    submission.normalize.traces(draw(ROWS))


# --- set_diagonal ------------------------------------------------------------------------------------


@criterion("values", points=4, function="set_diagonal")
def test_diagonal_is_right(submission, reference, draw):
    """The diagonal is v, and everything else stays."""
    cases = draw(SQUARE, DIAGONAL), draw(SQUARE, 2.5), draw(f32[9, 9], f32.scalar(-1.5)), draw(f32[3, 3], 0.5)
    submission.set_diagonal.matches(reference.set_diagonal, *cases, atol=0, rtol=0)


@criterion("immutability", points=2, function="set_diagonal")
def test_leaves_a_and_v_alone(submission, draw):
    """a and v are the same after the call, be they NumPy or JAX arrays."""
    submission.set_diagonal.leaves_inputs_unchanged(draw.numpy(SQUARE, DIAGONAL), draw(SQUARE, DIAGONAL))


@criterion("purity", points=2, function="set_diagonal")
def test_depends_on_a_and_v_alone(submission, draw):
    """Nothing but the result changes, and the result depends on a and v alone."""
    submission.set_diagonal.is_pure(draw(SQUARE, DIAGONAL))


# --- sample_walk -------------------------------------------------------------------------------------


def positions_of(result):
    """The positions of a walk, if the result is a pair that has any."""
    ok = isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], np.ndarray)
    if not ok or result[1].ndim != 1 or result[1].dtype != np.float32:
        about = {"function": "sample_walk", "where": "the positions"}
        raise CheckFailed("values.wrong_structure", {**about, "expected": "n + 1 numbers", "found": "none"})
    return result[1]


def steps_of(result):
    """The steps of a walk, rounded: sums differ in their last digits."""
    return np.diff(positions_of(result)).round(4)


def starts_at_zero(args, result):
    """Whether there are n + 1 positions and the first is 0."""
    positions = positions_of(result)
    return positions.shape == (args[1] + 1,) and positions[0] == 0


@criterion("values", points=4, function="sample_walk")
def test_walk_is_right(submission, draw):
    """n + 1 positions from 0, with independent standard normal steps."""
    walks = [draw(key, STEPS) for _ in range(WALKS)]
    submission.sample_walk.satisfies(starts_at_zero, *walks[:2], says="n + 1 positions, the first of them 0")
    submission.sample_walk.draws_normal(*walks, steps=lambda result: np.diff(positions_of(result)))


@criterion("prng", points=4, function="sample_walk")
def test_threads_its_keys(submission, draw):
    """All randomness comes from key, each key is used once, and the returned one is fresh."""
    submission.sample_walk.threads_keys(
        draw(key, STEPS), draw(key, STEPS + 1), returns_key=0, draws=lambda _, result: steps_of(result)
    )


@criterion("jit", points=2, function="sample_walk")
def test_walk_is_traceable(submission, draw):
    """jax.jit(sample_walk, static_argnames="n") works and agrees with the plain call."""
    submission.sample_walk.traces(draw(key, STEPS))


# --- pairwise_sq_dists -------------------------------------------------------------------------------


@criterion("values", points=4, function="pairwise_sq_dists")
def test_distances_are_right(submission, reference, draw):
    """Entry (i, j) is the squared distance of x[i] and y[j]."""
    cases = draw(POINTS, OTHERS), draw(f32[7, 2].normal(2, 3), f32[3, 2])
    submission.pairwise_sq_dists.matches(reference.pairwise_sq_dists, *cases, atol=5e-4, rtol=1e-4)


@criterion("purity", points=2, function="pairwise_sq_dists")
def test_depends_on_x_and_y_alone(submission, draw):
    """Nothing but the result changes, and the result depends on x and y alone."""
    submission.pairwise_sq_dists.is_pure(draw(POINTS, OTHERS))


@criterion("jit", points=2, function="pairwise_sq_dists")
def test_points_can_be_traced(submission, draw):
    """jax.jit(pairwise_sq_dists) works, agrees with the plain call, and is one program for equal shapes."""
    submission.pairwise_sq_dists.traces(draw(POINTS, OTHERS))
    submission.pairwise_sq_dists.traces_once(draw(POINTS, OTHERS))
    submission.pairwise_sq_dists.program_does_not_grow(draw(POINTS, OTHERS), draw(f32[20, 24], f32[16, 24]))


@criterion("jit", points=3, function="pairwise_sq_dists")
def test_is_fast(submission, baseline, draw):
    """At least 10 times faster than a loop over all pairs and coordinates."""
    submission.pairwise_sq_dists.is_faster_than(
        baseline.pairwise_sq_dists, at_least=10, on=draw(f32[96, 32], f32[96, 32])
    )


# --- smooth ------------------------------------------------------------------------------------------


@criterion("values", points=4, function="smooth")
def test_smooths(submission, reference, draw):
    """The ends are repeated, and the rounds are one loop of jax.lax."""
    submission.smooth.matches(reference.smooth, draw(f32[8], 3), draw(f32[11], 0), atol=1e-3, rtol=1e-3)
    submission.smooth.program_does_not_grow(draw(f32[8], 9), draw(f32[8], 60))


@criterion("purity", points=2, function="smooth")
def test_depends_on_x_and_n_steps_alone(submission, draw):
    """Nothing but the result changes, and the result depends on x and n_steps alone."""
    submission.smooth.is_pure(draw(f32[8], 3))


@criterion("jit", points=2, function="smooth")
def test_signal_can_be_traced(submission, draw):
    """jax.jit(smooth) works and agrees with the plain call."""
    submission.smooth.traces(draw(f32[8], 3))
