"""Takes one layer of the seal away at a time and shows which attacks then leave a mark.

    python -m tests.hostile.layers [--without-namespaces]

The attacks run in boxes of tests, not in the grader, with stand-ins for JAX: only what they reach is looked
at. With ``--without-namespaces`` this starts from what a container leaves of the seal. Attacks that exhaust
the machine are left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from grader.engine.demands import Demands
from grader.engine.linux.launcher import SealedLauncher
from grader.engine.linux.probe import Fault
from grader.engine.linux.zygotes import Zygote
from grader.engine.policy import BoxPolicy, Layer, Role
from grader.engine.protocol import ChannelClosed
from tests.boxes import INMATES, WITHOUT_NAMESPACES, Inmate, Refused
from tests.hostile.aftermath import Aftermath
from tests.hostile.cases import Case, read_cases
from tests.hostile.costs import BARE

REACHING = frozenset({"1", "2", "6"})
"""Groups whose attacks mark what they reach."""

_STAND_INS = """
import sys, types
from unittest.mock import MagicMock
for name in ("jax", "jax.numpy", "jax.lax", "numpy"):
    sys.modules[name] = MagicMock()
names = {{"__name__": "submission", "__file__": "submission.py"}}
try:
    exec({text!r}, names)
    names[{target!r}](MagicMock(), MagicMock())
except BaseException as exc:
    print(type(exc), exc)
result = "ran"
"""


class Weakened(SealedLauncher):
    """Starts boxes whatever is missing of their seal; for this experiment alone."""

    def _faults(self, zygote: Zygote) -> tuple[Fault, ...]:
        del zygote
        return ()


def main() -> int:
    """Print, for each layer, what got through without it."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.layers", description=__doc__)
    parser.add_argument("--without-namespaces", action="store_true", help="start from a container's seal")
    whole = WITHOUT_NAMESPACES if parser.parse_args().without_namespaces else frozenset(Layer)
    cases = [case for case in read_cases() if case.group in REACHING and not case.honest]
    without = {"nothing": whole, **{layer.value: whole - {layer} for layer in Layer if layer in whole}}
    without["all but streams and scratch"] = BARE  # to see that marks are seen
    for name, layers in without.items():
        print(f"{name:28}", end=" ", flush=True)
        try:
            through = list(_through(cases, layers))
        except Exception as exc:  # noqa: BLE001 - a box that cannot be had is a finding, too
            print(f"no box can be had: {exc}")
            continue
        print(", ".join(through) or "none")
    return 0


def _through(cases: list[Case], layers: frozenset[Layer]) -> Iterator[str]:
    launcher = Weakened(
        demands=Demands(required=frozenset()),
        servers=dict.fromkeys(Role, "inmate"),
        readable=(str(INMATES),),
        wanted=layers,
    )
    try:
        with Aftermath() as watch:
            for case in cases:
                _attack(launcher, case)
                if watch.violations():
                    watch.wipe()
                    yield case.id
    finally:
        launcher.close()


def _attack(launcher: SealedLauncher, case: Case) -> None:
    inmate = Inmate(launcher.start(BoxPolicy(role=Role.CANDIDATE, memory_mib=1024)))
    try:
        with inmate.box.deadline(3):
            inmate.run(_STAND_INS.format(text=case.path.read_text(), target=case.target))
    except (ChannelClosed, Refused):
        return
    finally:
        inmate.box.close()


if __name__ == "__main__":
    sys.exit(main())
