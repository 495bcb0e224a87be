from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import TooManyRequests
from grader.services.accounts.throttle import Limits, Try, count_try, forgive, network_of
from tests.unit.services.accounts.conftest import Clock

FEW = Limits(account=3, address=5)


def attempt(database: Database, account: str = "ada", address: str = "192.0.2.1") -> Try:
    return count_try(database, account=account, address=address, limits=FEW)


def test_an_account_has_so_many_tries_from_anywhere(database: Database) -> None:
    for number in range(3):
        attempt(database, address=f"192.0.2.{number}")
    with pytest.raises(TooManyRequests):
        attempt(database, account=" ADA ", address="198.51.100.1")
    attempt(database, account="ben")


def test_an_address_has_so_many_tries_at_any_accounts(database: Database) -> None:
    for number in range(5):
        attempt(database, account=f"student{number}")
    with pytest.raises(TooManyRequests):
        attempt(database, account="another")
    attempt(database, account="another", address="192.0.2.2")


def test_room_comes_back_as_tries_grow_old(database: Database, clock: Clock) -> None:
    for _ in range(3):
        attempt(database)
        clock.forward(minutes=1)
    with pytest.raises(TooManyRequests) as refused:
        attempt(database)
    assert refused.value.retry_after_s == 12 * 60
    clock.forward(seconds=12 * 60)
    attempt(database)
    with pytest.raises(TooManyRequests):
        attempt(database)


def test_being_refused_does_not_lengthen_the_wait(database: Database, clock: Clock) -> None:
    for _ in range(3):
        attempt(database)
    for _ in range(10):
        clock.forward(minutes=1)
        with pytest.raises(TooManyRequests):
            attempt(database)
    clock.forward(minutes=5)
    attempt(database)


def test_a_right_password_forgives_the_account_but_not_the_address(database: Database) -> None:
    for _ in range(2):
        attempt(database, account="ben")
    tried = attempt(database, account="ben")
    with database.writing() as session:
        forgive(session, tried)
    for _ in range(3):
        attempt(database, account="ben")
    with pytest.raises(TooManyRequests):
        attempt(database, account="carl")


def test_of_forty_guesses_at_once_only_so_many_are_let_through(database: Database) -> None:
    def guess(number: int) -> bool:
        try:
            attempt(database, address=f"10.0.{number}.1")
        except TooManyRequests:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(guess, range(40))) == 3


def test_what_is_counted_names_nobody(database: Database) -> None:
    attempt(database)
    with database.reading() as session:
        keys = session.scalars(select(models.LoginFailure.key)).all()
    assert len(keys) == 2
    assert all(len(key) == 64 and "ada" not in key for key in keys)


def test_old_tries_are_swept_away(database: Database, clock: Clock) -> None:
    attempt(database)
    clock.forward(hours=1)
    attempt(database, account="ben")
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(models.LoginFailure)) == 2


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("testclient", "testclient", True),
    ],
)
def test_a_network_of_free_addresses_counts_as_one(one: str, other: str, *, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same
