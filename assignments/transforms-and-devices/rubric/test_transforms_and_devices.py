"""The checks of "Transforms, data types and devices". A check's docstring is the title that students read."""

from rubrics import bf16, criterion, f16, f32, on, oracles, split

WEIGHTS = {"w": f32[3], "b": f32[()]}
EXAMPLES, TARGETS = f32[6, 3], f32[6]
FEW, FEW_TARGETS = f32[2, 3], f32[2]
ROWS = f32[8, 4]
LARGE = f32[5, 4].between(80, 200)


# --- loss: 10 points --------------------------------------------------------------------------------


@criterion("values", points=4, function="loss")
def test_mean_of_the_squares(submission, reference, draw):
    """The result is the mean squared error."""
    submission.loss.matches(reference.loss, draw(WEIGHTS, EXAMPLES, TARGETS), draw(WEIGHTS, FEW, FEW_TARGETS))


@criterion("transforms", points=6, function="loss", lesson="#gradients")
def test_slope_is_right(submission, reference, draw):
    """jax.grad gives the slope that finite differences give."""
    slopes = oracles.finite_differences(reference.loss)
    submission.loss.gradient_matches(slopes, draw(WEIGHTS, EXAMPLES, TARGETS))
    submission.loss.gradient_matches(reference.loss, draw(WEIGHTS, EXAMPLES, TARGETS), wrt=1)


# --- example_gradients: 10 points -------------------------------------------------------------------


@criterion("values", points=5, function="example_gradients", lesson="#mapping-over-a-batch")
def test_one_gradient_for_each_example(submission, reference, draw):
    """Each example has its own gradient."""
    submission.example_gradients.matches(
        reference.example_gradients,
        draw(WEIGHTS, EXAMPLES, TARGETS),
        draw(WEIGHTS, f32[1, 3], f32[1]),
        atol=1e-3,
        rtol=1e-3,
    )


@criterion("jit", points=5, function="example_gradients", lesson="#mapping-over-a-batch")
def test_any_number_of_examples(submission, reference, draw):
    """One program serves any number of examples."""
    submission.example_gradients.program_has_symbolic_size(
        reference.example_gradients,
        draw(WEIGHTS, EXAMPLES, TARGETS),
        draw(WEIGHTS, FEW, FEW_TARGETS),
        atol=1e-3,
        rtol=1e-3,
    )


# --- filter_step: 10 points -------------------------------------------------------------------------


@criterion("values", points=3, function="filter_step")
def test_state_moves_towards_x(submission, reference, draw):
    """The state moves a tenth of the way, and is the output."""
    submission.filter_step.matches(reference.filter_step, draw(f32[4], f32[4]), draw(bf16[4], bf16[4]))


@criterion("transforms", points=5, function="filter_step", lesson="#control-flow")
def test_fits_a_scan(submission, draw):
    """jax.lax.scan over it equals calling it step by step."""
    submission.filter_step.can_be_scanned(draw(f32[4], f32[5, 4]), draw(bf16[4], bf16[5, 4]))


@criterion("dtype", points=2, function="filter_step", lesson="#data-types")
def test_type_of_the_state_is_kept(submission, draw):
    """The new state has the type of the old one."""
    submission.filter_step.keeps_dtype(draw(bf16[4], bf16[4]), draw(f32[4], f32[4]))


# --- log_sum_exp: 18 points -------------------------------------------------------------------------


@criterion("values", points=4, function="log_sum_exp")
def test_large_numbers_do_not_overflow(submission, reference, draw):
    """Right for small numbers and for large ones."""
    submission.log_sum_exp.matches(reference.log_sum_exp, draw(f32[5, 4]), draw(LARGE), draw(f32[3]))


@criterion("transforms", points=4, function="log_sum_exp", lesson="#gradients")
def test_slope_is_finite(submission, draw):
    """The gradient is finite, also for large numbers."""
    submission.log_sum_exp.can_be_differentiated(draw(LARGE))


@criterion("dtype", points=3, function="log_sum_exp", lesson="#data-types")
def test_type_is_kept(submission, draw):
    """bfloat16 stays bfloat16, float16 stays float16."""
    submission.log_sum_exp.keeps_dtype(draw(bf16[5, 4]), draw(f16[5, 4]), draw(f32[5, 4]))


@criterion("dtype", points=2, function="log_sum_exp", lesson="#data-types")
def test_no_64_bits_are_asked_for(submission, draw):
    """No step asks for float64, which JAX would make narrower."""
    submission.log_sum_exp.does_not_narrow(draw(f32[5, 4]))


@criterion("dtype", points=2, function="log_sum_exp", lesson="#data-types")
def test_no_types_are_mixed(submission, draw):
    """Types meet only after a conversion."""
    submission.log_sum_exp.promotes_explicitly(draw(bf16[5, 4]))


@criterion("dtype", points=3, function="log_sum_exp", lesson="#data-types")
def test_works_with_64_bits(submission, reference, draw):
    """Where 64 bits are on, float64 gives float64, as exactly."""
    submission.log_sum_exp.is_ready_for_x64(reference.log_sum_exp, draw(f32[5, 4]))


# --- spread_rows: 6 points --------------------------------------------------------------------------


@criterion("values", points=1, function="spread_rows")
def test_nothing_changes(submission, reference, draw):
    """The result equals x."""
    submission.spread_rows.matches(reference.spread_rows, draw(ROWS), atol=0, rtol=0)


@criterion("device", points=5, function="spread_rows", lesson="#devices")
def test_rows_are_split(submission, draw):
    """Each of four devices holds a quarter of the rows."""
    submission.spread_rows.places_result(draw(ROWS), returns=split(0), committed=True)


# --- center_rows: 6 points --------------------------------------------------------------------------


@criterion("values", points=1, function="center_rows")
def test_mean_is_zero(submission, reference, draw):
    """The mean of all rows is subtracted."""
    submission.center_rows.matches(reference.center_rows, draw(ROWS), draw(f32[1, 4]))


@criterion("device", points=3, function="center_rows", lesson="#devices")
def test_mean_is_that_of_all_rows(submission, reference, draw):
    """Split over four devices, it gives the same, and its rows stay split."""
    submission.center_rows.runs_over_devices(
        reference.center_rows, draw(ROWS), given=split(0), returns=split(0)
    )


@criterion("device", points=2, function="center_rows", lesson="#devices")
def test_result_stays_where_x_is(submission, draw):
    """The result lies on the device of x."""
    submission.center_rows.places_result(draw(ROWS), devices=2, given=on(1), returns=on(1))
