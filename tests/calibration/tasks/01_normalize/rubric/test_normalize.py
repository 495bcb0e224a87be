"""Rows with mean 0 and standard deviation 1."""

from rubrics import bf16, criterion, f32, f64, i32

ROWS, SQUARE = f32[4, 7], f32[5, 5].normal(2, 3)
EDGES = (
    f32[1, 6],
    f32[6, 1],
    f32[0, 3],
    f32[3, 4].full(3),
    f32[2, 4].normal(0, 1e-3),
    f32[3, 8].normal(500, 1),
)
WHOLE = i32[4, 6].between(-5, 5)
HALF = bf16[3, 8]


@criterion("values", points=1, function="normalize")
def test_values(submission, reference, draw):
    """Right values, shapes and dtypes."""
    cases = [draw(spec) for spec in (ROWS, SQUARE, WHOLE)]
    cases += [draw.numpy(spec) for spec in (ROWS, SQUARE, *EDGES, WHOLE, f64[3, 5])]
    submission.normalize.matches(reference.normalize, *cases, atol=1e-3, rtol=1e-3)
    submission.normalize.matches(reference.normalize, draw(HALF), atol=6e-2, rtol=6e-2)


@criterion("purity", points=1, function="normalize")
def test_purity(submission, draw):
    """Depends on x alone."""
    submission.normalize.is_pure(draw(ROWS), draw(SQUARE))
    submission.normalize.is_pure(draw.numpy(ROWS))


@criterion("immutability", points=1, function="normalize")
def test_immutability(submission, draw):
    """Leaves x alone."""
    submission.normalize.leaves_inputs_unchanged(draw.numpy(ROWS), draw(ROWS), draw.numpy(WHOLE))


@criterion("jit", points=1, function="normalize")
def test_jit(submission, draw):
    """One program, whatever the rows."""
    submission.normalize.traces(*(draw(spec) for spec in (ROWS, *EDGES, WHOLE)))
    submission.normalize.traces_once(draw(ROWS))
    submission.normalize.program_does_not_grow(draw(f32[8, 6]), draw(f32[16, 6]), draw(f32[32, 6]))
