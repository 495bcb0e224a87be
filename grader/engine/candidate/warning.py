"""Warnings that a library gives are not the submission's output.

JAX tells of a narrowed dtype by a warning on standard error. That is advice to the author, not a side effect
of the function; a warning which submitted code gives itself is one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Container


def keep_own_only(files: Container[str]) -> None:
    """Show only warnings that code in one of `files` asks for."""
    show = warnings.showwarning

    def shown(*args: object, **options: object) -> None:
        frame = sys._getframe(1)  # noqa: SLF001 - who warns is told by the stack alone
        while frame.f_back is not None and frame.f_globals.get("__name__") == "warnings":
            frame = frame.f_back
        if frame.f_code.co_filename in files:
            show(*args, **options)  # type: ignore[arg-type]

    warnings.showwarning = shown
