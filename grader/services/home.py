"""The folder for everything a node keeps, found without a look at its other settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def home_folder(environ: Mapping[str, str] | None = None) -> Path:
    """GRADER_HOME, or a folder among the user's data."""
    values = os.environ if environ is None else environ
    if given := values.get("GRADER_HOME"):
        return Path(given).expanduser().absolute()
    base = values.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "grader"
