"""A part of the fuzzing, and that the fuzzing would notice; ``make fuzz`` tries ten thousand cases."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.hostile import fuzz_answers, fuzz_uploads
from tests.hostile.fuzz_mutations import damaged, dice, warped
from tests.hostile.fuzz_tally import Became, Holdings, Tally, count, growth

SEED = "tests"


def counted(kind: str, attempt: Callable[[random.Random], Became], cases: int) -> Tally:
    *_, tally = count(kind, attempt, range(cases), seed=SEED)
    return tally


def test_damaged_uploads_are_read_or_refused() -> None:
    tally = counted("uploads", fuzz_uploads.attempt, 400)
    assert tally.problems == []
    assert {Became.REFUSED, Became.ACCEPTED} == tally.counts.keys()


def test_damaged_answers_are_read_or_end_in_a_verdict() -> None:
    tally = counted("answers", fuzz_answers.attempt, 400)
    assert tally.problems == []
    assert {Became.REFUSED, Became.ACCEPTED} == tally.counts.keys()


@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a bench that is not sealed takes seconds to start")
def test_damaged_programs_cost_a_bench_at_most_and_leave_nothing() -> None:
    from tests.hostile.fuzz_programs import WORST_S, Range  # noqa: PLC0415 - imports what only Linux has

    with Range() as bench:
        *_, tally = count("programs", bench.attempt, range(40), seed=SEED, limit_s=WORST_S)
    assert tally.problems + bench.left_behind() == []
    assert {Became.REFUSED, Became.ACCEPTED} <= tally.counts.keys()


# --- that it would notice ---


def test_an_error_that_is_not_meant_for_the_case_is_forbidden() -> None:
    def attempt(_: random.Random) -> Became:
        raise KeyError("oops")

    tally = counted("uploads", attempt, 2)
    assert tally.counts == {Became.FORBIDDEN: 2}
    assert tally.problems[0] == "uploads 0: KeyError: 'oops'"


def test_a_case_that_takes_too_long_is_a_problem() -> None:
    cases: Iterator[Tally] = count("slow", lambda _: Became.ACCEPTED, [7], seed=SEED, limit_s=-1)
    assert next(cases).problems == ["slow 7: took 0.0 s"]


def test_a_case_is_decided_by_its_number_and_the_seed() -> None:
    def drawn(seed: str, cases: range) -> list[float]:
        numbers: list[float] = []

        def attempt(rng: random.Random) -> Became:
            numbers.append(rng.random())
            return Became.ACCEPTED

        assert all(count("k", attempt, cases, seed=seed))
        return numbers

    assert drawn("a", range(3))[2:] == drawn("a", range(2, 3)) != drawn("b", range(2, 3))


@pytest.mark.parametrize(
    "held,says",
    [
        ({"descriptors": 13}, ["3 descriptors more than before"]),
        ({"processes": 2}, ["1 processes more than before"]),
        ({"resident": 301 << 20}, ["201 MiB resident more than before"]),
        ({"descriptors": 12, "processes": 0, "resident": 150 << 20}, []),
    ],
)
def test_what_grows_is_told(held: dict[str, int], says: list[str]) -> None:
    before = {"descriptors": 10, "resident": 100 << 20, "processes": 1}
    assert growth(Holdings(**before), Holdings(**(before | held))) == says


def test_damage_is_repeatable_and_damages() -> None:
    data = bytes(range(256))
    made = [damaged(dice(str(case)), data) for case in range(50)]
    assert made == [damaged(dice(str(case)), data) for case in range(50)]
    assert len(set(made) - {data}) > 40


def test_warping_leaves_the_original_alone_and_is_repeatable() -> None:
    value = {"a": [1, {"b": "text"}], "c": None}
    made = [repr(warped(dice(str(case)), value)) for case in range(50)]
    assert made == [repr(warped(dice(str(case)), value)) for case in range(50)]
    assert value == {"a": [1, {"b": "text"}], "c": None}
    assert len(set(made)) > 25
