"""What submitted code reads from outside, and that nobody else's reading counts."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# Ears stay open in their process, so that each case has one of its own.
PROGRAM = """
import json, os
from grader.engine.candidate import outside, worlds
heard = []
os.environ["KNOWN"] = "here"
worlds.enter({world})
outside.hear(lambda what, name, file: heard.append([what, name, file]))
exec(compile({code!r}, "submission.py", "exec"), {{"__name__": "submission"}})
os.environ["KNOWN"]
print(json.dumps([[what, name] for what, name, file in heard if file == "submission.py"]))
"""


def heard(code: str, *, world: int = 0) -> set[tuple[str, str]]:
    command = [sys.executable, "-c", PROGRAM.format(code=code, world=world)]
    answer = subprocess.run(command, capture_output=True, check=True, timeout=120)
    return {(what, name) for what, name in json.loads(answer.stdout)}


@pytest.mark.parametrize(
    "read",
    [
        "os.environ.get('RATE', '0.1')",
        "os.getenv('RATE')",
        "'RATE' in os.environ",
        "(lambda: os.environ.get('RATE'))()",
        "os.path.expandvars('$RATE')",
    ],
)
def test_a_variable_is_heard_of_however_it_is_read(read: str):
    assert heard(f"import os\n{read}") == {("environment", "RATE")}


def test_a_variable_that_is_there_is_read_as_before():
    assert heard("import os\nassert os.environ['KNOWN'] == 'here'") == {("environment", "KNOWN")}


@pytest.mark.parametrize("read", ["os.path.exists('rate.txt')", "pathlib.Path('rate.txt').is_file()"])
def test_a_file_that_is_asked_for_is_heard_of_though_it_is_nowhere(read: str):
    assert heard(f"import os, pathlib\nassert not {read}") == {("os.stat", "rate.txt")}


@pytest.mark.parametrize("read", ["time.perf_counter()", "time.perf_counter_ns()"])
def test_a_clock_is_heard_of_where_it_is_bent(read: str):
    name = read.removesuffix("()")
    assert heard(f"import time\n{read}", world=1) == {("clock", name)}
    assert heard(f"import time\n{read}") == set()


def test_the_time_of_day_is_a_clock_by_any_name():
    assert heard("import datetime\ndatetime.datetime.now()", world=1) == {("clock", "time.time")}


@pytest.mark.parametrize("world", [0, 1])
def test_loading_a_library_may_read_what_it_likes(world: int):
    assert heard("import locale, webbrowser, jax.scipy.optimize", world=world) == set()
