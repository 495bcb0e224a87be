"""What leaves the engine does not tell where it is installed."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import grader
from grader.engine.whereabouts import HIDDEN, discreet

HOME = str(Path(grader.__file__).parent.parent)


def test_the_folder_of_the_grader_is_left_out() -> None:
    assert discreet(f'File "{HOME}/grader/engine/session.py", line 3') == (
        f'File "{HIDDEN}/grader/engine/session.py", line 3'
    )


def test_the_folder_of_installed_packages_is_left_out_whole() -> None:
    assert discreet(f"{sysconfig.get_path('purelib')}/jax/_src/core.py") == f"{HIDDEN}/jax/_src/core.py"


def test_other_paths_stay() -> None:
    assert discreet("open('/etc/passwd'), submission.py") == "open('/etc/passwd'), submission.py"
