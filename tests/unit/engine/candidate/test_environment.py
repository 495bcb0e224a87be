"""Which variables of the environment submitted code reads, and that nobody else's reading counts."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# The ear stays open in its process, so that each case has one of its own.
PROGRAM = """
import json, os
from grader.engine.candidate import environment
heard = []
os.environ["KNOWN"] = "here"
environment.hear_reads(lambda name, file: heard.append([name, file]))
exec(compile({code!r}, "submission.py", "exec"), {{"__name__": "submission"}})
os.environ["KNOWN"]
print(json.dumps([name for name, file in heard if file == "submission.py"]))
"""


def heard(code: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM.format(code=code)]
    answer = subprocess.run(command, capture_output=True, check=True, timeout=120)
    return list(json.loads(answer.stdout))


@pytest.mark.parametrize(
    "read",
    [
        "os.environ.get('RATE', '0.1')",
        "os.getenv('RATE')",
        "'RATE' in os.environ",
        "os.environ.setdefault('RATE', '1')",
        "(lambda: os.environ.get('RATE'))()",
    ],
)
def test_a_variable_is_heard_of_however_it_is_read(read: str):
    assert set(heard(f"import os\n{read}")) == {"RATE"}


def test_a_variable_that_is_there_is_read_as_before():
    assert heard("import os\nassert os.environ['KNOWN'] == 'here'") == ["KNOWN"]


def test_a_library_may_read_what_it_likes():
    assert heard("import locale, tempfile\ntempfile.gettempdir()\nlocale.getlocale()") == []
