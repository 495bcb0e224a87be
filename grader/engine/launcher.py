"""The one door to the platform: sealed boxes where the system can, unsealed ones elsewhere.

Importable everywhere; what only Linux has is imported when it is asked for.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, cast

from grader.domain.errors import SealUnavailable
from grader.engine.demands import Demands
from grader.engine.policy import Box, BoxPolicy, End, EndKind, Launcher, LayerStatus, Role

__all__ = [
    "Box",
    "BoxPolicy",
    "Demands",
    "End",
    "EndKind",
    "Launcher",
    "LayerStatus",
    "Role",
    "diagnose",
    "open_launcher",
]


def open_launcher(*, sealed: bool | None = None, demands: Demands | None = None) -> Launcher:
    """A launcher: sealed on Linux, unsealed elsewhere, unless `sealed` says which.

    SealUnavailable if boxes must be sealed and a layer of `demands`, by default the environment's, is
    missing: nothing may then be graded.
    """
    on_linux = sys.platform == "linux"
    if not (on_linux if sealed is None else sealed):
        return cast("Launcher", _engine("portable").PortableLauncher())
    if not on_linux:
        raise SealUnavailable("Linux", f"this is {sys.platform}.", "Grade other people's work on Linux.")
    return cast(
        "Launcher", _engine("linux.launcher").SealedLauncher(demands=demands or Demands.from_environment())
    )


def diagnose(demands: Demands | None = None) -> tuple[LayerStatus, ...]:
    """What `grader doctor` tells about the seal: every layer, tried out; one line where there can be none."""
    if sys.platform != "linux":
        why = f"this is {sys.platform}; submissions would run unsealed"
        return (LayerStatus(name="seal", available=False, required=True, why=why, remedy="Grade on Linux."),)
    return cast(
        "tuple[LayerStatus, ...]", _engine("linux.survey").survey(demands or Demands.from_environment())
    )


def _engine(module: str) -> Any:  # noqa: ANN401 - a module that other systems could not import
    return importlib.import_module(f"grader.engine.{module}")
