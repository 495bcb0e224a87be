"""Right after the fork: put on the seal, layer by layer, say so, then play the role. Never returns.

The order matters. Mounting and changing user need privileges that later layers take away; Landlock's rules
name paths that the new user might not find; the filter comes last as it refuses the calls of all the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from grader.engine import box
from grader.engine.linux import readable
from grader.engine.linux.orders import Order
from grader.engine.linux.readable import Readable
from grader.engine.linux.seal import (
    descriptors,
    environment,
    groups,
    identity,
    landlock,
    limits,
    nvidia,
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


def run(
    order: Order,
    *,
    sockets: tuple[int, int, int],
    doors: tuple[int, ...],
    layers: frozenset[Layer],
    may_read: Readable,
) -> None:
    """Become the box of `order`.

    `sockets` are the channel and where output and errors go; `doors` lead into its control group.
    """
    entered = _failure(lambda: groups.enter(doors))  # first of all: what comes next counts already
    seal = _Seal(order, layers, may_read)
    descriptors.keep_only(*sockets)
    channel = box.channel_over(descriptors.CHANNEL, descriptors.CHANNEL)
    try:
        if entered is not None:
            raise LayerFailed(Layer.CONTROL_GROUP, entered)  # noqa: TRY301 - told as all failures are
        seal.put_on()
        channel.send(Message(kind=SEALED))
    except LayerFailed as failure:
        _report(channel, failure)
        os._exit(box.EXIT_FAILED)
    box.replace_streams()
    status = box.serve(order.module, channel, role=order.policy.role, world=order.policy.world)
    box.leave(status)


def _failure(step: Callable[[], None]) -> OSError | None:
    try:
        step()
    except OSError as exc:
        return exc
    return None


def _report(channel: Channel, failure: LayerFailed) -> None:
    data = {"layer": failure.layer.value, "reason": str(failure.reason)}
    try:
        channel.send(Message(kind=UNSEALED, data=data))
    except ChannelClosed:
        return


class _Seal:
    """The layers of one box, put on one after the other."""

    def __init__(self, order: Order, layers: frozenset[Layer], may_read: Readable) -> None:
        self._order, self._layers, self._may_read = order, layers, may_read
        self._parent = os.getppid()
        self._folder = Path(order.scratch or "/")
        self._rules = -1

    def put_on(self) -> None:
        """LayerFailed if one of them cannot be."""
        steps: tuple[tuple[Layer, Callable[[], None]], ...] = (
            (Layer.ENVIRONMENT, self._choose_cores),
            (Layer.SCRATCH, self._mount_scratch),
            (Layer.LANDLOCK, self._collect_rules),
            (Layer.IDENTITY, self._become_somebody_else),
            (Layer.ENVIRONMENT, self._replace_environment),
            (Layer.NO_NEW_PRIVILEGES, lambda: privileges.give_up(parent=self._parent)),
            (Layer.LIMITS, self._impose_limits),
            (Layer.LANDLOCK, lambda: landlock.enforce(self._rules)),
            (Layer.SECCOMP, lambda: seccomp.install(gpu=self._order.policy.gpu)),
        )
        for layer, step in steps:
            if layer in self._layers:
                try:
                    step()
                except OSError as exc:
                    raise LayerFailed(layer, exc) from exc

    def _choose_cores(self) -> None:
        environment.choose_cores(self._order.policy.threads, turn=self._order.number)

    def _mount_scratch(self) -> None:
        if self._order.scratch is None:
            self._folder = scratch.mount(self._order.policy.scratch_mib)

    def _collect_rules(self) -> None:
        # In a private root the masks are in place, so that whole folders can be granted.
        whole = (*self._may_read.folders, *self._may_read.product, *self._may_read.copied)
        private = Layer.PRIVATE_ROOT in self._layers
        read, listed = (whole, ()) if private else readable.expanded(self._may_read)
        grants = (
            *((path, landlock.READ) for path in read),
            *((path, landlock.LIST) for path in listed),
            *((path, landlock.DEVICE) for path in readable.DEVICES),
            (self._folder, landlock.WRITE),
            *self._driver(),
        )
        self._rules = landlock.ruleset(grants)

    def _driver(self) -> Iterator[tuple[Path, int]]:
        """What a bench on a GPU node may reach besides; no box else, though all of them share one root."""
        if self._order.policy.gpu:
            yield from ((path, landlock.DRIVER) for path in nvidia.nodes())
            yield from ((path, landlock.READ) for path in nvidia.facts())

    def _replace_environment(self) -> None:
        environment.replace(self._folder, also=nvidia.VARIABLES if self._order.policy.gpu else {})

    def _become_somebody_else(self) -> None:
        if self._order.uid is not None:
            scratch.hand_over(self._folder, self._order.uid)
            identity.become(self._order.uid)

    def _impose_limits(self) -> None:
        cores = len(os.sched_getaffinity(0))
        limits.impose(self._order.policy, cores=cores, own_user=Layer.IDENTITY in self._layers)
