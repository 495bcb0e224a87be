"""One home, one grader that is up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.cli.embedded import only_one
from grader.domain.errors import ConfigurationInvalid

HOLDS = """
import sys
from pathlib import Path
from grader.cli.embedded import only_one
with only_one(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_grader_over_one_home_is_refused_and_told_who_is_there(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"held\n"
        with pytest.raises(ConfigurationInvalid, match=rf"process {first.pid}\)"), only_one(tmp_path):
            pytest.fail("both were let in")
        first.kill()
    with only_one(tmp_path):  # the dead hold nothing
        assert (tmp_path / "up.lock").read_text() == str(os.getpid())


def test_a_home_can_be_used_again_and_another_at_the_same_time(tmp_path: Path) -> None:
    for _ in range(2):
        with only_one(tmp_path / "one"), only_one(tmp_path / "other"):
            continue


def test_a_home_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationInvalid, match="cannot be written"), only_one(tmp_path / "file"):
        pytest.fail("a file was taken for a folder")
