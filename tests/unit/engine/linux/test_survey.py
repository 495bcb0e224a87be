"""What an operator is told about the seal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.engine.demands import ALWAYS, Demands
from grader.engine.launcher import diagnose
from grader.engine.linux import launcher, survey
from grader.engine.linux.seal import identity
from grader.engine.policy import Layer

pytestmark = pytest.mark.linux


def test_every_layer_is_told_with_the_interpreter_last():
    statuses = diagnose()
    assert [status.name for status in statuses] == [*(layer.value for layer in Layer), "readable interpreter"]


def test_every_layer_that_is_off_says_why_and_what_to_do():
    for status in diagnose():
        assert status.available or (status.why and status.remedy), status


def test_the_default_demands_are_demanded():
    required = {status.name for status in diagnose() if status.required}
    assert required >= {layer.value for layer in ALWAYS}
    assert ("throwaway identity" in required) == (os.geteuid() == 0)


def test_a_layer_that_fails_its_test_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(launcher, "_PROBE_BYTES", 1)
    (status,) = [s for s in survey.survey(Demands()) if s.name == Layer.LIMITS.value]
    assert not status.available
    assert "'use memory' ended in done" in status.why


def test_without_a_guard_of_the_files_landlock_is_demanded():
    assert Layer.LANDLOCK in launcher.demanded(frozenset(), frozenset())
    assert Layer.LANDLOCK not in launcher.demanded(frozenset(), frozenset({Layer.PRIVATE_ROOT}))


@pytest.mark.parametrize(
    "capabilities, lacking",
    [
        ("00000000000000e1", ""),
        ("0000000000000000", "CHOWN, KILL, SETGID, SETUID"),
        ("00000000000000c1", "KILL"),
    ],
)
def test_a_root_without_its_powers_is_noticed(
    capabilities: str, lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (tmp_path / "status").write_text(f"Name:\tpython\nCapEff:\t{capabilities}\nSeccomp:\t0\n")
    reason = identity.unavailable(tmp_path / "status")
    assert reason == (f"root lacks the capabilities {lacking} here" if lacking else "")


def test_an_ordinary_user_cannot_become_somebody_else(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert identity.unavailable() == "only root can become somebody else"
