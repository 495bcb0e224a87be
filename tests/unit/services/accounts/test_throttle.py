from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import TooManyRequests
from grader.services.accounts.throttle import Bucket, Try, count_try, forgive
from tests.unit.services.accounts.conftest import Clock

THREE = Bucket(name=("three",), most=3)
SLOW = Bucket(name=("slow",), most=3, pause=timedelta(seconds=30))
QUIET = Bucket(name=("quiet",), most=3, quiet=True)
OWN = Bucket(name=("own",), most=3, own=True)


def fill(database: Database, bucket: Bucket) -> list[Try]:
    return [count_try(database, [bucket]) for _ in range(bucket.most)]


def test_a_bucket_takes_so_many_and_others_are_not_held_up(database: Database) -> None:
    fill(database, THREE)
    with pytest.raises(TooManyRequests):
        count_try(database, [THREE])
    count_try(database, [Bucket(name=("four",), most=3)])


def test_room_comes_back_as_tries_grow_old(database: Database, clock: Clock) -> None:
    for _ in range(3):
        count_try(database, [THREE])
        clock.forward(minutes=1)
    with pytest.raises(TooManyRequests) as refused:
        count_try(database, [THREE])
    assert refused.value.retry_after_s == 12 * 60
    assert str(refused.value).endswith("Try again in 12 minutes.")
    clock.forward(seconds=12 * 60)
    count_try(database, [THREE])
    with pytest.raises(TooManyRequests):
        count_try(database, [THREE])


def test_being_refused_does_not_lengthen_the_wait(database: Database, clock: Clock) -> None:
    fill(database, THREE)
    for _ in range(10):
        clock.forward(minutes=1)
        with pytest.raises(TooManyRequests):
            count_try(database, [THREE])
    clock.forward(minutes=5)
    count_try(database, [THREE])


def test_a_bucket_with_a_pause_lets_one_through_after_each(database: Database, clock: Clock) -> None:
    fill(database, SLOW)
    for _ in range(10):
        with pytest.raises(TooManyRequests) as refused:
            count_try(database, [SLOW])
        assert refused.value.retry_after_s == 30
        clock.forward(seconds=30)
        count_try(database, [SLOW])


def test_of_two_full_buckets_the_longer_wait_is_told(database: Database) -> None:
    fill(database, THREE)
    fill(database, SLOW)
    with pytest.raises(TooManyRequests) as refused:
        count_try(database, [SLOW, THREE])
    assert refused.value.retry_after_s > 30


def test_a_quiet_bucket_refuses_without_saying_so(database: Database) -> None:
    assert not any(tried.refused for tried in fill(database, QUIET))
    assert count_try(database, [QUIET, THREE]).refused
    assert not count_try(database, [THREE]).refused


def test_what_a_quiet_bucket_refuses_still_counts_for_the_others(database: Database) -> None:
    fill(database, QUIET)
    for _ in range(3):
        assert count_try(database, [QUIET, THREE]).refused
    with pytest.raises(TooManyRequests):
        count_try(database, [QUIET, THREE])


def test_a_right_password_empties_its_own_buckets_and_takes_itself_from_the_others(
    database: Database,
) -> None:
    for _ in range(2):
        count_try(database, [OWN, THREE])
    tried = count_try(database, [OWN, THREE])
    with database.writing() as session:
        forgive(session, tried)
    fill(database, OWN)
    count_try(database, [THREE])
    with pytest.raises(TooManyRequests):
        count_try(database, [THREE])


def test_of_forty_guesses_at_once_only_so_many_are_let_through(database: Database) -> None:
    def guess(number: int) -> bool:
        try:
            count_try(database, [THREE, Bucket(name=("guess", str(number)), most=3)])
        except TooManyRequests:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(guess, range(40))) == 3


def test_what_is_counted_names_nobody(database: Database) -> None:
    count_try(database, [Bucket(name=("name", "ada"), most=3)])
    with database.reading() as session:
        (key,) = session.scalars(select(models.LoginFailure.key)).all()
    assert len(key) == 64
    assert "ada" not in key


def test_names_are_not_run_together() -> None:
    assert Bucket(name=("a", "bc"), most=3).key != Bucket(name=("ab", "c"), most=3).key


def test_old_tries_are_swept_away(database: Database, clock: Clock) -> None:
    count_try(database, [THREE])
    clock.forward(hours=1)
    count_try(database, [SLOW])
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(models.LoginFailure)) == 1
