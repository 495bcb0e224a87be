"""The checks of "The functional core of JAX". A check's docstring is the title that students read.

Shapes are few and shared on purpose: every new shape of a function costs another compilation. Purity and
immutability are judged on inputs that give no other trouble: other checks are there to find that.
"""

import numpy as np

from rubrics import CheckFailed, bf16, criterion, f32, i32, key, raw_key

ROWS = f32[6, 4]
SQUARE, DIAGONAL = f32[4, 4], f32[4]
WITH_NAN = np.array([[1, 2, 3, 4], [5, np.nan, 7, 8], [9, 1, np.inf, 2], [3, 4, 5, 6]], np.float32)
POINTS, OTHERS = f32[5, 3], f32[4, 3]
STEPS, WALKS = 8, 320


# --- normalize: 19 points ---------------------------------------------------------------------------


@criterion("values", points=4, function="normalize")
def test_rows_are_standardised(submission, reference, draw):
    """Each row has mean 0 and standard deviation 1."""
    submission.normalize.matches(
        reference.normalize, draw(ROWS), draw(SQUARE.normal(3, 2)), atol=1e-3, rtol=1e-3
    )


@criterion("values", points=2, function="normalize")
def test_epsilon_is_outside_the_root(submission, reference, draw):
    """The 1e-6 is added to the standard deviation, not under the root."""
    submission.normalize.matches(reference.normalize, draw(ROWS.normal(0, 1e-3)), atol=1e-3, rtol=1e-3)


@criterion("values", points=2, function="normalize", lesson="#data-types")
def test_types_follow_the_text(submission, reference, draw):
    """bfloat16 stays bfloat16, and integers become float32."""
    integers = i32[6, 4].between(-9, 9)
    submission.normalize.matches(reference.normalize, draw(integers), atol=1e-3, rtol=1e-3)
    submission.normalize.matches(reference.normalize, draw(bf16[6, 4]), atol=6e-2, rtol=6e-2)


@criterion("values", points=2, function="normalize", visibility="after_due")
def test_edge_cases_follow_the_text(submission, reference, draw):
    """Constant rows and single columns give zeros; no rows give no rows."""
    constant_rows, one_column, no_rows = ROWS.full(3), f32[6, 1], f32[0, 4]
    far_from_zero = ROWS.normal(1000, 1)
    submission.normalize.matches(
        reference.normalize, draw(constant_rows), draw(one_column), draw(no_rows), atol=1e-3, rtol=1e-3
    )
    submission.normalize.matches(reference.normalize, draw(far_from_zero), atol=5e-3, rtol=5e-3)


@criterion("purity", points=3, function="normalize")
def test_depends_on_x_alone(submission, draw):
    """Nothing but the result changes, and the result depends on x alone."""
    submission.normalize.is_pure(draw(SQUARE))


@criterion("immutability", points=2, function="normalize")
def test_x_is_left_alone(submission, draw):
    """x is the same after the call, be it a NumPy or a JAX array."""
    submission.normalize.leaves_inputs_unchanged(draw.numpy(SQUARE), draw(SQUARE))


@criterion("jit", points=2, function="normalize")
def test_works_under_jit(submission, draw):
    """jax.jit(normalize) works and agrees with the plain call."""
    submission.normalize.traces(draw(ROWS))


@criterion("jit", points=1, function="normalize")
def test_equal_shapes_share_a_program(submission, draw):
    """Code wrapped in jax.jit is compiled once, not at every call."""
    submission.normalize.traces_once(draw(ROWS))


@criterion("jit", points=1, function="normalize", lesson="#control-flow")
def test_more_rows_need_no_longer_program(submission, draw):
    """The program has the same length for more rows and longer ones."""
    submission.normalize.program_does_not_grow(draw(ROWS), draw(f32[48, 32]))


# --- set_diagonal: 19 points ------------------------------------------------------------------------


@criterion("values", points=3, function="set_diagonal", lesson="#immutability")
def test_vector_becomes_the_diagonal(submission, reference, draw):
    """A vector takes the place of the diagonal, and everything else stays."""
    submission.set_diagonal.matches(reference.set_diagonal, draw(SQUARE, DIAGONAL), atol=0, rtol=0)


