"""Programs over several simulated devices, on clients of XLA's apart from the one that programs are timed on.

JAX itself runs such a program: it knows how inputs and results lie. What it runs has been verified.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jaxlib import xla_client

from grader.domain.errors import ProgramFailed, ProgramRefused
from grader.engine.bench.answers import Aval, Refusal, Trouble
from grader.engine.bench.clock import Stages
from grader.engine.bench.evaluation import fitting
from grader.engine.bench.limits import BenchLimits
from grader.engine.bench.programs import Verified, verified
from grader.engine.layouts import MAX_DEVICES, WHOLE, Layout, Placement
from grader.engine.meshes import placement, sharding
from grader.engine.protocol import Leaf, LeafKind


def spread(
    blob: bytes,
    inputs: Sequence[Leaf],
    layouts: Sequence[Layout | None],
    *,
    limits: BenchLimits,
    stages: Stages,
) -> tuple[int, list[Leaf], list[Placement]]:
    """Number of devices, outputs, and where each lies. Inputs without a layout are whole on every device.

    ProgramRefused or ProgramFailed as for one device.
    """
    with stages.timed("read"):
        program = verified(blob, limits=limits, most_devices=MAX_DEVICES)
    devices = program.exported.nr_devices
    with stages.timed("run"), jax.enable_x64(True):
        try:
            outputs = _run(program, fitting(program.inputs, inputs), layouts)
        except jax.errors.JaxRuntimeError as exc:
            raise ProgramFailed(Trouble.RUN, str(exc).partition("\n")[0]) from exc
        except (ValueError, TypeError) as exc:
            raise ProgramRefused(Refusal.MALFORMED, "its inputs cannot be put on devices") from exc
        leaves = [_leaf(output, aval) for output, aval in zip(outputs, program.outputs, strict=True)]
    return devices, leaves, [placement(output) for output in outputs]


def _run(program: Verified, inputs: Sequence[Any], layouts: Sequence[Layout | None]) -> Sequence[jax.Array]:
    devices = _devices(program.exported.nr_devices)
    placed = []
    for array, aval, layout in zip(inputs, program.inputs, layouts, strict=True):
        given = array if aval.key is None else jax.random.wrap_key_data(array, impl=aval.key)
        placed.append(jax.device_put(given, sharding(layout or WHOLE, given.ndim, devices)))
    outputs = jax.jit(program.exported.call)(*placed)
    return jax.tree_util.tree_leaves(jax.block_until_ready(outputs))


@functools.cache
def _devices(count: int) -> Sequence[Any]:
    client: Any = xla_client.make_cpu_client(asynchronous=True, num_devices=count)
    return tuple(client.local_devices())


def _leaf(output: jax.Array, aval: Aval) -> Leaf:
    if aval.key is None:
        return Leaf.of(np.asarray(output), kind=LeafKind.JAX)
    return Leaf.of(np.asarray(jax.random.key_data(output)), kind=LeafKind.KEY, impl=aval.key)
