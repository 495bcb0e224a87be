"""The same acts where the seal has less to work with: run by an ordinary user, and by a container's root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("the seal is Linux's", allow_module_level=True)

pytestmark = [
    pytest.mark.linux,
    pytest.mark.slow,
    pytest.mark.skipif(
        os.geteuid() != 0, reason="only root can become somebody else; the acts ran as who we are"
    ),
]

REPOSITORY = Path(__file__).parents[2]
SUITES = ("tests/hostile/test_seal_acts.py", "tests/unit/engine/linux/test_launcher.py")


@pytest.fixture
def anybodys_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="elsewhere-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("kind", ["user", "container"])
def test_the_seal_holds_for_a(kind: str, anybodys_folder: Path):
    program = [sys.executable, "-m", "tests.ordinary", kind, "-m", "pytest", *SUITES]
    options = ["-q", "-p", "no:cacheprovider", "-m", "not slow", "--basetemp", str(anybodys_folder / "tests")]
    run = subprocess.run(
        [*program, *options], cwd=REPOSITORY, capture_output=True, text=True, timeout=280, check=False
    )
    if "Operation not permitted: 'unshare" in run.stderr:
        pytest.skip("no mount namespace may be made here")
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    print(run.stdout[-3000:])
