"""Worlds differ in clock, environment and hidden generators, by amounts that their number alone decides."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

PROGRAM = """
    import datetime, json, os, random, sys, time
    import numpy as np
    from grader.engine.candidate import worlds
    before = time.time()
    worlds.enter(int(sys.argv[1]))
    print(json.dumps({
        "time": time.time() - before, "ns": time.time_ns() / 1e9 - before,
        "now": datetime.datetime.now().timestamp() - before,
        "forward": time.monotonic() <= time.monotonic(),
        "home": os.environ.get("HOME"), "draws": [random.random(), float(np.random.rand())],
        "kept": isinstance(datetime.datetime.now(), datetime.datetime),
    }))
"""


def world(number: int) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), str(number)],
        stdout=subprocess.PIPE,
        env={"HOME": "/nowhere"},
        check=True,
        timeout=120,
    )
    return dict(json.loads(done.stdout))


def test_world_zero_changes_nothing():
    plain = world(0)
    assert abs(float(str(plain["time"]))) < 60
    assert plain["home"] == "/nowhere"


def test_another_world_is_elsewhere_in_time_and_space_and_chance():
    plain, other = world(0), world(1)
    for clock in ("time", "ns", "now"):
        assert float(str(other[clock])) > 1e6
    assert other["home"] != plain["home"]
    assert other["draws"] != plain["draws"]
    assert (other["forward"], other["kept"]) == (True, True)


def test_a_world_is_the_same_whenever_it_is_entered():
    first, second = world(1), world(1)
    assert (first["home"], first["draws"]) == (second["home"], second["draws"])
