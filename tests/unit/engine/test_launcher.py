"""The door to the platform."""

from __future__ import annotations

import sys

import pytest

from grader.domain.errors import SealUnavailable
from grader.engine.launcher import Launcher, diagnose, open_launcher


def test_another_platform_runs_unsealed_and_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    launcher = open_launcher()
    assert not launcher.sealed
    assert launcher.layers == ()
    launcher.close()


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_another_platform_never_pretends_to_seal(platform: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(SealUnavailable, match=platform):
        open_launcher(sealed=True)


def test_another_platforms_diagnosis_is_one_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "win32")
    (status,) = diagnose()
    assert (status.name, status.available, status.required) == ("seal", False, True)
    assert "unsealed" in status.why


def test_linux_can_be_asked_for_unsealed_boxes():
    launcher: Launcher = open_launcher(sealed=False)
    assert not launcher.sealed
    launcher.close()
