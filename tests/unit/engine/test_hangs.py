"""The line of a hang or crash is found in what faulthandler wrote, and nowhere else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from grader.engine import hangs
from grader.engine.testimony import Frame

FILES = frozenset({"submission.py", "helpers.py"})

DUMP = """\
the student's own output
Timeout (0:00:03)!
Thread 0x00007f6a2c9fe6c0 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "helpers.py", line 7 in spin

Thread 0x00007f6a5b1fd740 (most recent call first):
  File "/lib/jax/_src/core.py", line 99 in bind
  File "submission.py", line 37 in smooth
  File "submission.py", line 12 in outer
  File "/opt/grader/engine/candidate/serving.py", line 46 in serve
"""


def test_the_innermost_submitted_line_of_the_serving_thread_counts():
    assert hangs.innermost(DUMP.encode(), FILES) == Frame(file="submission.py", line=37, function="smooth")


def test_another_thread_counts_where_the_serving_one_shows_no_submitted_line():
    dump = DUMP.replace('"submission.py"', '"elsewhere.py"')
    assert hangs.innermost(dump.encode(), FILES) == Frame(file="helpers.py", line=7, function="spin")


def test_tracebacks_that_the_submission_printed_itself_do_not_count():
    printed = 'Traceback (most recent call last):\n  File "submission.py", line 3 in f\n'
    assert hangs.innermost(printed.encode(), FILES) is None
    assert hangs.innermost((printed + DUMP).encode(), FILES) == Frame(
        file="submission.py", line=37, function="smooth"
    )


def test_files_that_were_not_submitted_do_not_count():
    assert hangs.innermost(DUMP.encode(), frozenset()) is None


def test_bytes_that_are_no_text_do_no_harm():
    assert hangs.innermost(b"\xff\xfe\x00Timeout (\xff", FILES) is None
    assert hangs.innermost(b"", FILES) is None


def test_a_real_dump_of_a_hang_is_understood(tmp_path: Path):
    program = (
        "import faulthandler\nfaulthandler.dump_traceback_later(0.2, exit=True)\nwhile True:\n    pass\n"
    )
    (tmp_path / "submission.py").write_text(program)
    ended = subprocess.run(
        [sys.executable, "submission.py"], cwd=tmp_path, stderr=subprocess.PIPE, check=False, timeout=30
    )
    text = ended.stderr.decode().replace(str(tmp_path) + "/", "")
    frame = hangs.innermost(text.encode(), FILES)
    assert frame is not None
    assert frame.line in (3, 4)


def test_a_real_dump_of_a_crash_is_understood(tmp_path: Path):
    program = "import ctypes, faulthandler\nfaulthandler.enable()\nctypes.string_at(0)\n"
    (tmp_path / "submission.py").write_text(program)
    ended = subprocess.run(
        [sys.executable, "submission.py"], cwd=tmp_path, stderr=subprocess.PIPE, check=False, timeout=30
    )
    assert ended.returncode < 0
    text = ended.stderr.decode().replace(str(tmp_path) + "/", "")
    frame = hangs.innermost(text.encode(), FILES)
    assert frame is not None
    assert frame.line == 3
