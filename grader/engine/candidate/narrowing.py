"""Hears which 64-bit types a submission asks for and does not get.

JAX says so in a warning, which a filter of the submission's may silence and which Python gives once for each
place. So it is heard where JAX gives it.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Container
from typing import Any

from jax._src import dtypes

MAX_HEARD = 20
_TEXT = re.compile(r"Explicitly requested dtype (\S+) .*truncated to dtype (\w+)", re.DOTALL)


class NarrowingEar:
    """What JAX tells of types that were asked for, made narrower. One per process."""

    def __init__(self) -> None:
        self.files: Container[str] = ()
        """The submitted files: whatever else asks is not noted."""
        self._heard: list[list[str]] = []

    def install(self) -> None:
        """Listen from now on. JAX's own `warnings.warn` is called as ever."""
        vars(dtypes)["warnings"] = _Warnings(self)

    def heard(self) -> list[list[str]]:
        """[file, line, type asked for, type made] of each request since the last time this was asked."""
        heard, self._heard = self._heard, []
        return heard

    def hear(self, text: str) -> None:
        match = _TEXT.match(text)
        if match is None or len(self._heard) >= MAX_HEARD:
            return
        frame: Any = sys._getframe(1)  # noqa: SLF001 - who asks is told by the stack alone
        while frame is not None and frame.f_code.co_filename not in self.files:
            frame = frame.f_back
        if frame is not None:
            asked = match[1].removeprefix("dtype('").removesuffix("')")
            self._heard.append([frame.f_code.co_filename, str(frame.f_lineno), asked, match[2]])


class _Warnings:
    """Stands for the module `warnings` in one module of JAX."""

    def __init__(self, ear: NarrowingEar) -> None:
        self._ear = ear

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module has
        return getattr(warnings, name)

    def warn(
        self, message: str, category: type[Warning] = UserWarning, stacklevel: int = 1, **options: object
    ) -> None:
        del options
        self._ear.hear(message)
        warnings.warn(message, category, stacklevel=stacklevel + 1)