@criterion("values", points=2, function="set_diagonal", lesson="#immutability")
def test_scalar_fills_the_diagonal(submission, reference, draw):
    """A scalar fills the whole diagonal."""
    submission.set_diagonal.matches(
        reference.set_diagonal, draw(SQUARE, 2.5), draw(SQUARE, f32.scalar(-1.5)), atol=0, rtol=0
    )


@criterion("values", points=2, function="set_diagonal", lesson="#immutability")
def test_matrix_need_not_be_square(submission, reference, draw):
    """Wide and tall matrices work too."""
    submission.set_diagonal.matches(
        reference.set_diagonal, draw(f32[3, 6], f32[3]), draw(f32[6, 3], f32[3]), atol=0, rtol=0
    )


@criterion("values", points=2, function="set_diagonal", lesson="#data-types")
def test_type_of_the_matrix_is_kept(submission, reference, draw):
    """The result has the type of a, be it int32 or bfloat16."""
    integers, digits = i32[4, 4].between(-9, 9), i32[4].between(-9, 9)
    submission.set_diagonal.matches(
        reference.set_diagonal, draw(integers, digits), draw(bf16[4, 4], bf16[4]), atol=0, rtol=0
    )


@criterion("values", points=2, function="set_diagonal", visibility="after_due")
def test_old_diagonal_does_not_matter(submission, reference, draw):
    """NaN and infinity on the old diagonal leave no trace."""
    submission.set_diagonal.matches(reference.set_diagonal, draw(WITH_NAN, DIAGONAL), atol=0, rtol=0)


@criterion("purity", points=3, function="set_diagonal")
def test_depends_on_a_and_v_alone(submission, draw):
    """Nothing but the result changes, and the result depends on a and v alone."""
    submission.set_diagonal.is_pure(draw(SQUARE, 2.5))


@criterion("immutability", points=2, function="set_diagonal")
def test_a_and_v_are_left_alone(submission, draw):
    """a and v are the same after the call, be they NumPy or JAX arrays."""
    submission.set_diagonal.leaves_inputs_unchanged(draw.numpy(SQUARE, DIAGONAL), draw(SQUARE, DIAGONAL))


@criterion("jit", points=1, function="set_diagonal")
def test_both_arguments_can_be_traced(submission, draw):
    """jax.jit(set_diagonal) works and agrees with the plain call."""
    submission.set_diagonal.traces(draw(SQUARE, DIAGONAL))


@criterion("jit", points=1, function="set_diagonal")
def test_equal_matrices_share_a_program(submission, draw):
    """Code wrapped in jax.jit is compiled once, not at every call."""
    submission.set_diagonal.traces_once(draw(SQUARE, DIAGONAL))


@criterion("jit", points=1, function="set_diagonal", lesson="#control-flow")
def test_larger_matrices_need_no_longer_program(submission, draw):
    """The program has the same length for a larger matrix."""
    submission.set_diagonal.program_does_not_grow(draw(SQUARE, DIAGONAL), draw(f32[32, 32], f32[32]))


# --- sample_walk: 22 points -------------------------------------------------------------------------


def is_a_pair_of_arrays(result):
    """Whether a result has two parts that can be looked at as arrays; keys count as arrays."""
    parts = result if isinstance(result, tuple) else ()
    return len(parts) == 2 and all(isinstance(part, np.ndarray) for part in parts)


def is_a_key_and_a_walk(args, result):
    """Whether a result has the form the text asks for: a key like the given one, and n float32 numbers."""
    given_key, n = args
    if not is_a_pair_of_arrays(result):
        return False
    new_key, positions = result
    same_kind = (new_key.dtype, new_key.shape) == (given_key.dtype, given_key.shape)
    return same_kind and positions.dtype == np.float32 and positions.shape == (n,)


def steps_of(result):
    """The steps of a walk: what was added to reach each position."""
    positions = result[1] if is_a_pair_of_arrays(result) else np.array(None)
    if positions.ndim != 1 or positions.dtype.kind not in "fi":
        about = {"function": "sample_walk", "where": "the positions"}
        raise CheckFailed("values.wrong_structure", {**about, "expected": "n numbers", "found": "none"})
    return np.diff(positions, prepend=0)


