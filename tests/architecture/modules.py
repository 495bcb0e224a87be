"""What our packages consist of, found on disk, and how to import it in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("grader", "rubrics", "workers")
PROBE = Path(__file__).with_name("probe.py")

LOADED_BY_PATH = ("grader/db/migrations/",)
"""Folders whose files no import statement names: Alembic runs them itself."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A module that could not be imported as asked, and why."""

    module: str
    reason: str

    def __str__(self) -> str:
        return f"{self.module}: {self.reason}"


def sources(*packages: str) -> list[Path]:
    """Every Python file of our packages (or of those named), without what is loaded by path."""
    found = [file for package in packages or PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    return [file for file in found if not file.relative_to(ROOT).as_posix().startswith(LOADED_BY_PATH)]


def module_name(file: Path) -> str:
    """``grader.db`` for ``grader/db/__init__.py``."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def our_modules(*prefixes: str) -> list[str]:
    """Dotted names of all our modules, or of those below the named packages. `__main__` files are scripts."""
    names = [module_name(file) for file in sources() if file.name != "__main__.py"]
    return [
        name
        for name in names
        if not prefixes or name.startswith(tuple(f"{p}." for p in prefixes)) or name in prefixes
    ]


def probe(mode: str, modules: list[str], **options: Any) -> list[Failure]:  # noqa: ANN401 - becomes JSON
    """Run `probe.py` in a fresh interpreter; the modules that failed, with their reasons."""
    request = json.dumps({"mode": mode, "modules": modules, **options})
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:__main__", PROBE],
        input=request,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=540,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [Failure(**failure) for failure in json.loads(done.stdout.splitlines()[-1])]
