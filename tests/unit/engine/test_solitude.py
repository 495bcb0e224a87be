"""Who may race when: several first races side by side, a second measurement while no other race runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from grader.domain.rubric import Limits
from grader.engine.clocks import Clock
from grader.engine.solitude import racing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there, nobody waits for anybody")

IN_ANOTHER_PROCESS = """
import sys
from pathlib import Path
from grader.engine.solitude import racing
with racing(alone=sys.argv[1] == "alone", ground=Path(sys.argv[2])):
    print("racing", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def ground(tmp_path: Path) -> Path:
    """A place of this test's own: whatever else is graded meanwhile does not matter."""
    file = tmp_path / "ground"
    file.touch()
    return file


@contextmanager
def another(how: str, ground: Path) -> Iterator[subprocess.Popen[str]]:
    """A worker of the same machine that races."""
    process = subprocess.Popen(
        [sys.executable, "-c", IN_ANOTHER_PROCESS, how, str(ground)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "racing\n"
        try:
            yield process
        finally:
            process.kill()


def test_first_races_run_side_by_side(ground: Path):
    with another("in company", ground), racing(alone=False, ground=ground, within_s=0) as its_turn:
        assert its_turn


@pytest.mark.parametrize("theirs, alone", [("alone", False), ("alone", True), ("in company", True)])
def test_nobody_races_beside_a_second_measurement(ground: Path, theirs: str, *, alone: bool):
    with another(theirs, ground), racing(alone=alone, ground=ground, within_s=0.1) as its_turn:
        assert not its_turn  # and it may run all the same: a race is never lost to waiting


def test_a_worker_that_dies_holds_nobody_up(ground: Path):
    with another("alone", ground) as process:
        process.kill()
        process.wait()
        with racing(alone=True, ground=ground, within_s=0) as its_turn:
            assert its_turn


def test_it_is_over_with_the_race(ground: Path):
    for _ in range(2):
        with racing(alone=True, ground=ground, within_s=0) as its_turn:
            assert its_turn


def test_the_package_itself_is_the_ground_and_is_left_as_it_was():
    before = sorted(Path("grader/engine").iterdir())
    with ExitStack() as both:
        for _ in range(2):
            both.enter_context(racing(alone=False))
    assert sorted(Path("grader/engine").iterdir()) == before


def test_waiting_takes_nothing_from_the_attempt(monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr("grader.engine.clocks.time.monotonic", lambda: now)
    clock = Clock(Limits(check_s=10, attempt_s=20))
    now += 4
    with clock.waiting():
        now += 30
    assert clock.attempt_left() == 16
