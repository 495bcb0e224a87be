"""Right after the fork: put on the seal, layer by layer, say so, then play the role. Never returns.

The order matters. Mounting and changing user need privileges that later layers take away; Landlock needs
paths that only the finished box has; the filter comes last because it refuses the calls of all the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.engine import box
from grader.engine.linux import readable
from grader.engine.linux.orders import Order
from grader.engine.linux.readable import Readable
from grader.engine.linux.seal import (
    descriptors,
    environment,
    identity,
    landlock,
    limits,
    privileges,
    scratch,
    seccomp,
)
from grader.engine.policy import Layer
from grader.engine.protocol import Channel, ChannelClosed, Message

SEALED = "sealed"
"""Kind of the first message of a box whose seal is on."""
UNSEALED = "unsealed"
"""Kind of the only message of a box that could not put on a layer: ``{"layer", "reason"}``."""


class LayerFailed(Exception):
    """A layer that was to be put on could not be."""

    def __init__(self, layer: Layer, reason: OSError) -> None:
        super().__init__(f"{layer.value}: {reason}")
        self.layer, self.reason = layer, reason


def run(order: Order, *, sockets: tuple[int, int, int], layers: frozenset[Layer], may_read: Readable) -> None:
    """Become the box of `order`. `sockets` are the channel and where output and errors go."""
    parent = os.getppid()
    descriptors.keep_only(*sockets)
    channel = box.channel_over(descriptors.CHANNEL, descriptors.CHANNEL)
    try:
        _seal(order, layers, may_read, parent)
        channel.send(Message(kind=SEALED))
    except LayerFailed as failure:
        _report(channel, failure)
        os._exit(box.EXIT_FAILED)
    box.replace_streams()
    status = box.serve(order.module, channel, role=order.policy.role, world=order.policy.world)
    box.leave(status)


def _report(channel: Channel, failure: LayerFailed) -> None:
    try:
        channel.send(
            Message(kind=UNSEALED, data={"layer": failure.layer.value, "reason": str(failure.reason)})
        )
    except ChannelClosed:
        return


def _seal(order: Order, layers: frozenset[Layer], may_read: Readable, parent: int) -> None:
    policy = order.policy
    folder = Path(order.scratch or "/")
    with _layer(Layer.ENVIRONMENT):
        environment.choose_cores(policy.threads, turn=order.number)
        cores = len(os.sched_getaffinity(0))
    if Layer.SCRATCH in layers and order.scratch is None:
        with _layer(Layer.SCRATCH):
            folder = scratch.mount(policy.scratch_mib)
    rules = -1
    if Layer.LANDLOCK in layers:
        with _layer(Layer.LANDLOCK):
            rules = landlock.ruleset(_grants(may_read, folder, private_root=Layer.PRIVATE_ROOT in layers))
    if Layer.IDENTITY in layers and order.uid is not None:
        with _layer(Layer.IDENTITY):
            scratch.hand_over(folder, order.uid)
            identity.become(order.uid)
    with _layer(Layer.ENVIRONMENT):
        environment.replace(folder)
    if Layer.NO_NEW_PRIVILEGES in layers:
        with _layer(Layer.NO_NEW_PRIVILEGES):
            privileges.drop_capabilities()
            privileges.die_with(parent)
            privileges.forbid_inspection()
            privileges.forbid_new_privileges()
    if Layer.LIMITS in layers:
        with _layer(Layer.LIMITS):
            limits.impose(policy, cores=cores, own_user=Layer.IDENTITY in layers)
    if Layer.LANDLOCK in layers:
        with _layer(Layer.LANDLOCK):
            landlock.enforce(rules)
    if Layer.SECCOMP in layers:
        with _layer(Layer.SECCOMP):
            seccomp.install()


@contextmanager
def _layer(layer: Layer) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise LayerFailed(layer, exc) from exc


def _grants(may_read: Readable, folder: Path, *, private_root: bool) -> Iterator[tuple[Path, int]]:
    """What Landlock allows. In a private root the masks are in place, so whole folders can be granted."""
    whole = (*may_read.folders, *may_read.product, *may_read.copied)
    read, listed = (whole, ()) if private_root else readable.expanded(may_read)
    yield from ((path, landlock.READ) for path in read)
    yield from ((path, landlock.LIST) for path in listed)
    yield from ((path, landlock.DEVICE) for path in readable.DEVICES)
    yield folder, landlock.WRITE
