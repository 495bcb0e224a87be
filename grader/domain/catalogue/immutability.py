"""The function changes what its caller handed in, or shares memory with it."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import ARGUMENT, FUNCTION, SOURCE

_ANCHOR = "#immutability"
_CHANGE = Param(
    name="change", means="what happened to it, such as an item was appended", neutral="its content differs"
)
_OTHER = Param(name="other", means="what the result shares its memory with", neutral="an argument")

ENTRIES = (
    CatalogueEntry(
        code="immutability.input_changed",
        title="An input is changed",
        message="{function} changes the contents of its argument {argument}{at}[[ (the line is {source})]].",
        why=(
            "The caller's array is different after the call. On a NumPy input `x += 1`, `x *= 2`, `x[0] = v` "
            "and `out=x` write into the caller's memory; on a JAX array the same `+=` only makes a new one, "
            "so the function behaves differently depending on who calls it."
        ),
        hint="Make a new array instead of writing into the old one:",
        example=snippet("""
            def centred(x):
                x = jnp.asarray(x)
                return x - x.mean()  # not: x -= x.mean()
        """),
        lesson=_ANCHOR,
        hidden_message="Your function changes one of its inputs.",
        params=(FUNCTION, ARGUMENT, SOURCE),
    ),
    CatalogueEntry(
        code="immutability.container_changed",
        title="A list or dict of the caller is changed",
        message="{function} changes the container that it gets as {argument}{at}[[: {change}]].",
        why=(
            "The caller's list or dict is different after the call. Under `jit` it is not: there the "
            "function gets a copy of the container, so the change silently does nothing and the two ways of "
            "calling disagree."
        ),
        hint="Build a new container and return it. A nested dict needs a copy at each level that changes:",
        example=snippet("""
            def updated(params, grad):
                return {**params, 'w': params['w'] - 0.1 * grad}
        """),
        lesson=_ANCHOR,
        hidden_message="Your function changes a list or dict that it was given.",
        params=(FUNCTION, ARGUMENT, _CHANGE),
    ),
    CatalogueEntry(
        code="immutability.input_deleted",
        title="An input is deleted",
        message="After the call of {function} its argument {argument} cannot be used any more{at}.",
        why=(
            "`donate_argnums` and `donate_argnames` hand the input's memory to the result, and `x.delete()` "
            "frees it. Whoever still holds the array gets `RuntimeError: Array has been deleted`."
        ),
        hint=(
            "Take the donation out. It is for the outermost training step, where the caller knows that the "
            "old array is never needed again."
        ),
        example="step = jax.jit(lambda x: x + 1)  # no donate_argnums",
        lesson=_ANCHOR,
        hidden_message="After the call, an input of your function cannot be used any more.",
        params=(FUNCTION, ARGUMENT),
    ),
    CatalogueEntry(
        code="immutability.item_assignment",
        title="Item assignment to a JAX array",
        message=(
            "{source} assigns to a part of a JAX array{at}. JAX arrays cannot be changed, so it raises "
            "`TypeError`."
        ),
        why=(
            "JAX arrays never change; that is what lets a program be traced, compiled and differentiated. An "
            "update makes a new array. Inside `jit`, XLA does it in place where the old one is not needed "
            "any more."
        ),
        hint="Use `.at[...]` with `set`, `add`, `multiply`, `min` or `max`, and keep the result:",
        example=snippet("""
            x = jnp.zeros(3)
            x = x.at[0].set(1.0)  # instead of x[0] = 1.0
            x = x.at[1:].add(2.0)
        """),
        lesson=_ANCHOR,
        hidden_message="Your function assigns to a part of a JAX array, which raises `TypeError`.",
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="immutability.result_aliases_input",
        title="The result shares memory with an input",
        message="The result of {function} shares its memory with {other}{at}.",
        why=(
            "A NumPy array can be overwritten later, and then the result changes with it, long after the "
            "call. A result should be an array of its own."
        ),
        hint="`jnp.array` copies; a NumPy view (a slice, `.T`, `reshape`, `np.asarray`) does not:",
        example=snippet("""
            def as_result(x):
                return jnp.array(x, dtype=jnp.float32)
        """),
        lesson=_ANCHOR,
        hidden_message="The result of your function shares its memory with an input.",
        params=(FUNCTION, ARGUMENT, _OTHER),
    ),
)
