from __future__ import annotations

import threading

import pytest
from sqlalchemy import select

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import BrokerUnavailable
from grader.services.dispatching import dispatch
from grader.services.policy import QueuePolicy
from grader.services.ports import Message
from tests.courses import SampleCourse


class Broker:
    """Remembers what it was sent; fails from the message numbered `fails_at` on."""

    def __init__(self, *, fails_at: int | None = None) -> None:
        self.messages: list[Message] = []
        self.fails_at = fails_at

    def send(self, message: Message) -> None:
        if self.fails_at is not None and len(self.messages) >= self.fails_at:
            raise BrokerUnavailable("the broker is away")
        self.messages.append(message)


def outbox(database: Database) -> list[models.OutboxMessage]:
    with database.reading() as session:
        return list(session.scalars(select(models.OutboxMessage).order_by(models.OutboxMessage.id)))


def test_what_waits_is_sent_once_in_order(course: SampleCourse, policy: QueuePolicy) -> None:
    attempts = [course.submit().attempt_id for _ in range(3)]
    broker = Broker()
    assert dispatch(course.database, broker.send, policy=policy) == 3
    assert dispatch(course.database, broker.send, policy=policy) == 0
    assert [message.attempt_id for message in broker.messages] == attempts
    assert all(row.sent_at is not None and row.claim_token is None for row in outbox(course.database))


def test_the_attempt_knows_that_its_message_was_sent(course: SampleCourse, policy: QueuePolicy) -> None:
    attempt_id = course.submit().attempt_id
    dispatch(course.database, Broker().send, policy=policy)
    with course.database.reading() as session:
        attempt = session.get_one(models.Attempt, attempt_id)
    assert attempt.dispatches == 1
    assert attempt.dispatched_at is not None


def test_a_broker_that_is_away_costs_nothing_but_time(course: SampleCourse, policy: QueuePolicy) -> None:
    attempts = [course.submit().attempt_id for _ in range(3)]
    broker = Broker(fails_at=1)
    with pytest.raises(BrokerUnavailable):
        dispatch(course.database, broker.send, policy=policy)
    assert [row.sent_at is not None for row in outbox(course.database)] == [True, False, False]
    broker.fails_at = None
    assert dispatch(course.database, broker.send, policy=policy) == 2
    assert [message.attempt_id for message in broker.messages] == attempts


def test_a_dispatcher_that_died_is_replaced_when_its_claim_lapses(
    course: SampleCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.submit()

    class Killed(BaseException):
        """Stands for kill -9: nothing after it happens."""

    def die(_: Message) -> None:
        raise Killed

    short = QueuePolicy(claim_s=0)
    with monkeypatch.context() as patch:
        patch.setattr("grader.services.dispatching._settle", lambda *_, **__: None)
        with pytest.raises(Killed):
            dispatch(course.database, die, policy=short)
    [row] = outbox(course.database)
    assert (row.sent_at, row.claim_token is None) == (None, False)
    broker = Broker()
    assert dispatch(course.database, broker.send, policy=short) == 1


def test_a_claim_keeps_other_dispatchers_away(course: SampleCourse, policy: QueuePolicy) -> None:
    course.submit()
    broker = Broker()

    def meanwhile(message: Message) -> None:
        assert dispatch(course.database, broker.send, policy=policy) == 0
        broker.send(message)

    assert dispatch(course.database, meanwhile, policy=policy) == 1
    assert len(broker.messages) == 1


def test_dispatchers_at_once_send_each_message_once(course: SampleCourse, policy: QueuePolicy) -> None:
    attempts = {course.submit().attempt_id for _ in range(20)}
    broker, sent = Broker(), []

    def work() -> None:
        while count := dispatch(course.database, broker.send, policy=policy, limit=3):
            sent.append(count)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(sent) == 20
    assert sorted(message.attempt_id for message in broker.messages) == sorted(attempts)
