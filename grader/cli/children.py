"""Processes of ours that end with us, each below a guard that sees to it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.cli import guard
from grader.domain.errors import EngineFault
from grader.domain.text import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A process of ours. `name` is what people call it, `log` where it writes."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def require_running(self) -> None:
        """EngineFault, with the process's last words, if it has ended."""
        code = self.process.poll()
        if code is not None:
            raise EngineFault(
                f"the {self.name} ended with exit code {code}: {self._last_words()} (log: {self.log})"
            )

    def _last_words(self) -> str:
        lines = self.log.read_text("utf-8", "replace").strip().splitlines()
        return one_line(lines[-1], 300) if lines else "it said nothing."


@contextmanager
def child(
    name: str,
    arguments: Sequence[str],
    *,
    log: Path,
    environment: Mapping[str, str],
    patience_s: float,
    remove: Path | None = None,
) -> Iterator[Child]:
    """Run a command of the command line until the block ends, at the latest until this process does.

    At the end it is asked to stop and gets `patience_s`. `remove` is a folder that goes with it, also when
    this process cannot see to that any more.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    options = ["--patience", str(patience_s), *(["--remove", str(remove)] if remove else [])]
    # For its owner alone: what is said at a start may let somebody in.
    with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as sink:
        # A session of its own: Ctrl-C in a terminal reaches all processes in the foreground, and it is ours
        # to say when this one ends.
        process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", guard.__file__, *options),
                *(sys.executable, "-m", "grader.cli", *arguments),
            ],
            stdin=subprocess.PIPE,
            stdout=sink,
            stderr=sink,
            env=dict(environment),
            start_new_session=True,
        )
    try:
        yield Child(name=name, process=process, log=log)
    finally:
        if process.stdin is not None:
            process.stdin.close()
        process.wait()
