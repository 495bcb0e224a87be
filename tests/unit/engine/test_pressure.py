"""Pressure on the CPU is told where the kernel tells it, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.engine.pressure import cpu_pressure


def test_the_share_of_the_last_ten_seconds_is_told(tmp_path: Path):
    file = tmp_path / "cpu"
    file.write_text(
        "some avg10=12.50 avg60=3.00 avg300=1.00 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
    )
    assert cpu_pressure(file) == 0.125


@pytest.mark.parametrize("text", ["", "some total=5\n", "some avg10=much\n"])
def test_what_makes_no_sense_is_not_told(tmp_path: Path, text: str):
    file = tmp_path / "cpu"
    file.write_text(text)
    assert cpu_pressure(file) is None


def test_a_system_without_it_tells_nothing(tmp_path: Path):
    assert cpu_pressure(tmp_path / "none") is None
