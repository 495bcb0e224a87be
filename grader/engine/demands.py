"""What an operator demands of the seal on a machine, as the environment says it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from grader.domain.errors import ConfigurationInvalid
from grader.domain.text import did_you_mean
from grader.engine.policy import Layer

REQUIRED, GROUPS = "GRADER_SEAL_REQUIRED", "GRADER_SEAL_GROUPS"
"""The two environment variables."""

ALWAYS = frozenset(
    {
        Layer.DESCRIPTORS,
        Layer.ENVIRONMENT,
        Layer.SCRATCH,
        Layer.NO_NEW_PRIVILEGES,
        Layer.LIMITS,
        Layer.SECCOMP,
    }
)
"""What every machine that grades must have, whatever its operator says.

Besides these it needs Landlock or a private root, since something has to guard the files, and a throwaway
identity if it is run by root. A default container gives all of that.
"""

_ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """`required` layers must be on, or nothing is graded; boxes may use the control groups in `groups`."""

    required: frozenset[Layer] = ALWAYS
    groups: tuple[Path, ...] = ()

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Read both variables; ConfigurationInvalid names the one that cannot be used."""
        values = os.environ if environ is None else environ
        return cls(
            required=ALWAYS | _layers(values.get(REQUIRED, "")), groups=_folders(values.get(GROUPS, ""))
        )


def _layers(text: str) -> frozenset[Layer]:
    """Layers by name and comma, `all` being every one; capitals do not matter."""
    known = {layer.value.lower(): layer for layer in Layer}
    names = [name for part in text.split(",") if (name := " ".join(part.lower().split()))]
    if _ALL in names:
        return frozenset(Layer)
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"Write all, or some of: {', '.join(known)}."
            raise ConfigurationInvalid(REQUIRED, f"the seal has no layer {name!r}.", hint)
    return frozenset(known[name] for name in names)


def _folders(text: str) -> tuple[Path, ...]:
    folders = tuple(Path(part) for part in text.split(os.pathsep) if part)
    for folder in folders:
        if not folder.is_absolute():
            raise ConfigurationInvalid(
                GROUPS, f"{folder} is no absolute path.", "Write /sys/fs/cgroup/NAME of a group that is ours."
            )
    return folders
