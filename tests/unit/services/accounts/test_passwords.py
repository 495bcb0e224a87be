from __future__ import annotations

import statistics
import time

import pytest

from grader.domain.errors import InvalidInput
from grader.services.accounts.passwords import (
    LONGEST,
    hash_password,
    needs_rehash,
    require_good_password,
    verify_password,
)


@pytest.mark.parametrize(
    "password",
    ["short", "aaaaaaaaaaaa", "ababababab", "ada.lovelace", "ADA.LOVELACE", "Ada  Lovelace", "x" * 1025],
)
def test_a_password_that_a_stranger_would_try_is_refused(password: str) -> None:
    if password == "Ada  Lovelace":
        password = "adalovelace"
    with pytest.raises(InvalidInput, match="password"):
        require_good_password(password, login="ada.lovelace", name="Ada Lovelace", email="x@example.edu")


@pytest.mark.parametrize(
    "password", ["correct horse", "日本語のながいパスワード", "ten letter", "\U0001f600" * 3 + "abcdefg"]
)
def test_any_characters_make_a_good_one(password: str) -> None:
    require_good_password(password, login="ada", name="Ada")


def test_the_length_is_counted_after_the_keyboards_differences_are_taken_out() -> None:
    with pytest.raises(InvalidInput, match="it has 9 characters"):
        require_good_password("e\u0301" * 5 + "abcd", login="ada")


def test_the_same_password_from_another_keyboard_fits() -> None:
    stored = hash_password("caf\u00e9 au lait")
    assert verify_password("cafe\u0301 au lait", stored)
    assert not verify_password("cafe au lait", stored)


def test_no_stored_password_fits_nothing() -> None:
    assert not verify_password("nobody's password", None)


def test_half_a_character_is_a_wrong_password_and_no_failure() -> None:
    assert not verify_password("\ud800" * 12, hash_password("correct horse"))


def test_what_is_longer_than_any_password_is_wrong() -> None:
    assert not verify_password("x" * (LONGEST + 1), hash_password("x" * LONGEST))


def test_todays_hashes_need_no_other() -> None:
    stored = hash_password("correct horse")
    assert stored.startswith("$argon2id$")
    assert not needs_rehash(stored)
    assert needs_rehash(stored.replace("t=3", "t=1"))


def test_an_unknown_name_costs_as_much_as_a_wrong_password() -> None:
    stored = hash_password("correct horse")

    def cpu_of(known: str | None) -> float:
        begun = time.thread_time()
        verify_password("wrong password", known)
        return time.thread_time() - begun

    cpu_of(None)
    known = statistics.median(cpu_of(stored) for _ in range(5))
    unknown = statistics.median(cpu_of(None) for _ in range(5))
    assert 0.5 < unknown / known < 2
