"""The one door to the platform: sealed boxes where the system can, unsealed ones elsewhere.

Importable everywhere; what only Linux has is imported when it is asked for.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, cast

from grader.domain.errors import SealUnavailable
from grader.engine.policy import Box, BoxPolicy, End, EndKind, Launcher, Layer, LayerStatus, Role

__all__ = [
    "DEFAULT_REQUIRED",
    "Box",
    "BoxPolicy",
    "End",
    "EndKind",
    "Launcher",
    "LayerStatus",
    "Role",
    "diagnose",
    "open_launcher",
]

DEFAULT_REQUIRED = frozenset(
    layer.value
    for layer in (
        Layer.DESCRIPTORS,
        Layer.ENVIRONMENT,
        Layer.SCRATCH,
        Layer.NO_NEW_PRIVILEGES,
        Layer.LIMITS,
        Layer.SECCOMP,
    )
)
"""Besides these a sealed launcher needs Landlock or a private root and, run by root, a throwaway identity."""


def open_launcher(*, sealed: bool | None = None, required: frozenset[str] = DEFAULT_REQUIRED) -> Launcher:
    """A launcher: sealed on Linux, unsealed elsewhere, unless `sealed` says which.

    SealUnavailable if boxes must be sealed and a required layer is missing: nothing may then be graded.
    """
    on_linux = sys.platform == "linux"
    if not (on_linux if sealed is None else sealed):
        return cast("Launcher", _engine("portable").PortableLauncher())
    if not on_linux:
        raise SealUnavailable("Linux", f"this is {sys.platform}.", "Grade other people's work on Linux.")
    return cast("Launcher", _engine("linux.launcher").SealedLauncher(required=required))


def diagnose(required: frozenset[str] = DEFAULT_REQUIRED) -> tuple[LayerStatus, ...]:
    """What `grader doctor` tells about the seal: every layer, tried out; one line where there can be none."""
    if sys.platform != "linux":
        why = f"this is {sys.platform}; submissions would run unsealed"
        return (LayerStatus(name="seal", available=False, required=True, why=why, remedy="Grade on Linux."),)
    return cast("tuple[LayerStatus, ...]", _engine("linux.survey").survey(required))


def _engine(module: str) -> Any:  # noqa: ANN401 - a module that other systems could not import
    return importlib.import_module(f"grader.engine.{module}")
