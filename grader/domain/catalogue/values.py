"""The result is not the right one."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import EXPECTED, FOUND, FUNCTION, NAME, SOURCE, WHERE

_COUNT = Param(name="count", means="how many entries differ", neutral="some")
_SIZE = Param(name="size", means="how many entries there are", neutral="the")
_WORST = Param(name="worst", means="largest difference", neutral="more than the tolerance")
_STATISTIC = Param(name="statistic", means="name of the statistic, such as variance", neutral="a statistic")
_STEP = Param(
    name="step", means="the line that makes a wrong array of right ones", neutral="one step", code=True
)
_SAYS = Param(name="says", means="what the author's predicate demands", neutral="what the task asks for")

ENTRIES = (
    CatalogueEntry(
        code="values.differ",
        title="Some values are not right",
        message=(
            "{function} returns wrong values[[ in {where}]][[: {count} of {size} entries differ]]"
            "[[; the largest difference is {worst}]].[[ What goes into {step} is as in the solution; what "
            "comes out is not.]][[ Asked for: {says}.]]"
        ),
        why=(
            "The result is compared entry by entry with the right one, within a tolerance that fits 32-bit "
            "floats, so rounding alone does not fail."
        ),
        hint=(
            "Work one small example out by hand and compare. Look at the axis of every sum and mean, at "
            "`keepdims`, and at what broadcasting does with the shapes."
        ),
        example=snippet("""
            x = jnp.arange(6.0).reshape(2, 3)
            print(x.mean(axis=1, keepdims=True))  # one mean for each row
        """),
        lesson="#pure-functions",
        hidden_message="Your function returns wrong values on an input that is not shown.",
        params=(FUNCTION, WHERE, _COUNT, _SIZE, _WORST, _STEP, _SAYS),
    ),
    CatalogueEntry(
        code="values.not_as_asked",
        title="The result is not what the task asks for",
        message="{function} returns {found}; the task asks for {says}.",
        why=(
            "Where many results are right, the check looks for what the task's text demands of every one "
            "of them, and this one lacks it."
        ),
        hint=(
            "Read that sentence of the task beside your `return` line: what comes back, in which order, and "
            "with which kind, shape, type and range."
        ),
        lesson="#pure-functions",
        hidden_message="The result lacks what the task's text demands of it, for an input that is not shown.",
        params=(FUNCTION, FOUND, _SAYS),
    ),
    CatalogueEntry(
        code="values.wrong_structure",
        title="The result has another structure",
        message="{function} returns {found}; the task asks for {expected}[[ (in {where})]].",
        why=(
            "JAX treats tuples, lists and dicts of arrays as trees. A transformation or a caller that "
            "expects one structure cannot use another, even if the arrays in it are right."
        ),
        hint=(
            "Compare your `return` line with the task: how many values, in which order, and in which "
            "container."
        ),
        example=snippet("""
            def step(state):
                return state + 1, state  # a pair: (new state, output)
        """),
        lesson="#pure-functions",
        hidden_message="The result does not have the structure the task asks for.",
        params=(FUNCTION, FOUND, EXPECTED, WHERE),
    ),
    CatalogueEntry(
        code="values.wrong_shape",
        title="The result has another shape",
        message="{function} returns an array of shape {found} where {expected} is right[[ (in {where})]].",
        why=(
            "Shapes are part of a JAX program: it is compiled for them, and broadcasting can turn a wrong "
            "shape into wrong numbers without any error."
        ),
        hint=(
            "Print the shape after each step. A lost axis often comes from a reduction without "
            "`keepdims=True`, an extra one from indexing with `None`; also try the sizes 0 and 1."
        ),
        example=snippet("""
            x = jnp.ones((4, 3))
            print(x.sum(axis=1).shape, x.sum(axis=1, keepdims=True).shape)
        """),
        lesson="#pure-functions",
        hidden_message="The result does not have the right shape for an input that is not shown.",
        params=(FUNCTION, FOUND, EXPECTED, WHERE),
    ),
    CatalogueEntry(
        code="values.wrong_dtype",
        title="The result has another data type",
        message="{function} returns {found} where the task asks for {expected}[[ (in {where})]].",
        why=(
            "JAX picks the result's type from the inputs and does not widen an array's type for a Python "
            "number. Integers stay integers unless a step makes them floats, and everything is 32-bit by "
            "default."
        ),
        hint=(
            "Find the step that gives the result its type, or convert the result to {expected}. Where it "
            "follows the input, take the type from there instead of naming one:"
        ),
        example=snippet("""
            def doubled(x):
                return (2.5 * x).astype(x.dtype)  # the type of x
        """),
        lesson="#data-types",
        hidden_message="The result does not have the data type the task asks for.",
        params=(FUNCTION, FOUND, EXPECTED, WHERE),
    ),
    CatalogueEntry(
        code="values.not_finite",
        title="NaN or infinity in the result",
        message=(
            "{function} returns NaN or infinity[[ in {where}]] ({count} of {size} entries), where numbers "
            "are right.[[ They begin at {step}.]]"
        ),
        why=(
            "JAX does not stop at a division by zero or a square root of a negative number: it carries NaN "
            "and infinity on, and through a gradient they reach everything."
        ),
        hint=(
            "Find the first NaN with `jax.config.update('jax_debug_nans', True)` in your own test code. "
            "Guard the operation's input: choosing afterwards with `jnp.where` keeps the value but not the "
            "gradient safe."
        ),
        example=snippet("""
            def safe_sqrt(x):
                ok = x > 0
                return jnp.where(ok, jnp.sqrt(jnp.where(ok, x, 1.0)), 0.0)
        """),
        lesson="#data-types",
        hidden_message="The result holds NaN or infinity for an input that is not shown.",
        params=(FUNCTION, WHERE, _COUNT, _SIZE, _STEP),
    ),
    CatalogueEntry(
        code="values.returns_none",
        title="The function returns nothing",
        message="{function} returns `None`{at}.",
        why=(
            "A JAX function hands its result back; it cannot leave it in an argument or in a global. A "
            "Python function without a `return` gives `None`."
        ),
        hint="End every branch with `return`. The new array of an update has to be returned too:",
        example=snippet("""
            def with_first_zero(x):
                return x.at[0].set(0.0)
        """),
        lesson="#pure-functions",
        hidden_message="Your function returns `None`.",
        params=(FUNCTION,),
    ),
    CatalogueEntry(
        code="values.not_an_array",
        title="The result is not an array",
        message="{function} returns {found}[[ in {where}]] where an array is right.",
        why=(
            "Only arrays (and numbers, in tuples, lists and dicts) can go in and out of a compiled JAX "
            "program. Strings, sets, generators and objects of your own classes cannot."
        ),
        hint="Return the array itself. A list of numbers becomes an array with `jnp.stack` or `jnp.array`:",
        example=snippet("""
            def three(x):
                return jnp.stack([x, 2 * x, 3 * x])
        """),
        lesson="#pure-functions",
        hidden_message="The result is not made of arrays.",
        params=(FUNCTION, FOUND, WHERE),
    ),
    CatalogueEntry(
        code="values.discarded_update",
        title="An update is thrown away",
        message="The result of {source}{at} is not kept, so the line has no effect.",
        why=(
            "JAX arrays never change. `x.at[i].set(v)` leaves `x` as it is and returns a new array; if "
            "nothing holds on to that, the update is lost, without an error."
        ),
        hint="Give the new array a name (the old one will do), and use that from there on:",
        example=snippet("""
            x = jnp.zeros(3)
            x = x.at[0].set(1.0)
        """),
        lesson="#immutability",
        hidden_message="The result of an `.at[...]` update is not kept, so it has no effect.",
        params=(FUNCTION, NAME, SOURCE),
    ),
    CatalogueEntry(
        code="values.distribution",
        title="The random numbers have another distribution",
        message=(
            "The draws of {function} do not have the right distribution: {statistic} is {found}, not "
            "{expected}."
        ),
        why=(
            "Random results are judged by their statistics over many draws. A scale, a shift, a wrong "
            "sampler or draws that depend on each other show there."
        ),
        hint=(
            "Check the sampler and its scale (`jax.random.normal` has standard deviation 1, `uniform` lies "
            "in [0, 1)), and that every draw has a key of its own: draws with one key are equal, not "
            "independent."
        ),
        example=snippet("""
            keys = jax.random.split(jax.random.key(0), 3)
            draws = jnp.stack([jax.random.normal(k, (2,)) for k in keys])
        """),
        lesson="#prng-keys",
        hidden_message="The draws do not have the distribution the task asks for.",
        params=(FUNCTION, _STATISTIC, FOUND, EXPECTED),
    ),
)
