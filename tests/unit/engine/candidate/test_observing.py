"""What a block writes is its own, but for the line of a hang."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# An observer hooks into its whole process: each case has one of its own, with seekable output, as a box has.
PROGRAM = """
import json, os, sys, tempfile
out, errors, answer = tempfile.TemporaryFile(), tempfile.TemporaryFile(), os.dup(1)
os.dup2(out.fileno(), 1), os.dup2(errors.fileno(), 2)
from grader.engine.candidate.counting import TraceCounter
from grader.engine.candidate.observing import Observer
with Observer(TraceCounter()).watch(ours_after_s={after}) as seen:
    os.write({stream}, b"hello")
os.write(answer, json.dumps(seen.as_json()).encode())
"""


def observed(*, stream: int, after: float | None) -> tuple[str, int]:
    command = [sys.executable, "-c", PROGRAM.format(stream=stream, after=after)]
    seen = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=120).stdout)
    return seen["output"], seen["output_bytes"]


@pytest.mark.parametrize("stream", [1, 2])
def test_what_is_written_to_either_stream_is_seen(stream: int) -> None:
    assert observed(stream=stream, after=None) == ("hello", 5)


def test_before_a_hang_is_near_standard_error_is_the_submissions() -> None:
    assert observed(stream=2, after=1e6) == ("hello", 5)


def test_once_a_hang_is_near_standard_error_is_ours() -> None:
    assert observed(stream=2, after=0.0) == ("", 0)


def test_standard_output_is_the_submissions_however_long_it_takes() -> None:
    assert observed(stream=1, after=0.0) == ("hello", 5)
