"""Fuzzes what reads hostile bytes, and prints a table: ``python -m tests.hostile.fuzz --help``.

Uploads go through the reader of uploads, answers through a session, programs to a sealed bench. Exit code 1
if anything else came of a case than the errors meant for it, if it took too long, or if something was left.
"""

from __future__ import annotations

import argparse
import faulthandler
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

from tests.hostile import fuzz_answers, fuzz_programs, fuzz_uploads
from tests.hostile.fuzz_tally import Became, Holdings, Tally, count, growth

_HANG_S = 120.0
"""A case that takes so long is a hang: the run ends with the line it hangs in."""
_WARM_UP = 100
"""Cases after which what the process holds should not grow any more."""

_ROW = "{:10}" + " {:>10}" * (len(Became) + 3)


def main() -> int:
    """Run what the command line asks for."""
    options = _options()
    seed = options.seed or secrets.token_hex(8)
    print(f"seed {seed}")
    print(_ROW.format("kind", "cases", *Became, "worst s", "seconds"), flush=True)
    tallies = [
        _fuzzed(
            "uploads", lambda: count("uploads", fuzz_uploads.attempt, _cases(options, "uploads"), seed=seed)
        ),
        _fuzzed(
            "answers", lambda: count("answers", fuzz_answers.attempt, _cases(options, "answers"), seed=seed)
        ),
    ]
    if options.programs and (options.only is None or options.only.startswith("programs")):
        tallies.append(_fuzz_programs(_cases(options, "programs"), seed=seed))
    problems = [problem for tally in tallies for problem in tally.problems]
    for problem in problems:
        print(f"! {problem}")
    print(f"{sum(tally.cases for tally in tallies)} cases, {len(problems)} problems")
    return int(bool(problems))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.fuzz", description=__doc__)
    parser.add_argument("--uploads", type=int, default=4000, metavar="N")
    parser.add_argument("--answers", type=int, default=4000, metavar="N")
    parser.add_argument("--programs", type=int, default=2000, metavar="N")
    parser.add_argument("--seed", help="repeat the cases of an earlier run")
    parser.add_argument("--only", metavar="KIND:CASE", help="repeat one case, such as uploads:17")
    return parser.parse_args()


def _cases(options: argparse.Namespace, kind: str) -> Sequence[int]:
    if options.only is None:
        return range(getattr(options, kind))
    chosen, _, case = options.only.partition(":")
    return (int(case),) if chosen == kind else ()


def _fuzz_programs(cases: Sequence[int], *, seed: str) -> Tally:
    with ExitStack() as stack:
        range_ = stack.enter_context(fuzz_programs.Range())
        limit_s = fuzz_programs.WORST_S
        tally = _fuzzed(
            "programs", lambda: count("programs", range_.attempt, cases, seed=seed, limit_s=limit_s)
        )
    tally.problems += range_.left_behind()
    return tally


def _fuzzed(kind: str, counting: Callable[[], Iterator[Tally]]) -> Tally:
    """Count to the end, watching for hangs and for growth, and print a row."""
    began, before, tally = time.monotonic(), Holdings.now(), Tally(kind=kind)
    faulthandler.dump_traceback_later(_HANG_S, exit=True)
    for tally in counting():
        faulthandler.dump_traceback_later(_HANG_S, exit=True)
        if tally.cases == _WARM_UP:
            before = Holdings.now()
    faulthandler.cancel_dump_traceback_later()
    tally.problems += [f"{kind}: {each}" for each in growth(before, Holdings.now())]
    numbers = [tally.counts[became] for became in Became]
    print(
        _ROW.format(kind, tally.cases, *numbers, f"{tally.worst_s:.2f}", f"{time.monotonic() - began:.0f}"),
        flush=True,
    )
    return tally


if __name__ == "__main__":
    faulthandler.enable()
    sys.exit(main())
