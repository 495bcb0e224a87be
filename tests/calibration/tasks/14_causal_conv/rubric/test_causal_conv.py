"""A convolution that looks back."""

from rubrics import criterion, f32, i32

PLAIN = f32[10, 3], f32[3, 3, 2], 2
SQUARE = f32[4, 4], f32[4, 4, 4], 1
CORNERS = (f32[2, 3], f32[4, 3, 2], 3), (f32[1, 1], f32[1, 1, 1], 5), (f32[6, 2], f32[2, 2, 1], 1)
WHOLE = i32[7, 2], i32[2, 2, 2], 2


@criterion("values", points=1, function="causal_conv")
def test_values(submission, reference, draw):
    """Right sums, also where the filter is longer than the signal."""
    cases = (PLAIN, SQUARE, *CORNERS, WHOLE)
    submission.causal_conv.matches(
        reference.causal_conv, *(draw(*args) for args in cases), *(draw.numpy(*args) for args in cases)
    )


@criterion("purity", points=1, function="causal_conv")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.causal_conv.is_pure(draw(*PLAIN), draw(*SQUARE))
    submission.causal_conv.is_pure(draw.numpy(*PLAIN))


@criterion("immutability", points=1, function="causal_conv")
def test_immutability(submission, draw):
    """Leaves signal and filter alone."""
    submission.causal_conv.leaves_inputs_unchanged(draw.numpy(*PLAIN), draw(*PLAIN), draw.numpy(*CORNERS[1]))


@criterion("jit", points=1, function="causal_conv")
def test_jit(submission, draw):
    """One program for any length."""
    subject = submission.causal_conv
    subject.traces(*(draw(*args) for args in (PLAIN, SQUARE, *CORNERS)))
    subject.traces_once(draw(*PLAIN))
    subject.program_does_not_grow(*(draw(f32[t, 2], f32[3, 2, 2], 2) for t in (16, 32, 64)))


@criterion("transforms", points=1, function="causal_conv")
def test_transforms(submission, reference, draw):
    """Differentiable in the filter, and mappable over a batch."""
    subject = submission.causal_conv
    subject.gradient_matches(reference.causal_conv, draw(*PLAIN), wrt=1)
    subject.maps_over(draw(f32[4, 10, 3], f32[3, 3, 2], 2), mapped=(0,))
