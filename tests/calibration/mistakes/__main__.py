"""Prints what is said of each mistake: ``python -m tests.calibration.mistakes``."""

from __future__ import annotations

import sys

from grader.engine import Engine
from tests.calibration.mistakes.grading import judge, table


def main() -> int:
    """0 if each is judged as it should be, else 1."""
    with Engine() as engine:
        judged = sorted(judge(engine), key=lambda each: each.mistake.function)
    print(*table(judged), sep="\n")
    print(
        f"\nmistakes       {sum(each.is_right for each in judged)} of {len(judged)} judged and placed right"
    )
    return int(not all(each.is_right for each in judged))


if __name__ == "__main__":
    sys.exit(main())
