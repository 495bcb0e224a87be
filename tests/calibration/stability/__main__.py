"""Prints how stable verdicts are: ``python -m tests.calibration.stability [--quick] [--only races]``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from grader.engine.examiner.host import Host
from tests.calibration.stability.contests import contests
from tests.calibration.stability.plan import FULL, QUICK, Plan
from tests.calibration.stability.races import Track, Verdicts
from tests.calibration.stability.regrades import Regrades, regrade


def main() -> int:
    """0 if no verdict that promises to be stable was wrong and no grade changed, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.calibration.stability", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small part of everything")
    parser.add_argument("--only", choices=("races", "regrades"), help="one of the two parts")
    options = parser.parse_args()
    plan = QUICK if options.quick else FULL
    began = time.monotonic()
    faults = 0
    if options.only != "regrades":
        faults += sum(_print_verdicts(found) for found in _races(plan))
    if options.only != "races":
        print(f"\nregrades: {plan.regrades} times each, other hidden inputs each time, beside busy loops")
        for found in regrade(times=plan.regrades, submissions=plan.submissions):
            faults += _print_regraded(found)
    print(f"\n{faults} faults in {time.monotonic() - began:.0f} s")
    return int(faults > 0)


def _races(plan: Plan) -> Iterator[Verdicts]:
    host = Host(sealed=None)
    try:
        for contest in contests()[: plan.contests]:
            track = Track(host, contest)
            long_run = track.long_run()
            print(f"\n{contest.name}: {contest.about}; long-run ratio {long_run:.2f}")
            print(
                f"{'true/asked':>10}  machine{'right':>8}{'wrong':>8}{'silent':>8}{'again':>8}{'median':>10}"
            )
            for cell, races in plan.cells():
                yield track.verdicts(cell, long_run=long_run, races=races)
            print(f"the long-run ratio moved by {track.long_run() / long_run - 1:+.1%} meanwhile")
    finally:
        host.close()


def _print_verdicts(found: Verdicts) -> int:
    """Print one line of the table; the number of faults in it."""
    cell = found.cell
    counts = f"{found.right:8}{found.wrong:8}{found.silent:8}{found.measured_again:8}"
    mark = f"  {found.faults} FAULTS" if found.faults else ""
    machine = "loaded" if cell.loaded else "quiet"
    print(
        f"{cell.truth:>10g}  {machine:7}{counts}{1000 * found.median_s:7.0f} ms{mark}",
        flush=True,
    )
    return found.faults


def _print_regraded(found: Regrades) -> int:
    """Print what became of one submission; 1 if its verdicts or its score ever differed."""
    scores = ", ".join(f"{score} ({times} times)" for score, times in found.scores.items())
    print(f"{found.path:42} {scores:22} {found.seconds:5.1f} s each", flush=True)
    for check, verdicts in found.wavering.items():
        print(f"    WAVERS: {check}: {verdicts}")
    return int(not found.stable)


if __name__ == "__main__":
    sys.exit(main())
