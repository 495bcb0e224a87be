"""A function with a derivative of its own."""

from rubrics import criterion, f32

PLAIN, SQUARE, POINT = (f32[5], 0.5), (f32[3, 3], 2.0), (f32[()], 0.1)
CORNERS = (f32[0], 1.0), (f32[2, 1, 3], 0.25)


@criterion("values", points=1, function="clip_gradient")
def test_values(submission, reference, draw):
    """x itself."""
    cases = (PLAIN, SQUARE, POINT, *CORNERS)
    submission.clip_gradient.matches(
        reference.clip_gradient, *(draw(*args) for args in cases), *(draw.numpy(*args) for args in cases)
    )


@criterion("purity", points=1, function="clip_gradient")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.clip_gradient.is_pure(draw(*PLAIN), draw(*SQUARE))
    submission.clip_gradient.is_pure(draw.numpy(*PLAIN))


@criterion("immutability", points=1, function="clip_gradient")
def test_immutability(submission, draw):
    """A new array, and x as it was."""
    submission.clip_gradient.leaves_inputs_unchanged(draw.numpy(*PLAIN), draw(*PLAIN), draw.numpy(*SQUARE))


@criterion("jit", points=1, function="clip_gradient")
def test_jit(submission, draw):
    """One program for any limit."""
    submission.clip_gradient.traces(draw(*PLAIN), draw(*SQUARE), draw(*POINT))
    submission.clip_gradient.traces_once(draw(*PLAIN))


@criterion("transforms", points=1, function="clip_gradient")
def test_transforms(submission, reference, draw):
    """The slope of a sum is clipped, also row by row."""
    subject = submission.clip_gradient
    subject.gradient_matches(reference.clip_gradient, draw(*PLAIN), draw(*POINT), draw(f32[4], 3.0))
    subject.gradient_matches(reference.clip_gradient, draw(f32[6, 2], 0.5), per_example=(0,))
    subject.maps_over(draw(f32[6, 2], 0.5), mapped=(0,))
