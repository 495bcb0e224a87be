"""Layer: a user and group that own nothing and are nobody else's."""

from __future__ import annotations

import os
import re
from pathlib import Path

_NEEDED = {"CHOWN": 0, "KILL": 5, "SETGID": 6, "SETUID": 7}
"""Capabilities, by number, to hand over a folder, end the box, and become somebody else."""


def become(uid: int) -> None:
    """Give up who we are for the user and group `uid`, for good, with no further groups."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def unavailable(status: Path = Path("/proc/self/status")) -> str:
    """Why this process cannot become somebody else; empty if it can."""
    if os.geteuid() != 0:
        return "only root can become somebody else"
    held = (
        re.search(r"^CapEff:\s*([0-9a-f]+)$", status.read_text(), re.MULTILINE) if status.exists() else None
    )
    bits = int(held[1], 16) if held else ~0
    lacking = [name for name, bit in _NEEDED.items() if not bits >> bit & 1]
    return f"root lacks the capabilities {', '.join(lacking)} here" if lacking else ""
