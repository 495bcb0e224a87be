"""The rules about keys, on calls of the generator that are written down by hand."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from grader.engine.bench.keyfindings import KeyFault, KeyFinding, SourceLine
from grader.engine.bench.keys.ledger import Ledger
from grader.engine.bench.keys.probes import Frame, KernelCall, Site
from grader.engine.bench.keys.threefry import Words, threefry2x32

PARENT = (11, 22)
_FRAMES = iter(range(1_000_000))


def words(*keys: tuple[int, int]) -> Words:
    return np.array(keys, np.uint32).reshape(-1, 2)


def call(keys: Words, numbers: Iterable[int], *, function: str = "_uniform", line: int = 1) -> KernelCall:
    """One call of the generator on counters ``(0, number)`` in a run of a library function of its own."""
    counters = words(*((0, number) for number in numbers))
    entry = Site(
        caller="main", callee=function, lines=(SourceLine(file="walk.py", line=line, function="walk"),)
    )
    return KernelCall(
        site=Site(caller=function, callee="threefry2x32", lines=()),
        stack=(Frame(number=next(_FRAMES), site=entry),),
        keys=np.broadcast_to(keys, (len(counters), 2)),
        counters=counters,
        last_axis=len(counters),
    )


def split(key: tuple[int, int], count: int = 2, *, line: int = 1) -> KernelCall:
    return call(words(key), range(count), function="_threefry_split", line=line)


def child(key: tuple[int, int], number: int) -> tuple[int, int]:
    first, second = threefry2x32(words(key), words((0, number)))[0].tolist()
    return first, second


def findings(*calls: KernelCall, returned: dict[int, Words] | None = None) -> list[KeyFinding]:
    ledger = Ledger()
    ledger.add_input(0, words(PARENT))
    for each in calls:
        ledger.add_call(each)
    return list(ledger.findings(returned or {}))


def faults(*calls: KernelCall, returned: dict[int, Words] | None = None) -> list[KeyFault]:
    return [finding.fault for finding in findings(*calls, returned=returned)]


def test_a_split_and_one_draw_from_each_child_is_right() -> None:
    draws = [call(words(child(PARENT, number)), range(4)) for number in (0, 1)]

    assert faults(split(PARENT), *draws) == []


def test_two_draws_that_share_no_block_are_still_reuse() -> None:
    assert faults(call(words(PARENT), [0, 1]), call(words(PARENT), [5, 6])) == [KeyFault.REUSED]


def test_fold_in_may_be_asked_for_different_numbers_in_any_order() -> None:
    folds = [call(words(PARENT), [number], function="_threefry_fold_in") for number in (4, 0, 9)]

    assert faults(*folds) == []


def test_fold_in_of_one_number_twice_is_reuse() -> None:
    folds = [call(words(PARENT), [4], function="_threefry_fold_in_7") for _ in range(2)]

    assert faults(*folds) == [KeyFault.REUSED]


def test_a_block_repeated_within_one_call_is_reuse() -> None:
    (finding,) = findings(call(words(PARENT), [0, 1, 0]))

    assert (finding.fault, finding.times) == (KeyFault.REUSED, 2)


def test_a_draw_whose_output_serves_as_a_key_made_that_key() -> None:
    disguised = call(words(PARENT), range(2), function="my_own_split")

    assert faults(disguised, call(words(child(PARENT, 1)), range(4))) == []


def test_a_foreign_key_is_reported_once_and_its_children_not_at_all() -> None:
    foreign = (0, 42)
    (finding,) = findings(split(PARENT), split(foreign), call(words(child(foreign, 0)), range(3)))

    assert (finding.fault, finding.words) == (KeyFault.FOREIGN, foreign)


def test_an_empty_draw_uses_nothing() -> None:
    empty = call(words(PARENT), [])

    assert faults(empty) == [KeyFault.UNUSED]


def test_equal_misuses_of_many_keys_are_one_finding() -> None:
    children = [child(PARENT, number) for number in range(6)]
    draws = [call(words(key), range(3), line=line) for key in children for line in (5, 9)]
    (finding,) = findings(split(PARENT, 6), *draws)

    assert (finding.keys, finding.times) == (6, 2)
    assert [use.lines[0].line for use in finding.uses] == [5, 9]


def test_a_fresh_child_may_be_returned() -> None:
    assert faults(split(PARENT), returned={0: words(child(PARENT, 0))}) == []


def test_returned_keys_are_judged_row_by_row() -> None:
    used = child(PARENT, 1)
    rows = words(child(PARENT, 0), used)

    assert faults(split(PARENT), call(words(used), range(2)), returned={3: rows}) == [KeyFault.RETURNED_USED]


def test_a_returned_key_nobody_made_is_foreign() -> None:
    assert faults(split(PARENT), returned={0: words((1, 2))}) == [KeyFault.RETURNED_FOREIGN]


def test_an_input_that_is_only_passed_on_is_not_called_unused() -> None:
    assert faults(returned={0: words(PARENT)}) == [KeyFault.RETURNED_INPUT]
