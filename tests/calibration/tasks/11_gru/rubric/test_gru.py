"""A recurrent network over a sequence of any length."""

from rubrics import criterion, f32


def network(d, h):
    """Parameters for inputs of size d and states of size h."""
    return {name: {"w": f32[d, h], "u": f32[h, h], "b": f32[h]} for name in ("update", "reset", "new")}


PLAIN = network(3, 2), f32[2], f32[5, 3]
SQUARE = network(4, 4), f32[4], f32[4, 4]
CORNERS = (
    (network(3, 2), f32[2], f32[0, 3]),
    (network(3, 2), f32[2], f32[1, 3]),
    (network(1, 1), f32[1], f32[7, 1]),
)


@criterion("values", points=1, function="gru")
def test_values(submission, reference, draw):
    """Right states after any number of steps."""
    cases = (PLAIN, SQUARE, *CORNERS)
    submission.gru.matches(
        reference.gru, *(draw(*args) for args in cases), *(draw.numpy(*args) for args in cases)
    )


@criterion("purity", points=1, function="gru")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.gru.is_pure(draw(*PLAIN), draw(*SQUARE))
    submission.gru.is_pure(draw.numpy(*PLAIN))


@criterion("immutability", points=1, function="gru")
def test_immutability(submission, draw):
    """Leaves parameters, state and inputs alone."""
    submission.gru.leaves_inputs_unchanged(draw.numpy(*PLAIN), draw(*PLAIN), draw.numpy(*CORNERS[0]))


@criterion("jit", points=1, function="gru")
def test_jit(submission, draw):
    """One program for any number of steps."""
    subject = submission.gru
    subject.traces(draw(*PLAIN), draw(*SQUARE), draw(*CORNERS[0]))
    subject.traces_once(draw(*PLAIN))
    subject.program_does_not_grow(*(draw(network(3, 2), f32[2], f32[t, 3]) for t in (8, 16, 32)))


@criterion("transforms", points=1, function="gru")
def test_transforms(submission, reference, draw):
    """Can be trained, and mapped over sequences."""
    subject = submission.gru
    subject.gradient_matches(reference.gru, draw(*PLAIN), wrt=0, atol=1e-3, rtol=1e-3)
    subject.maps_over(draw(network(3, 2), f32[6, 2], f32[6, 5, 3]), mapped=(1, 2))
