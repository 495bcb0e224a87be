"""The function is right by itself, and wrong or impossible under a transformation."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import FUNCTION, SOURCE, WHERE

_ARGUMENT = Param(name="argument", means="argument that was differentiated", neutral="an argument", code=True)
_STEPS = Param(name="steps", means="how many steps were made", neutral="the")
_WORST = Param(name="worst", means="largest difference", neutral="more than the tolerance")

ENTRIES = (
    CatalogueEntry(
        code="transforms.wrong_gradient",
        title="The gradient is not right",
        message=(
            "`jax.grad` of {function} with respect to {argument} gives wrong values[[; the largest "
            "difference is {worst}]]."
        ),
        why=(
            "JAX differentiates the operations that ran. A rounded or compared value, `stop_gradient`, a "
            "value turned into an integer, or a `custom_vjp` with a mistake has another derivative than the "
            "formula."
        ),
        hint="Compare with a finite difference at one point, and follow where the derivative gets lost:",
        example=snippet("""
            eps = 1e-3
            slope = (f(1.0 + eps) - f(1.0 - eps)) / (2 * eps)
        """),
        lesson="#pure-functions",
        hidden_message="The gradient of your function is not right.",
        params=(FUNCTION, _ARGUMENT, _WORST),
    ),
    CatalogueEntry(
        code="transforms.gradient_not_finite",
        title="The gradient is NaN or infinite",
        message="`jax.grad` of {function} with respect to {argument} gives NaN or infinity.",
        why=(
            "`jnp.where` differentiates both branches: where the one that is not taken has an infinite "
            "derivative (a root or a quotient at 0), 0 times infinity is NaN."
        ),
        hint="Make the branch that is not taken harmless before it is computed:",
        example=snippet("""
            def safe_root(x):
                positive = jnp.where(x > 0, x, 1.0)
                return jnp.where(x > 0, jnp.sqrt(positive), 0.0)
        """),
        lesson="#pure-functions",
        hidden_message="The gradient of your function is NaN or infinite for an input that is not shown.",
        params=(FUNCTION, _ARGUMENT),
    ),
    CatalogueEntry(
        code="transforms.vmap_differs",
        title="Mapped over a batch, it gives something else",
        message="`jax.vmap` of {function} gives other values than calls row by row[[ (in {where})]]{at}.",
        why=(
            "Under `vmap` a function sees one row at a time. What looks at the whole batch, at the number of "
            "rows or at one shared key behaves differently then."
        ),
        hint="Write the function for one row, without an axis for the batch, and give each row its own key:",
        example=snippet("""
            def standardised(row):
                return (row - row.mean()) / row.std()

            y = jax.vmap(standardised)(jnp.ones((3, 4)))
        """),
        lesson="#pure-functions",
        params=(FUNCTION, WHERE, SOURCE),
    ),
    CatalogueEntry(
        code="transforms.no_gradient",
        title="The gradient is zero",
        message="`jax.grad` of {function} with respect to {argument} is zero wherever it was tried{at}.",
        why=(
            "Nothing of the argument reaches the result in a way that JAX can differentiate: "
            "`stop_gradient`, rounding, comparisons, `argmax` and integers all have a derivative of zero."
        ),
        hint="Keep numbers as floats, and choose with a smooth function where you can:",
        example=snippet("""
            def soft_step(x):
                return jax.nn.sigmoid(10.0 * x)

            slope = jax.grad(soft_step)(0.1)
        """),
        lesson="#pure-functions",
        hidden_message="The gradient of your function is zero.",
        params=(FUNCTION, _ARGUMENT, SOURCE),
    ),
    CatalogueEntry(
        code="transforms.scan_differs",
        title="As the body of a scan, it gives something else",
        message=(
            "`jax.lax.scan` over {function} gives other values than {steps} calls one after the other"
            "[[ (in {where})]]{at}."
        ),
        why=(
            "`scan` traces the body once and runs that program at every step. Whatever a step should know "
            "has to be in the carry or in the inputs: a global, a list or a Python counter keeps the value "
            "that it had while the body was traced."
        ),
        hint="Put what changes from step to step into the carry:",
        example=snippet("""
            def step(carry, x):
                count, mean = carry
                mean = mean + (x - mean) / (count + 1)
                return (count + 1, mean), mean

            end, means = jax.lax.scan(step, (0, 0.0), jnp.ones(3))
        """),
        lesson="#control-flow",
        params=(FUNCTION, _STEPS, WHERE, SOURCE),
    ),
)
