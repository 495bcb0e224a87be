"""Where the grader is installed, which is the operator's business alone: such paths leave no engine."""

from __future__ import annotations

import sys
import sysconfig
from functools import lru_cache
from pathlib import Path

import grader

HIDDEN = "…"
"""Stands for the folder that the grader or its packages lie in."""


def discreet(text: str) -> str:
    """`text` without the folders that the grader and its packages are installed in."""
    for folder in _folders():
        text = text.replace(folder, HIDDEN)
    return text


@lru_cache(maxsize=1)
def _folders() -> tuple[str, ...]:
    """Longest first, so that none hides a part of another."""
    own = {Path(grader.__file__).parent.parent, Path(sysconfig.get_path("purelib"))}
    if sys.prefix != sys.base_prefix:
        own.add(Path(sys.prefix))
    spellings = {str(spelling) for folder in own for spelling in (folder, folder.resolve())}
    return tuple(sorted(spellings - {"/", "."}, key=len, reverse=True))
