"""Measures what the seal costs: ``python -m tests.hostile.costs``.

A box is started, answers, and is closed, with more and more of the seal on; the sets take turns, so that
other work on the machine disturbs all of them alike.
"""

from __future__ import annotations

import statistics
import sys
import time
from contextlib import ExitStack

from grader.engine.demands import Demands
from grader.engine.linux.launcher import SealedLauncher
from grader.engine.linux.probe import Fault
from grader.engine.linux.zygotes import Zygote
from grader.engine.policy import BoxPolicy, Layer, Role
from tests.boxes import INMATES, Inmate

ROUNDS = 40
BARE = frozenset({Layer.DESCRIPTORS, Layer.ENVIRONMENT, Layer.SCRATCH})
"""What even a box without a seal has: streams and a folder of its own."""
ORDER = (
    Layer.LIMITS,
    Layer.NO_NEW_PRIVILEGES,
    Layer.SECCOMP,
    Layer.LANDLOCK,
    Layer.IDENTITY,
    Layer.NETWORK_NAMESPACE,
    Layer.PROCESS_NAMESPACE,
    Layer.PRIVATE_ROOT,
)


class _Lenient(SealedLauncher):
    """Starts boxes whatever is missing of their seal; for measuring, and never with code of others."""

    def _faults(self, zygote: Zygote) -> tuple[Fault, ...]:
        del zygote
        return ()


def main() -> int:
    """Print milliseconds, medians over all rounds."""
    sets = [BARE]
    for layer in ORDER:
        sets.append(sets[-1] | {layer})
    with ExitStack() as stack:
        launchers = [_launcher(layers) for layers in sets]
        for launcher in launchers:
            stack.callback(launcher.close)
        taken = [[_seconds(launcher) for launcher in launchers] for _ in range(ROUNDS)]
    medians = [1e3 * statistics.median(column) for column in zip(*taken, strict=True)]
    print(f"{'a fork without a seal':28} {medians[0]:7.1f} ms")
    for layer, launcher, before, after in zip(ORDER, launchers[1:], medians, medians[1:], strict=False):
        note = "" if layer.value in launcher.layers else "   (not to be had here)"
        print(f"+ {layer.value:26} {after - before:+7.1f} ms{note}")
    print(f"{'the whole seal':28} {medians[-1]:7.1f} ms, {medians[-1] - medians[0]:.1f} ms of it the seal's")
    return 0


def _launcher(layers: frozenset[Layer]) -> _Lenient:
    servers = dict.fromkeys(Role, "inmate")
    return _Lenient(
        demands=Demands(required=frozenset()), servers=servers, readable=(str(INMATES),), wanted=layers
    )


def _seconds(launcher: SealedLauncher) -> float:
    """From the order of a box to its first answer; its end is not counted."""
    began = time.perf_counter()
    inmate = Inmate(launcher.start(BoxPolicy(role=Role.CANDIDATE, memory_mib=1024)))
    inmate.run("result = 1")
    taken = time.perf_counter() - began
    inmate.box.close()
    return taken


if __name__ == "__main__":
    sys.exit(main())
