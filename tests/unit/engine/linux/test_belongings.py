"""What is held for a box is given back, and is nobody else's meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.domain.errors import EngineFault
from grader.engine.linux import uids
from grader.engine.linux.belongings import Belongings


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_two_leases_are_two_users():
    leases = [uids.lease() for _ in range(20)]
    assert len({lease.uid for lease in leases}) == 20
    assert all(uids.FIRST <= lease.uid <= uids.LAST for lease in leases)
    for lease in leases:
        lease.release()


def test_when_every_user_is_taken_it_is_said(monkeypatch: pytest.MonkeyPatch):
    only = uids.lease()
    monkeypatch.setattr(uids, "FIRST", only.uid)
    monkeypatch.setattr(uids, "LAST", only.uid)
    with pytest.raises(EngineFault, match="are taken"):
        uids.lease()
    only.release()
    uids.lease().release()


def test_a_lease_ends_with_its_holder(monkeypatch: pytest.MonkeyPatch):
    code = (
        "from grader.engine.linux import uids; lease = uids.lease(); print(lease.uid); import os; os._exit(0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    monkeypatch.setattr(uids, "FIRST", int(run.stdout))
    monkeypatch.setattr(uids, "LAST", int(run.stdout))
    uids.lease().release()


def test_a_users_processes_are_found():
    assert os.getpid() in uids.processes_of(os.getuid())
    assert uids.processes_of(uids.LAST + 1) == []


def test_output_grows_at_its_end_whatever_happens_to_the_position():
    belongings = Belongings.gather(own_user=False, folder=False)
    out, errors = belongings.outputs
    os.write(out, b"one ")
    os.lseek(out, 0, os.SEEK_SET)
    os.write(out, b"two")
    os.write(errors, b"!")
    assert belongings.output(100) == b"one two!"
    assert belongings.output(3) == b"two!"
    belongings.release()
    assert belongings.output(100) == b"one two!"


def test_everything_is_given_back():
    before = open_descriptors()
    belongings = Belongings.gather(own_user=True, folder=True)
    assert belongings.folder is not None
    assert belongings.uid is not None
    belongings.release()
    assert not belongings.folder.exists()
    assert open_descriptors() == before


def test_a_process_that_runs_as_the_boxs_user_does_not_outlive_it():
    if os.geteuid() != 0:
        pytest.skip("only root can run a process as somebody else")
    belongings = Belongings.gather(own_user=True, folder=False)
    with subprocess.Popen(["sleep", "60"], user=belongings.uid) as process:
        belongings.release()
        assert process.wait(5) == -9
