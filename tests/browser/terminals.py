"""The documentation's picture of a terminal: a sample of the demo, checked on this machine."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.content.assignments import find_assignment

ASSIGNMENT, SAMPLE = "functional-core", "reuses_key.py"
COLUMNS = 98


def shoot_check(path: Path) -> None:
    """What `grader check` prints about the sample, as an SVG."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(f"$ grader check {SAMPLE} --assignment {ASSIGNMENT}", highlight=False)
    console.print(Text.from_ansi(_checked()))
    console.save_svg(str(path), title="grader check")


def _checked() -> str:
    """The sample costs points, so the command ends with 1 at most."""
    samples = find_assignment(ASSIGNMENT) / "samples"
    done = subprocess.run(
        [sys.executable, "-m", "grader.cli", "check", SAMPLE, "--assignment", ASSIGNMENT],
        cwd=samples,
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS - 2)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"the sample was not checked: {done.stderr}")
    return done.stdout
