"""Some attacks of every group, graded for real; ``make attack`` runs all of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.hostile.cases import GROUPS, Case, read_cases
from tests.hostile.grading import Range

if sys.platform != "linux":
    pytest.skip("the seal is Linux's", allow_module_level=True)

from tests.hostile.aftermath import Aftermath

pytestmark = [pytest.mark.linux, pytest.mark.slow]

CHOSEN = frozenset(
    {
        "a04_read_solution_files", "a08_inherited_fds", "a10_traceback_locals",
        "b04_atexit_report", "b06_forge_on_fds", "b18_pickle_gadget",
        "c07_array_protocol_flip", "c09_patch_allclose", "c10_patch_jax_jit", "c12_key_same_object",
        "c21_mutate_jax_buffer", "c51_native_call_writes_past_its_end",
        "b50_patches_what_watches", "d03_tracer_stub", "d60_decoys_for_readers",
        "d10_time_bomb", "d19_leaks_input_identity",
        "e03_no_block", "e04_background_thread",
        "f01_tcp_exfil", "f07_pycache_poison", "f09_daemon", "f10_poison_warm_worker",
        "h01_fork_bomb", "h07_stderr_one_line", "h17_segfault", "h23_deep_nesting_result",
        "i03_ansi_escapes", "i07_invalid_bytes", "i10_named_xss",
        "twin_own_tools", "twin_checks_what_it_may", "twin_times_itself", "twin_recurs_and_prints",
        "twin_writes_colourfully", "twin_says_who_called", "twin_handles_signals", "twin_wraps_its_numbers",
        "twin_asks_if_it_is_traced", "twin_works_hard_and_stops",
    }
)  # fmt: skip
CASES = {case.id: case for case in read_cases()}


@pytest.fixture(scope="module")
def engine() -> Iterator[Range]:
    with Aftermath() as watch, Range(watch, seed="hostile") as engine:
        yield engine


def test_some_of_every_group_are_chosen() -> None:
    assert {CASES[name].group for name in CHOSEN} == set(GROUPS)


def test_every_submission_of_the_suite_is_listed_and_there() -> None:
    folders = {case.path.parent for case in CASES.values()}
    assert {path for folder in folders for path in folder.glob("*.py")} == {
        case.path for case in CASES.values()
    }


def test_every_attack_has_an_honest_twin() -> None:
    attacks = {case.id for case in CASES.values() if not case.honest}
    assert {attack for case in CASES.values() for attack in case.twin_of} == attacks


@pytest.mark.parametrize("name", sorted(name for name in CHOSEN if not CASES[name].honest))
def test_an_attack_earns_nothing_leaves_nothing_and_changes_nobodys_grade(engine: Range, name: str) -> None:
    assert _problems(engine, CASES[name]) == ()


@pytest.mark.parametrize("name", sorted(name for name in CHOSEN if CASES[name].honest))
def test_an_honest_submission_in_the_style_of_an_attack_loses_nothing(engine: Range, name: str) -> None:
    assert _problems(engine, CASES[name]) == ()


def _problems(engine: Range, case: Case) -> tuple[str, ...]:
    outcome = engine.try_out(case)
    return (*outcome.points, *outcome.reports, *outcome.aftermath, *outcome.neighbour)
