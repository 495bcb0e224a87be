"""Arrays lie elsewhere than they should, or several devices give another result than one."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import EXPECTED, FOUND, FUNCTION, SOURCE, WHERE

_DEVICES = "#devices"

_DEVICE = Param(name="device", means="the string that was passed", neutral="a string", code=True)
_COUNT = Param(name="devices", means="number of devices", neutral="several")

ENTRIES = (
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
        lesson=_DEVICES,
        params=(FUNCTION, SOURCE, _DEVICE),
    ),
    CatalogueEntry(
        code="device.mixed_devices",
        title="Arrays on different devices meet",
        message="{source}{at} combines arrays that are bound to different devices.",
        why=(
            "`jax.device_put` with a device or a sharding binds an array to that place. JAX moves unbound "
            "arrays to where the others are, but it never copies a bound one behind your back: it raises "
            "instead."
        ),
        hint="Move one of the two first, or take the sharding from the other array:",
        example=snippet("""
            def add(x, y):
                return x + jax.device_put(y, x.sharding)
        """),
        lesson=_DEVICES,
        hidden_message="A step combines arrays that are bound to different devices.",
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="device.differs",
        title="Over several devices it gives another result",
        message="Over {devices} devices {function} gives other values than on one[[ (in {where})]]{at}.",
        why=(
            "Under `jax.shard_map` a function sees the part of one device: a mean or a maximum there is that "
            "of a part. What is to be the same for all has to be exchanged, with `psum`, `pmean` or "
            "`all_gather` over the mesh's axis. Code that is only jitted needs none of that: there JAX sees "
            "the whole array."
        ),
        hint="Exchange what has to be known by all, or let `jit` split the work:",
        example=snippet("""
            from jax.sharding import PartitionSpec as P

            mesh = jax.make_mesh((1,), ("rows",))

            def centred(part):
                return part - jax.lax.pmean(part.mean(0), "rows")

            f = jax.shard_map(
                centred, mesh=mesh,
                in_specs=P("rows"), out_specs=P("rows"),
            )
        """),
        lesson=_DEVICES,
        params=(FUNCTION, _COUNT, WHERE, SOURCE),
    ),
    CatalogueEntry(
        code="device.wrong_place",
        title="The result lies elsewhere",
        message="{where} of {function} should be {expected}, but it is {found}{at}.",
        why=(
            "Where an array lies decides where the next step runs and what has to be copied. "
            "`jax.device_put(x, sharding)` puts it somewhere; operations leave their results where their "
            "inputs are; NumPy brings everything back to the host, from where it goes to the first device."
        ),
        hint="Put the result where it should be, with a device or a sharding:",
        example=snippet("""
            from jax.sharding import NamedSharding
            from jax.sharding import PartitionSpec as P

            mesh = jax.make_mesh((1,), ("rows",))
            rows = NamedSharding(mesh, P("rows"))
            x = jax.device_put(jnp.ones(4), rows)
        """),
        lesson=_DEVICES,
        hidden_message="The result does not lie on the devices that the task asks for.",
        params=(FUNCTION, WHERE, EXPECTED, FOUND, SOURCE),
    ),
    CatalogueEntry(
        code="device.not_committed",
        title="The result is not bound to its device",
        message="The result of {function} is not bound to a device{at}.",
        why=(
            "An array that was made without saying where is unbound: it moves to wherever the arrays are "
            "that it meets. `jax.device_put` with a device or a sharding binds it."
        ),
        hint="Say where the result belongs:",
        example="x = jax.device_put(jnp.ones(3), jax.devices()[0])",
        lesson=_DEVICES,
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="device.committed",
        title="The result is bound to a device",
        message="The result of {function} is bound to a device{at}, although the task leaves that open.",
        why=(
            "Code that calls `jax.device_put` with a device decides for its callers where they compute. When "
            "its result meets an array that is bound elsewhere, JAX raises an error."
        ),
        hint="Leave out the device, and let the inputs decide:",
        example="x = jnp.zeros(3)",
        lesson=_DEVICES,
        params=(FUNCTION, SOURCE),
    ),
)
