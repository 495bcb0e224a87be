"""One step of gradient descent with momentum on any pytree."""

from typing import Any, NamedTuple

from rubrics import bf16, criterion, f32


class Layer(NamedTuple):
    """Named tuples are pytrees, too."""

    w: Any
    b: Any


FLAT = {"w": f32[3, 2], "b": f32[2]}
NESTED = {"enc": {"w": f32[3, 2], "b": f32[2]}, "dec": {"w": f32[2, 3], "b": f32[3]}}
SEQUENCE = [Layer(f32[2, 2], f32[2]), (f32[3], [f32[1]])]
HALF = {"w": bf16[3, 2], "b": f32[2]}
TREES = FLAT, NESTED, SEQUENCE, f32[4], {}


@criterion("values", points=1, function="sgd_momentum")
def test_values(submission, reference, draw):
    """Right structure and values for any tree."""
    subject = submission.sgd_momentum
    subject.matches(
        reference.sgd_momentum,
        *(draw(tree, tree, tree, 0.1) for tree in TREES),
        *(draw.numpy(tree, tree, tree, 0.5) for tree in TREES),
        draw.numpy(FLAT, FLAT, FLAT, 0.0),
        atol=1e-5,
        rtol=1e-5,
    )
    subject.matches(reference.sgd_momentum, draw(HALF, HALF, HALF, 0.1), atol=2e-2, rtol=2e-2)


@criterion("purity", points=1, function="sgd_momentum")
def test_purity(submission, draw):
    """The velocity lives in the state alone."""
    submission.sgd_momentum.is_pure(draw(FLAT, FLAT, FLAT, 0.1), draw(NESTED, NESTED, NESTED, 0.5))
    submission.sgd_momentum.is_pure(draw.numpy(FLAT, FLAT, FLAT, 0.1))


@criterion("immutability", points=1, function="sgd_momentum")
def test_immutability(submission, draw):
    """Leaves all trees alone, and returns new ones."""
    submission.sgd_momentum.leaves_inputs_unchanged(
        *(draw.numpy(tree, tree, tree, 0.1) for tree in TREES),
        *(draw(tree, tree, tree, 0.1) for tree in (FLAT, NESTED, SEQUENCE)),
        draw.numpy(FLAT, FLAT, FLAT, 0.0),
    )


@criterion("jit", points=1, function="sgd_momentum")
def test_jit(submission, draw):
    """jax.jit works with a traced learning rate."""
    submission.sgd_momentum.traces(*(draw(tree, tree, tree, 0.1) for tree in (*TREES, HALF)))
    submission.sgd_momentum.traces_once(draw(FLAT, FLAT, FLAT, 0.1))
