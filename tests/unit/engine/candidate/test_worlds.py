"""Perturbed worlds, each tried in a process of its own: they change what purity does not depend on."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

PROGRAM = """
import json, sys, time
from grader.engine.candidate import worlds
first = time.time()
worlds.enter(int(sys.argv[1]))
import datetime, os, random
import numpy as np
began = time.monotonic(), time.monotonic_ns(), datetime.datetime.now().timestamp()
time.sleep(0.05)
told = {
    "shift": time.time() - first,
    "passed": time.monotonic() - began[0],
    "passed_ns": time.monotonic_ns() - began[1],
    "dated": datetime.datetime.now().timestamp() - began[2],
    "draws": [random.random(), float(np.random.rand())],
    "home": os.environ.get("HOME"),
}
print(json.dumps(told))
"""
DAY_S = 86_400.0


def enter(world: int) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(world)], capture_output=True, text=True, check=True, timeout=120
    )
    told: dict[str, Any] = json.loads(run.stdout)
    return told


def test_an_even_world_changes_nothing() -> None:
    told = enter(2)
    assert told["shift"] < DAY_S
    assert 0.05 <= told["passed"] < 10


@pytest.mark.parametrize("world,least_s,most_s", [(1, 50.0, 10_000.0), (3, 0.0, 0.01)])
def test_an_odd_world_has_another_date_and_clocks_that_run_fast_or_slow(
    world: int, least_s: float, most_s: float
) -> None:
    told = enter(world)
    assert told["shift"] > DAY_S
    assert least_s <= told["passed"] <= most_s
    assert least_s * 1e9 <= told["passed_ns"] <= most_s * 1e9
    assert isinstance(told["passed_ns"], int)
    assert least_s - 1 <= told["dated"] <= most_s
    assert told["home"] == f"/world{world}"


def test_an_odd_world_draws_the_same_numbers_each_time_and_another_one_others() -> None:
    assert enter(1)["draws"] == enter(1)["draws"] != enter(3)["draws"]