@criterion("values", points=3, function="sample_walk")
def test_result_is_a_key_and_a_walk(submission, draw):
    """The result is a pair: a key of the given kind and n positions, float32."""
    submission.sample_walk.satisfies(
        is_a_key_and_a_walk,
        draw(key, STEPS),
        draw(raw_key, STEPS),
        draw(key, 0),
        says="a pair of a key like the given one and a float32 array of n positions",
    )


@criterion("values", points=4, function="sample_walk", lesson="#prng-keys")
def test_steps_are_standard_normal(submission, draw):
    """The steps are independent and standard normal."""
    # Many short walks rather than a few long ones: a walk that is drawn step by step compiles in time, too.
    walks = [draw(key, STEPS) for _ in range(WALKS)]
    submission.sample_walk.draws_normal(*walks, steps=steps_of)


@criterion("purity", points=3, function="sample_walk")
def test_depends_on_key_and_n_alone(submission, draw):
    """Nothing but the result changes, and the same key gives the same walk."""
    submission.sample_walk.is_pure(draw(key, STEPS))


@criterion("prng", points=7, function="sample_walk")
def test_each_key_is_used_once(submission, draw):
    """All randomness comes from key, each key is used once, and the returned one is fresh."""
    submission.sample_walk.threads_keys(
        draw(key, STEPS),
        draw(raw_key, STEPS),
        returns_key=0,
        draws=lambda _, result: steps_of(result).round(4),  # the sums round in the last digits
    )


@criterion("jit", points=2, function="sample_walk")
def test_key_can_be_traced(submission, draw):
    """jax.jit(sample_walk, static_argnames="n") works and agrees with the plain call."""
    submission.sample_walk.traces(draw(key, STEPS))


@criterion("jit", points=1, function="sample_walk")
def test_all_keys_share_a_program(submission, draw):
    """Code wrapped in jax.jit is compiled once, not at every call."""
    submission.sample_walk.traces_once(draw(key, STEPS))


@criterion("jit", points=2, function="sample_walk", lesson="#control-flow")
def test_longer_walks_need_no_longer_program(submission, draw):
    """The program has the same length for a longer walk."""
    # Long ones: what the library itself needs for a draw hides the growth of a short walk.
    submission.sample_walk.program_does_not_grow(draw(key, 64), draw(key, 256))


# --- pairwise_sq_dists: 22 points -------------------------------------------------------------------


def has_no_negative_entry(_, result):
    """Whether the caller may take the root of every entry. NaN is not >= 0, so it fails."""
    return isinstance(result, np.ndarray) and bool(np.all(result >= 0))


@criterion("values", points=4, function="pairwise_sq_dists")
def test_distances_are_right(submission, reference, draw):
    """Entry (i, j) is the squared distance of x[i] and y[j]."""
    submission.pairwise_sq_dists.matches(
        reference.pairwise_sq_dists, draw(POINTS, OTHERS), draw(f32[4, 4], f32[4, 4]), atol=1.5e-4, rtol=1e-5
    )


@criterion("values", points=2, function="pairwise_sq_dists", lesson="#speed")
def test_no_distance_is_negative(submission, draw):
    """No entry is negative, also for points that almost coincide."""
    cluster = f32[9, 16].normal(100, 1e-3)
    submission.pairwise_sq_dists.satisfies(
        has_no_negative_entry, draw(cluster, cluster), says="no negative entry, since callers take the root"
    )


@criterion("values", points=2, function="pairwise_sq_dists", lesson="#data-types")
def test_integers_become_float32(submission, reference, draw):
    """Integer points give float32 distances."""
    integers = i32[5, 3].between(-9, 9)
    submission.pairwise_sq_dists.matches(
        reference.pairwise_sq_dists, draw(integers, integers), atol=1.5e-4, rtol=1e-5
    )


@criterion("values", points=1, function="pairwise_sq_dists", visibility="hidden")
def test_no_points_give_no_distances(submission, reference, draw):
    """An empty set of points gives an empty array of the right shape."""
    submission.pairwise_sq_dists.matches(
        reference.pairwise_sq_dists, draw(f32[0, 3], OTHERS), draw(POINTS, f32[0, 3]), atol=0, rtol=0
    )


@criterion("purity", points=3, function="pairwise_sq_dists")
def test_depends_on_x_and_y_alone(submission, draw):
    """Nothing but the result changes, and the result depends on x and y alone."""
    submission.pairwise_sq_dists.is_pure(draw(POINTS, OTHERS))


