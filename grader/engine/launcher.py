"""The one door to the platform: sealed boxes where the system can, unsealed ones elsewhere. Importable everywhere."""

from __future__ import annotations

import sys

from grader.domain.errors import SealUnavailable
from grader.engine.policy import Box, BoxPolicy, End, EndKind, Launcher, Layer, LayerStatus, Role

__all__ = [
    "DEFAULT_REQUIRED", "Box", "BoxPolicy", "End", "EndKind", "Launcher", "LayerStatus", "Role",
    "open_launcher",
]  # fmt: skip

DEFAULT_REQUIRED = frozenset(
    layer.value
    for layer in (Layer.DESCRIPTORS, Layer.ENVIRONMENT, Layer.NO_NEW_PRIVILEGES, Layer.LIMITS, Layer.SECCOMP)
)
"""Besides these, every sealed launcher needs Landlock or a private root, and, as root, a throwaway identity."""


def open_launcher(*, sealed: bool | None = None, required: frozenset[str] = DEFAULT_REQUIRED) -> Launcher:
    """A launcher: sealed on Linux, unsealed elsewhere, unless `sealed` says which.

    SealUnavailable if boxes must be sealed and a required layer is missing; nothing may then be graded.
    """
    if sealed is None:
        sealed = sys.platform == "linux"
    if not sealed:
        from grader.engine.portable import PortableLauncher

        return PortableLauncher()
    if sys.platform != "linux":
        raise SealUnavailable("Linux", f"this is {sys.platform}", "Grade untrusted work on a Linux machine.")
    from grader.engine.linux.launcher import SealedLauncher

    return SealedLauncher(required=required)
