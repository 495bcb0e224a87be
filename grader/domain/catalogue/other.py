"""Data types, devices, and faults that are not the student's."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import EXPECTED, FOUND, FUNCTION, SOURCE, WHERE

_FROM = Param(name="asked", means="the type that was asked for", neutral="a 64-bit type")
_REASON = Param(name="reason", means="what failed, for staff only", neutral="no reason was recorded")
_DEVICE = Param(name="device", means="the string that was passed", neutral="a string", code=True)

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
        lesson="#data-types",
        hidden_message="A step asks for 64-bit numbers, and JAX makes them 32-bit.",
        params=(FUNCTION, SOURCE, _FROM, FOUND),
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
        hint="Convert once at the start, and give new arrays the type of the input:",
        example=snippet("""
            def f(x):
                x = jnp.asarray(x, jnp.float32)
                return x + jnp.ones(x.shape, x.dtype)
        """),
        lesson="#data-types",
        hidden_message="The result does not have the data type that the task asks for.",
        params=(FUNCTION, FOUND, EXPECTED, WHERE),
    ),
    CatalogueEntry(
        code="device.string_device",
        title="A string is not a device",
        message="{source}{at} names a device by the string {device}.",
        why=(
            "PyTorch's `.to('cpu')` has no counterpart with strings: `jax.device_put` wants a device object "
            "(or a sharding), and raises `ValueError` for a string."
        ),
        hint="Ask JAX for the device:",
        example='x = jax.device_put(jnp.ones(3), jax.devices("cpu")[0])',
        lesson="#data-types",
        params=(FUNCTION, SOURCE, _DEVICE),
    ),
    CatalogueEntry(
        code="grader.internal",
        title="Not graded",
        message=(
            "This check could not be carried out, and that is not your fault. It costs no points."
            "[[ For course staff: {reason}.]]"
        ),
        why=(
            "The fault lies with the grader or the course. The course staff have been told, and the check is "
            "repeated."
        ),
        hint="You need not do anything. If it is still not graded after a day, tell the course staff.",
        hidden_message="This check could not be carried out, and that is not your fault. It costs no points.",
        params=(_REASON,),
    ),
)
