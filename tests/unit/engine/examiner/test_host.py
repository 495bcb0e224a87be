"""The bench is kept warm, and replaced once it is gone."""

from __future__ import annotations

import pytest

from grader.engine.examiner import host as hosting
from grader.engine.examiner.host import Host
from grader.engine.policy import BoxPolicy, End, EndKind, Role


class FakeBox:
    def __init__(self) -> None:
        self.end: End | None = None
        self.closed = 0

    def close(self) -> End:
        self.closed += 1
        self.end = self.end or End(kind=EndKind.SIGNALLED, code=9)
        return self.end


class FakeLauncher:
    def __init__(self) -> None:
        self.started: list[FakeBox] = []
        self.policies: list[BoxPolicy] = []
        self.closed = 0

    def start(self, policy: BoxPolicy) -> FakeBox:
        self.policies.append(policy)
        self.started.append(FakeBox())
        return self.started[-1]

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def launcher(monkeypatch: pytest.MonkeyPatch) -> FakeLauncher:
    made = FakeLauncher()
    monkeypatch.setattr(hosting, "open_launcher", lambda **_: made)
    return made


def test_one_bench_serves_all_requests(launcher: FakeLauncher):
    host = Host(sealed=False)
    assert host.bench() is host.bench()
    assert [policy.role for policy in launcher.policies] == [Role.BENCH]


def test_a_bench_that_ended_is_replaced(launcher: FakeLauncher):
    host = Host(sealed=False)
    host.bench()
    launcher.started[0].end = End(kind=EndKind.DEADLINE)
    host.bench()
    assert len(launcher.started) == 2


def test_dropping_ends_the_bench_in_hand_and_starts_none(launcher: FakeLauncher):
    host = Host(sealed=False)
    host.drop_bench()
    host.bench()
    host.drop_bench()
    assert [box.closed for box in launcher.started] == [1]
    host.bench()
    assert len(launcher.started) == 2


def test_a_dead_bench_is_dropped_without_starting_another(launcher: FakeLauncher):
    host = Host(sealed=False)
    host.bench()
    launcher.started[0].end = End(kind=EndKind.OUT_OF_MEMORY)
    host.drop_bench()
    assert [box.closed for box in launcher.started] == [1]


def test_closing_closes_the_launcher(launcher: FakeLauncher):
    Host(sealed=False).close()
    assert launcher.closed == 1
