"""Prints what is said of each mistake: ``python -m tests.calibration.mistakes``."""

from __future__ import annotations

import sys

from grader.engine import Engine
from tests.calibration.mistakes.grading import judge, table


def print_mistakes(seed: str = "calibration") -> int:
    """Grades them, prints a line for each, and returns how many are not judged, named and placed right."""
    with Engine() as engine:
        judged = sorted(judge(engine, seed=seed), key=lambda each: each.mistake.function)
    print(*table(judged), sep="\n")
    wrong = sum(not each.is_right for each in judged)
    print(f"mistakes       {len(judged) - wrong} of {len(judged)} judged, named and placed right")
    return wrong


if __name__ == "__main__":
    sys.exit(int(print_mistakes() > 0))
