"""Time in line for a processor is told from time that a process used."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from grader.engine.linux.waiting import delays, waited_s

BUSY = "import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end: pass"


def test_a_process_that_shares_its_core_has_waited_about_half_of_the_time() -> None:
    core = min(os.sched_getaffinity(0))
    pinned = [sys.executable, "-c", f"import os\nos.sched_setaffinity(0, {{{core}}})\n{BUSY}"]
    processes = [subprocess.Popen(pinned) for _ in range(2)]
    try:
        time.sleep(0.8)  # both have started
        before, began = delays(processes[0].pid), time.monotonic()
        time.sleep(1.5)
        share = waited_s(before, delays(processes[0].pid)) / (time.monotonic() - began)
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert share > 0.2


def test_a_process_that_sleeps_waits_for_nobody() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time\ntime.sleep(30)"])
    try:
        time.sleep(1.0)
        before = delays(process.pid)
        time.sleep(0.5)
        assert waited_s(before, delays(process.pid)) < 0.1
    finally:
        process.kill()
        process.wait()


def test_a_process_that_is_gone_has_waited_for_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert delays(process.pid) == {}
    assert waited_s({}, {}) == 0.0
