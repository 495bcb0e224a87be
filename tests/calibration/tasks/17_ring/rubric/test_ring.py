"""A buffer that forgets."""

from rubrics import criterion, f32, i32


def ring(capacity, at, size, spec=f32):
    """A ring of rows of three numbers."""
    return {"data": spec[capacity, 3], "next": i32.scalar(at), "size": i32.scalar(size)}


ITEM = f32[3]
PUSHES = (ring(4, 1, 1), ITEM), (ring(4, 3, 4), ITEM), (ring(5, 0, 0), ITEM), (ring(1, 0, 1), ITEM)
LOOKS = (ring(4, 1, 1), 2), (ring(4, 3, 4), 4), (ring(5, 0, 0), 1), (ring(1, 0, 1), 1), (ring(6, 2, 6), 3)
WHOLE = ring(4, 2, 3, i32), i32[3]


@criterion("values", points=1, function="push")
def test_push_values(submission, reference, draw):
    """The right row is replaced."""
    submission.push.matches(
        reference.push,
        *(draw(*args) for args in (*PUSHES, WHOLE)),
        *(draw.numpy(*args) for args in (*PUSHES, WHOLE)),
        atol=0,
        rtol=0,
    )


@criterion("values", points=1, function="latest")
def test_latest_values(submission, reference, draw):
    """The newest first, and nothing that was never pushed."""
    submission.latest.matches(
        reference.latest,
        *(draw(*args) for args in LOOKS),
        *(draw.numpy(*args) for args in LOOKS),
        atol=0,
        rtol=0,
    )


@criterion("purity", points=1, function="push")
def test_push_purity(submission, draw):
    """What was pushed is in the ring alone."""
    submission.push.is_pure(draw(*PUSHES[0]), draw(*PUSHES[2]))
    submission.push.is_pure(draw.numpy(*PUSHES[0]))


@criterion("immutability", points=1, function="push")
def test_push_immutability(submission, draw):
    """The old ring stays as it was."""
    submission.push.leaves_inputs_unchanged(draw.numpy(*PUSHES[0]), draw(*PUSHES[0]), draw.numpy(*PUSHES[3]))


@criterion("immutability", points=1, function="latest")
def test_latest_immutability(submission, draw):
    """Looking changes nothing."""
    submission.latest.leaves_inputs_unchanged(draw.numpy(*LOOKS[0]), draw(*LOOKS[1]), draw.numpy(*LOOKS[3]))


@criterion("jit", points=1, function="push")
def test_push_jit(submission, draw):
    """One program wherever the ring is, that fits a scan."""
    submission.push.traces(*(draw(*args) for args in PUSHES))
    submission.push.traces_once(draw(*PUSHES[0]))
    submission.push.carries_in_scan(draw(*PUSHES[0]))
    submission.push.program_does_not_grow(*(draw(ring(n, 1, 1), ITEM) for n in (8, 16, 32)))


@criterion("jit", points=1, function="latest")
def test_latest_jit(submission, draw):
    """One program wherever the ring is."""
    submission.latest.traces(*(draw(*args) for args in LOOKS))
    submission.latest.traces_once(draw(*LOOKS[0]))
    submission.latest.program_does_not_grow(*(draw(ring(40, 1, 1), n) for n in (8, 16, 32)))
