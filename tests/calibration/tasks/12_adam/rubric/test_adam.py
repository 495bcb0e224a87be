"""Adam on any pytree, its state a named tuple."""

from typing import Any, NamedTuple

from rubrics import criterion, f32, i32


class AdamState(NamedTuple):
    """What the starter hands out."""

    count: Any
    mu: Any
    nu: Any


FLAT = {"w": f32[3, 2], "b": f32[2]}
NESTED = [{"w": f32[2, 3]}, (f32[3], {"b": f32[()]})]
SQUARES = {"w": f32[3, 2].between(0, 1), "b": f32[2].between(0, 1)}
MORE_SQUARES = [{"w": f32[2, 3].between(0, 1)}, (f32[3].between(0, 1), {"b": f32[()].between(0, 1)})]


def step(tree, squares, count, lr=0.1):
    """Arguments of one update."""
    return tree, AdamState(i32.scalar(count), tree, squares), tree, lr


EARLY, LATE, OTHER = step(FLAT, SQUARES, 0), step(FLAT, SQUARES, 1000, 0.5), step(NESTED, MORE_SQUARES, 3)


@criterion("values", points=1, function="adam_init")
def test_init_values(submission, reference, draw):
    """Zeros of the right shapes."""
    submission.adam_init.matches(
        reference.adam_init, draw(FLAT), draw(NESTED), draw({}), draw.numpy(FLAT), draw.numpy(NESTED)
    )


@criterion("immutability", points=1, function="adam_init")
def test_init_immutability(submission, draw):
    """Leaves the parameters alone."""
    submission.adam_init.leaves_inputs_unchanged(draw.numpy(FLAT), draw(NESTED))


@criterion("values", points=1, function="adam_update")
def test_update_values(submission, reference, draw):
    """Right parameters and state, early and late."""
    submission.adam_update.matches(
        reference.adam_update,
        *(draw(*args) for args in (EARLY, LATE, OTHER)),
        *(draw.numpy(*args) for args in (EARLY, LATE, OTHER)),
        atol=1e-5,
        rtol=1e-4,
    )


@criterion("purity", points=1, function="adam_update")
def test_update_purity(submission, draw):
    """The state lives in the arguments alone."""
    submission.adam_update.is_pure(draw(*EARLY), draw(*OTHER))
    submission.adam_update.is_pure(draw.numpy(*EARLY))


@criterion("immutability", points=1, function="adam_update")
def test_update_immutability(submission, draw):
    """Leaves all trees alone."""
    submission.adam_update.leaves_inputs_unchanged(
        draw.numpy(*EARLY), draw(*EARLY), draw.numpy(*OTHER), draw(*OTHER)
    )


@criterion("jit", points=1, function="adam_update")
def test_update_jit(submission, draw):
    """jax.jit works with a traced count and learning rate, and the state fits a scan."""
    submission.adam_update.traces(draw(*EARLY), draw(*LATE), draw(*OTHER))
    submission.adam_update.traces_once(draw(*EARLY))
    submission.adam_update.carries_in_scan(draw(*EARLY), carry=1, result=1)


@criterion("dtype", points=1, function="adam_update")
def test_update_dtype(submission, draw):
    """No weak types, nothing narrowed."""
    submission.adam_update.gives_strong_types(draw(*EARLY))
    submission.adam_update.does_not_narrow(draw(*EARLY))
