"""Several simulated devices: where inputs are put, and where results are found."""

from __future__ import annotations

from typing import Any

import jax

from grader.engine.layouts import Layout, Placement
from grader.engine.meshes import placement, sharding


def simulate(devices: int) -> None:
    """Let JAX's backend, which must not have started yet, have so many devices on the CPU."""
    if devices > 1:
        jax.config.update("jax_num_cpu_devices", devices)


def placed(array: Any, layout: Layout | None) -> Any:  # noqa: ANN401 - any JAX array, or what is none
    """`array` where `layout` says; itself for None, and if it is no JAX array."""
    if layout is None or not isinstance(array, jax.Array):
        return array
    return jax.device_put(array, sharding(layout, array.ndim, jax.devices()))


def found(array: object) -> Placement | None:
    """Where an array lies; None for what is no JAX array, or has been deleted."""
    if not isinstance(array, jax.Array) or array.is_deleted():
        return None
    return placement(array)
