"""What `grader doctor` tells about the seal: every layer, tried out on this machine."""

from __future__ import annotations

from grader.engine.demands import Demands
from grader.engine.linux.launcher import REMEDIES, SealedLauncher, demanded, name_of
from grader.engine.linux.probe import Fault
from grader.engine.policy import Layer, LayerStatus


class _Survey(SealedLauncher):
    """A launcher that only wants to know: it notes what is wrong instead of refusing to work."""

    faults: tuple[Fault, ...] = ()

    def _accept(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults


def survey(demands: Demands) -> tuple[LayerStatus, ...]:
    """One status a layer, and one of the interpreter. Starts no JAX: it takes a fraction of a second."""
    launcher = _Survey(demands=demands, servers={})
    launcher.close()
    on = frozenset(layer for layer in Layer if layer.value in launcher.layers)
    wrong = {fault.layer: fault.found for fault in launcher.faults}
    must = demanded(demands.required, on)
    statuses = []
    for layer in (*Layer, None):
        available = (layer is None or layer in on) and layer not in wrong
        statuses.append(
            LayerStatus(
                name=name_of(layer),
                available=available,
                required=layer is None or layer in must,
                why=wrong.get(layer) or (launcher.notes.get(layer, "") if layer else ""),
                remedy="" if available else REMEDIES.get(layer, ""),
            )
        )
    return tuple(statuses)
