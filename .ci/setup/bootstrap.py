"""Makes or refreshes .venv: ``python .ci/setup/bootstrap.py demo|test``. `make` calls it; stdlib only.

Says what it is doing and how far it is. pip's own words go to ``.venv/setup.log`` and are shown if it fails.
A stamp file per purpose tells `make` that nothing is left to do, so a second run does not start pip at all.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
LOG = VENV / "setup.log"
HOME_MARK = VENV / ".made-in"
"""Holds the folder the environment was made in: entry points name it, so a moved one must be made anew."""

SHOWN_MB = 5.0
"""Downloads below this size are not worth a line."""

PIP_FETCH = re.compile(
    r"^\s*(?:Downloading|Using cached) (?P<name>[^/\s]+?)-(?P<version>\d[^-\s]*)-\S+ \((?P<mb>[\d.]+) MB\)"
)


@dataclass(frozen=True)
class Purpose:
    """What an environment is for: pip's target and the sentence shown while it installs."""

    target: str
    says: str


PURPOSES = {
    "demo": Purpose(
        target=".", says="installing JAX and the other packages (about 200 MB to fetch, a minute or two)"
    ),
    "test": Purpose(
        target=".[test,torch]",
        says="installing JAX, PyTorch and the test tools (about 450 MB to fetch, 3 GB with PyTorch for CUDA)",
    ),
}


def main(arguments: list[str]) -> int:
    """Return 0 when the environment is ready, 1 when it could not be made, 2 for wrong use."""
    if len(arguments) != 1 or arguments[0] not in PURPOSES:
        say(f"usage: python .ci/setup/bootstrap.py {'|'.join(PURPOSES)}")
        return 2
    name = arguments[0]
    started = time.monotonic()
    try:
        make_environment()
        install(PURPOSES[name])
    except subprocess.CalledProcessError as failure:
        explain(failure)
        return 1
    except OSError as failure:
        say(f"Could not write {VENV}: {failure.strerror or failure}. Delete .venv and try again.")
        return 1
    for purpose in ("demo", name):
        (VENV / f".ready-{purpose}").touch()
    say(f"[3/3] ready after {time.monotonic() - started:.0f} s")
    return 0


def make_environment() -> None:
    """Keep a working environment that was made here; make a new one otherwise."""
    if usable():
        say(f"[1/3] using .venv ({version_of(VENV_PYTHON)})")
    else:
        say(f"[1/3] creating .venv ({version_of(Path(sys.executable))}, {sys.executable})")
        shutil.rmtree(VENV, ignore_errors=True)
        venv.create(VENV, with_pip=True, symlinks=sys.platform != "win32")
    HOME_MARK.write_text(str(ROOT), encoding="utf-8")


def usable() -> bool:
    """Whether .venv was made in this folder and its Python still starts."""
    moved = HOME_MARK.exists() and HOME_MARK.read_text(encoding="utf-8") != str(ROOT)
    return not moved and VENV_PYTHON.exists() and starts(VENV_PYTHON)


def starts(python: Path) -> bool:
    """Whether that interpreter runs and has pip."""
    return (
        subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
    )


def version_of(python: Path) -> str:
    """``Python 3.11.7`` of an interpreter."""
    return subprocess.run([python, "--version"], capture_output=True, check=True, text=True).stdout.strip()


def install(purpose: Purpose) -> None:
    """Run pip for one purpose; its output goes to the log, the large downloads to the screen."""
    say(f"[2/3] {purpose.says}")
    command = [
        *(str(VENV_PYTHON), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"),
        *("--progress-bar", "off", "--constraint", "constraints.txt", "--editable", purpose.target),
    ]
    with (
        LOG.open("w", encoding="utf-8") as log,
        subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as pip,
    ):
        for line in pip.stdout or ():
            log.write(line)
            show(line)
    if pip.returncode:
        raise subprocess.CalledProcessError(pip.returncode, command)


def show(line: str) -> None:
    """Turn one line of pip into a line for people, or into nothing."""
    fetched = PIP_FETCH.match(line)
    if fetched and float(fetched["mb"]) >= SHOWN_MB:
        say(f"      {fetched['name']} {fetched['version']} ({fetched['mb']} MB)")
    elif line.startswith("Installing collected packages:"):
        say(f"      unpacking {line.count(',') + 1} packages")


def explain(failure: subprocess.CalledProcessError) -> None:
    """Say what failed, with pip's last words and what usually helps."""
    say(f"\nThe step failed: {' '.join(map(str, failure.cmd))}")
    if LOG.exists():
        tail = LOG.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
        say("\n".join(f"    {line}" for line in tail))
        say(f"All of pip's output: {LOG}")
    say(
        "Usual causes: no network, a package index out of reach (see `pip config list`), a full disk,"
        " or a Python that the pinned JAX has no wheels for.\n"
        "Mend that and run the same command again; `make clean` before it starts afresh."
    )


def say(text: str) -> None:
    """Print at once, also when the output is a pipe."""
    print(text, flush=True)  # noqa: T201 - this script runs before there is anything better to print with


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
