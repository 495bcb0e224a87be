"""What a block writes is its own, but for the line of a hang."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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


READS = """
import json, os, sys
os.makedirs({folder!r} + "/it.egg-info"), open({folder!r} + "/it.egg-info/entry_points.txt", "w").close()
open({folder!r} + "/notes.txt", "w").close()
sys.path.append({folder!r})
from grader.engine.candidate.counting import TraceCounter
from grader.engine.candidate.observing import Observer
with open({folder!r} + "/out", "w+") as out:
    answer = os.dup(1)
    os.dup2(out.fileno(), 1), os.dup2(out.fileno(), 2)
    with Observer(TraceCounter()).watch() as seen:
        {act}
    os.write(answer, json.dumps(seen.as_json()["events"]).encode())
"""


@pytest.mark.parametrize(
    "act, events",
    [
        ("open({folder!r} + '/it.egg-info/entry_points.txt').close()", []),
        ("os.listdir({folder!r})", []),
        ("open({folder!r} + '/notes.txt').close()", ["open"]),
        ("open({folder!r} + '/it.egg-info/entry_points.txt', 'a').close()", ["open"]),
        ("os.listdir({folder!r} + '/it.egg-info')", ["os.listdir"]),
        ("os.chdir({folder!r}); os.listdir()", ["os.chdir", "os.listdir"]),
    ],
)
def test_looking_for_packages_is_pythons_and_everything_else_the_submissions(
    tmp_path: Path, act: str, events: list[str]
) -> None:
    folder = str(tmp_path / "packages")
    program = READS.format(folder=folder, act=act.format(folder=folder))
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=120)
    assert [event for event, *_ in json.loads(run.stdout)] == events
