"""Prints how right the verdicts are: ``python -m tests.calibration [--task 03] [--only s16] [--jobs 2]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from grader.domain.verdicts import Family
from tests.calibration import costs
from tests.calibration.corpus import kinds, labelled
from tests.calibration.measuring import NEAR, Graded, grade, tally
from tests.calibration.mistakes.__main__ import print_mistakes


def main() -> int:
    """0 if every verdict is right, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.calibration", description=__doc__)
    parser.add_argument("--task", default="", help="only tasks whose name begins so")
    parser.add_argument("--only", default="", help="only submissions whose name begins so")
    parser.add_argument("--jobs", type=int, default=1, help="engines side by side")
    parser.add_argument("--seed", default="calibration", help="decides all drawn inputs")
    parser.add_argument("--kinds", action="store_true", help="our own short programs in place of the corpus")
    parser.add_argument("--verbose", action="store_true", help="show what was said about every submission")
    options = parser.parse_args()
    cases = [
        case
        for case in (kinds() if options.kinds else labelled())
        if case.task.startswith(options.task) and case.path.stem.startswith(options.only)
    ]
    graded = []
    for entry in grade(cases, jobs=options.jobs, seed=options.seed):
        graded.append(entry)
        _print_case(entry, verbose=options.verbose)
    _print_summary(graded)
    wrong = any(entry.false_accepts or entry.false_rejects for entry in graded)
    if not (options.kinds or options.task or options.only):
        print("\nMistakes of real learners")
        wrong = print_mistakes(options.seed) > 0 or wrong
    return int(wrong)


def _print_case(entry: Graded, *, verbose: bool) -> None:
    wrong = [*entry.false_accepts, *entry.false_rejects]
    mark = "  WRONG" if wrong else ""
    print(f"{entry.case.name:12} {entry.result.seconds:5.1f} s {entry.cpu_s:5.2f} CPU s{mark}", flush=True)
    for family in entry.false_accepts:
        print(f"    false accept of {family}: {entry.case.why}")
    for family in entry.false_rejects:
        print(f"    false reject of {family}: {entry.said(family)}")
    for fault in entry.case.faults:
        if not entry.names_cause(fault):
            codes = sorted({feedback.code for feedback in entry.feedback})
            print(f"    cause not named: {fault}; said {', '.join(codes)}")
    if entry.case.lines and not entry.names_line(within=0):
        lines = sorted({feedback.line or 0 for feedback in entry.feedback})
        how = "only nearly" if entry.names_line(within=NEAR) else "not"
        print(f"    line {how} named: {entry.case.lines}; said {lines}")
    if verbose:
        for family in entry.case.deserves:
            print(f"    {family}: {entry.said(family)}")


def _print_summary(graded: Sequence[Graded]) -> None:
    print(f"\n{'family':14}{'false accepts':>16}{'false rejects':>16}")
    for family in (family for family in Family if any(family in entry.case.deserves for entry in graded)):
        counts = tally(graded, family)
        accepts = f"{counts.false_accepts} of {counts.undeserved}"
        rejects = f"{counts.false_rejects} of {counts.deserved}"
        print(f"{family:14}{accepts:>16}{rejects:>16}")
    faulty = [entry for entry in graded if entry.case.faults]
    faults = [(entry, fault) for entry in faulty for fault in entry.case.faults]
    located = [entry for entry in faulty if entry.case.lines]
    print(f"cause named    {sum(entry.names_cause(fault) for entry, fault in faults)} of {len(faults)}")
    exactly, nearly = (sum(entry.names_line(within=within) for entry in located) for within in (0, NEAR))
    print(f"line named     {exactly} of {len(located)} exactly, {nearly} within {NEAR} lines")
    count = max(len(graded), 1)
    seconds = sum(entry.result.seconds for entry in graded) / count
    cpu_s = sum(entry.cpu_s for entry in graded) / count
    print(f"time           {seconds:.2f} s, {cpu_s:.2f} CPU s for each of {len(graded)} submissions\n")
    for line in costs.lines([entry.result for entry in graded]):
        print(line)


if __name__ == "__main__":
    sys.exit(main())