@criterion("immutability", points=2, function="pairwise_sq_dists")
def test_x_and_y_are_left_alone(submission, draw):
    """x and y are the same after the call, be they NumPy or JAX arrays."""
    submission.pairwise_sq_dists.leaves_inputs_unchanged(draw.numpy(POINTS, OTHERS), draw(POINTS, OTHERS))


@criterion("jit", points=2, function="pairwise_sq_dists")
def test_points_can_be_traced(submission, draw):
    """jax.jit(pairwise_sq_dists) works and agrees with the plain call."""
    submission.pairwise_sq_dists.traces(draw(POINTS, OTHERS))


@criterion("jit", points=1, function="pairwise_sq_dists")
def test_equal_sets_share_a_program(submission, draw):
    """Code wrapped in jax.jit is compiled once, not at every call."""
    submission.pairwise_sq_dists.traces_once(draw(POINTS, OTHERS))


@criterion("jit", points=1, function="pairwise_sq_dists", lesson="#control-flow")
def test_more_points_need_no_longer_program(submission, draw):
    """The program has the same length for more points and more coordinates."""
    submission.pairwise_sq_dists.program_does_not_grow(draw(POINTS, OTHERS), draw(f32[20, 24], f32[16, 24]))


@criterion("jit", points=1, function="pairwise_sq_dists", lesson="#speed")
def test_no_array_holds_all_differences(submission, draw):
    """No array in the program has more than 4 (nm + nd + md) elements."""
    n, m, d = 20, 16, 24
    submission.pairwise_sq_dists.needs_at_most(
        draw(f32[n, d], f32[m, d]), elements=4 * (n * m + n * d + m * d)
    )


@criterion("jit", points=3, function="pairwise_sq_dists", lesson="#speed")
def test_beats_the_loop(submission, baseline, draw):
    """At least 10 times faster than a loop over all pairs and coordinates."""
    submission.pairwise_sq_dists.is_faster_than(
        baseline.pairwise_sq_dists, at_least=10, on=draw(f32[128, 64], f32[128, 64])
    )


# --- smooth: 18 points ------------------------------------------------------------------------------


@criterion("values", points=4, function="smooth")
def test_smooths_n_times(submission, reference, draw):
    """Each step takes the weighted mean of the neighbours, with the ends repeated."""
    submission.smooth.matches(reference.smooth, draw(f32[8], 3), draw(f32[8], 1), atol=1e-3, rtol=1e-3)


@criterion("values", points=2, function="smooth", lesson="#data-types")
def test_zero_steps_return_x_as_float32(submission, reference, draw):
    """No step returns x, and integers become float32."""
    submission.smooth.matches(
        reference.smooth, draw(f32[8], 0), draw(i32[8].between(-9, 9), 0), atol=1e-3, rtol=1e-3
    )


@criterion("values", points=2, function="smooth", visibility="after_due")
def test_many_steps_and_one_element(submission, reference, draw):
    """Many steps keep their precision, and a single element stays as it is."""
    long = draw(f32[256], 2000)  # long enough that 2000 steps do not leave the mean alone
    submission.smooth.matches(reference.smooth, long, draw(f32[1], 5), atol=1e-3, rtol=1e-3)


@criterion("purity", points=3, function="smooth")
def test_depends_on_x_and_n_steps_alone(submission, draw):
    """Nothing but the result changes, and the result depends on x and n_steps alone."""
    submission.smooth.is_pure(draw(f32[8], 3))


@criterion("immutability", points=2, function="smooth")
def test_signal_is_left_alone(submission, draw):
    """x is the same after the call, be it a NumPy or a JAX array."""
    submission.smooth.leaves_inputs_unchanged(draw.numpy(f32[8], 3), draw(f32[8], 3))


@criterion("jit", points=4, function="smooth", lesson="#control-flow")
def test_steps_can_be_traced(submission, draw):
    """jax.jit(smooth) works with both arguments traced and agrees with the plain call."""
    submission.smooth.traces(draw(f32[8], i32.scalar(3)))


@criterion("jit", points=1, function="smooth")
def test_equal_signals_share_a_program(submission, draw):
    """Code wrapped in jax.jit is compiled once, not at every call."""
    submission.smooth.traces_once(draw(f32[8], 3))
