"""Results and steps have another data type than they should."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import EXPECTED, FOUND, FUNCTION, SOURCE, TEXT, WHERE

_TYPES = "#data-types"

_ASKED = Param(name="asked", means="the type that was asked for", neutral="a 64-bit type")
_WORST = Param(name="worst", means="largest difference", neutral="more than the tolerance")

ENTRIES = (
    CatalogueEntry(
        code="dtype.narrowed",
        title="64-bit numbers become 32-bit",
        message="{source}{at} asks for {asked}, but JAX makes it {found}.",
        why=(
            "Unless `jax_enable_x64` is on, JAX computes with 32 bits. An explicit `dtype=jnp.float64` gives "
            "float32 with a warning; a 64-bit NumPy array is narrowed without one, and a large integer can "
            "silently wrap around to 0."
        ),
        hint="Ask for the type that you get, and keep integers below 2**31:",
        example="x = jnp.zeros(3, dtype=jnp.float32)",
        lesson=_TYPES,
        hidden_message="A step asks for 64-bit numbers, and JAX makes them 32-bit.",
        params=(FUNCTION, SOURCE, _ASKED, FOUND),
    ),
    CatalogueEntry(
        code="dtype.wrong",
        title="Another data type than asked for",
        message="{function} gives {found} where the task asks for {expected}[[ (in {where})]]{at}.",
        why=(
            "The types of the inputs decide the type of the result. Two arrays meet at a common type; a "
            "Python number takes the array's; an integer array stays integer until something makes it a "
            "float."
        ),
        hint=(
            "Find the step that changes the type: an array with a type of its own, or a conversion. Give new "
            "arrays the type of the input; where a step has to be wider, convert its result back, to "
            "{expected}:"
        ),
        example=snippet("""
            def shifted(x):
                wide = x.astype(jnp.float32) + jnp.ones(x.shape)
                return wide.astype(x.dtype)  # back to the input's type
        """),
        lesson=_TYPES,
        hidden_message="The result does not have the data type that the task asks for.",
        params=(FUNCTION, FOUND, EXPECTED, WHERE),
    ),
    CatalogueEntry(
        code="dtype.implicit_promotion",
        title="Arrays of different types meet",
        message="{source}{at} combines arrays of different data types without a conversion[[: {text}]].",
        why=(
            "JAX then picks a common type by its own table: bfloat16 with float32 gives float32, and "
            "bfloat16 with float16 gives float32 as well. In a large model one such step doubles memory, and "
            "nothing tells you. Under `jax.numpy_dtype_promotion('strict')` it is an error."
        ),
        hint="Say which type you want, where the two meet:",
        example=snippet("""
            def scaled(x, weights):
                return x * weights.astype(x.dtype)
        """),
        lesson=_TYPES,
        hidden_message="A step combines arrays of different data types without a conversion.",
        params=(FUNCTION, SOURCE, TEXT),
    ),
    CatalogueEntry(
        code="dtype.weak",
        title="The result has only the weak type of a Python number",
        message="{function} gives a weakly typed {found}[[ (in {where})]]{at}.",
        why=(
            "A Python number has a weak type in JAX: it gives way to the type of any array that it meets. A "
            "result made of Python numbers alone, such as `jnp.where(x > 0, 1.0, 0.0)`, stays weak. As the "
            "carry of a loop or the argument of a jitted function it counts as another type, which is an "
            "error there or a second compilation."
        ),
        hint="Give the constants a type:",
        example=snippet("""
            def positive(x):
                one = jnp.ones((), x.dtype)
                return jnp.where(x > 0, one, 0)
        """),
        lesson=_TYPES,
        params=(FUNCTION, FOUND, WHERE, SOURCE),
    ),
    CatalogueEntry(
        code="dtype.not_wide",
        title="64-bit inputs do not give 64-bit results",
        message=(
            "Where 64-bit types are on, {function} gives {found} instead of {expected}[[ (in {where})]]{at}."
        ),
        why=(
            "With `jax_enable_x64`, float64 arrays stay float64 until something makes them narrower. A type "
            "that is written out, such as `jnp.float32`, does that whatever the input is."
        ),
        hint="Take the type from the input:",
        example=snippet("""
            def centred(x):
                return x - jnp.mean(x, dtype=x.dtype)
        """),
        lesson=_TYPES,
        params=(FUNCTION, FOUND, EXPECTED, WHERE, SOURCE),
    ),
    CatalogueEntry(
        code="dtype.precision_lost",
        title="The precision of 64 bits gets lost on the way",
        message=(
            "Where 64-bit types are on, {function} gives float64 numbers that are not as exact as float64[[; "
            "the largest difference is {worst}]]{at}."
        ),
        why=(
            "A step in between computed with fewer bits. Converting back makes the type wide again, not the "
            "number exact."
        ),
        hint="Make intermediate arrays of the input's type, not of a type that is written out:",
        example=snippet("""
            def mean_square(x):
                total = jnp.zeros((), x.dtype)
                return (total + jnp.sum(x * x)) / x.size
        """),
        lesson=_TYPES,
        params=(FUNCTION, _WORST, SOURCE),
    ),
)
