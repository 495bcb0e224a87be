"""Running mean and variance, as a pure function of a state."""

from rubrics import criterion, f32, i32


def state(d, count=3):
    """A state of d features."""
    return {"mean": f32[d], "var": f32[d].between(0.1, 2), "count": i32.scalar(count)}


BATCH = state(3), f32[5, 3]
SHAPES = (state(4), f32[4, 4].normal(1, 3)), (state(3), f32[1, 3]), (state(1), f32[6, 1])
FIRST = state(2, 0), f32[7, 2]
WHOLE = state(3), i32[6, 3].between(-5, 5)
ALL = (BATCH, *SHAPES, FIRST, WHOLE)


@criterion("values", points=1, function="running_stats")
def test_values(submission, reference, draw):
    """Right keys, values and dtypes."""
    submission.running_stats.matches(
        reference.running_stats, *(draw(*args) for args in ALL), *(draw.numpy(*args) for args in ALL)
    )


@criterion("purity", points=1, function="running_stats")
def test_purity(submission, draw):
    """The statistics live in the state alone."""
    submission.running_stats.is_pure(draw(*BATCH), draw(*SHAPES[0]))
    submission.running_stats.is_pure(draw.numpy(*BATCH))


@criterion("immutability", points=1, function="running_stats")
def test_immutability(submission, draw):
    """Leaves the state alone, and returns another dict."""
    submission.running_stats.leaves_inputs_unchanged(draw.numpy(*BATCH), draw(*BATCH), draw.numpy(*WHOLE))


@criterion("jit", points=1, function="running_stats")
def test_jit(submission, draw):
    """Works under jax.jit and as the body of jax.lax.scan."""
    submission.running_stats.traces(*(draw(*args) for args in ALL))
    submission.running_stats.traces_once(draw(*BATCH))
    submission.running_stats.program_does_not_grow(*(draw(state(3), f32[n, 3]) for n in (8, 16, 32)))
    submission.running_stats.carries_in_scan(draw(*BATCH), draw(*FIRST))
