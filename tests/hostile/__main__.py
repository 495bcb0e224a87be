"""Runs the hostile suite and prints a table: ``python -m tests.hostile --help``.

Exit code 1 if an attack earned something, left a trace, or changed another's grade, or if an honest
submission lost a point.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Sequence

from tests.hostile.aftermath import Aftermath
from tests.hostile.cases import GROUPS, read_cases
from tests.hostile.grading import Outcome, Range, UploadOutcome
from tests.hostile.uploads import build

_ROW = "{mark} {id:34.34} {group:8.8} {points:>7}  {verdicts:32.32} {aftermath:9} {neighbour:9} {seconds:>6}"


def main() -> int:
    """Run what the command line asks for."""
    options = _options()
    cases = [case for case in read_cases() if not options.only or case.id.startswith(tuple(options.only))]
    seed = options.seed or secrets.token_hex(16)
    uploads = [each for each in build() if not options.only or each.name.startswith(tuple(options.only))]
    print(f"seed {seed}, {len(cases)} submissions, {len(uploads)} uploads")
    print(_row(id="submission", group="group", points="points", verdicts="verdicts at stake",
               aftermath="aftermath", neighbour="neighbour", seconds="s"))  # fmt: skip
    began = time.monotonic()
    outcomes = []
    with Aftermath() as watch, Range(watch, seed=seed) as engine:
        for case in cases:
            outcomes.append(engine.try_out(case))
            _tell(outcomes[-1])
        taken = [_told(engine.take(upload)) for upload in uploads]
        layers = engine.layers
    print(f"\nsealed by: {', '.join(layers) or 'nothing'}")
    _sum_up(outcomes, taken, seconds=time.monotonic() - began)
    return int(not all(outcome.ok for outcome in outcomes) or any(each.problems for each in taken))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument(
        "--only", action="append", metavar="PREFIX", help="only what has a name that begins so"
    )
    parser.add_argument("--seed", help="repeat the inputs of an earlier run")
    return parser.parse_args()


def _row(**cells: str) -> str:
    return _ROW.format(**{"mark": " ", **cells})


def _tell(outcome: Outcome) -> None:
    case = outcome.case
    print(
        _row(
            mark=" " if outcome.ok else "!",
            id=case.id,
            group=case.group,
            points=f"{float(outcome.earned):g}/{float(outcome.worth):g}",
            verdicts=outcome.verdicts,
            aftermath="marks" if outcome.aftermath else "clean",
            neighbour="changed" if outcome.neighbour else "same",
            seconds=f"{outcome.seconds:.1f}",
        )
    )
    for problem in (*outcome.points, *outcome.reports, *outcome.aftermath, *outcome.neighbour):
        print(f"    {problem}")
    sys.stdout.flush()


def _told(outcome: UploadOutcome) -> UploadOutcome:
    mark = "!" if outcome.problems else " "
    print(f"{mark} {outcome.upload.name:34} upload   {outcome.became:52.52} {outcome.seconds:>16.1f}")
    for problem in outcome.problems:
        print(f"    {problem}")
    sys.stdout.flush()
    return outcome


def _sum_up(outcomes: Sequence[Outcome], taken: Sequence[UploadOutcome], *, seconds: float) -> None:
    print(f"{'group':28} {'graded':>6} {'points':>6} {'reports':>7} {'marks':>5} {'neighbours':>10}")
    for group in dict.fromkeys(outcome.case.group for outcome in outcomes):
        some = [outcome for outcome in outcomes if outcome.case.group == group]
        print(
            f"{GROUPS.get(group, group):28} {len(some):6} {_bad(some, 'points'):6} {_bad(some, 'reports'):7} "
            f"{_bad(some, 'aftermath'):5} {_bad(some, 'neighbour'):10}"
        )
    wrong = sum(not outcome.ok for outcome in outcomes)
    spoilt = sum(bool(each.problems) for each in taken)
    print(
        f"{len(outcomes)} submissions and {len(taken)} uploads in {seconds:.0f} s; "
        f"{wrong} and {spoilt} of them with a problem"
    )


def _bad(outcomes: Sequence[Outcome], what: str) -> int:
    return sum(bool(getattr(outcome, what)) for outcome in outcomes)


if __name__ == "__main__":
    sys.exit(main())
