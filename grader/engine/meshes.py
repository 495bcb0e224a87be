"""Layouts as JAX's shardings, and where arrays lie as placements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

from grader.engine.layouts import Layout, LayoutKind, Placement

AXIS = "devices"
"""Arrays are split over a mesh that has this one axis."""


def sharding(layout: Layout, rank: int, devices: Sequence[Any]) -> jax.sharding.Sharding:
    """The layout of an array with `rank` axes over `devices`; ValueError for a device or axis that is not."""
    if layout.kind is LayoutKind.ON:
        if layout.number >= len(devices):
            raise ValueError(f"there is no device {layout.number} among {len(devices)}")
        return SingleDeviceSharding(devices[layout.number])
    axes: list[str | None] = [None] * rank
    if layout.kind is LayoutKind.SPLIT:
        if not -rank <= layout.number < rank:
            raise ValueError(f"there is no axis {layout.number} to split among {rank}")
        axes[layout.number] = AXIS
    return NamedSharding(Mesh(np.array(devices), (AXIS,)), PartitionSpec(*axes))


def placement(array: jax.Array) -> Placement:
    """Where an array lies, which must not have been deleted."""
    return Placement(
        devices=tuple(sorted(device.id for device in array.devices())),
        shard=tuple(array.sharding.shard_shape(array.shape)),
        committed=bool(array.committed),
    )
