from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from grader.domain.errors import BrokerUnavailable
from grader.services.housekeeping import Housekeeper
from grader.services.policy import QueuePolicy
from grader.services.ports import Message
from tests.courses import SampleCourse

EAGER = QueuePolicy(dispatch_every_s=0.01, sweep_every_s=0.05, lease_s=0.2, resend_after_s=0.3)


def wait_for(condition: Callable[[], bool], *, within_s: float = 20.0) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def test_what_is_submitted_reaches_the_broker_and_what_vanishes_is_sent_again(course: SampleCourse) -> None:
    sent: list[Message] = []
    with Housekeeper(course.database, sent.append, policy=EAGER):
        attempt_id = course.submit().attempt_id
        wait_for(lambda: len(sent) >= 2)
    assert {message.attempt_id for message in sent} == {attempt_id}


def test_a_broker_that_is_away_is_waited_for(course: SampleCourse, caplog: pytest.LogCaptureFixture) -> None:
    sent: list[Message] = []
    broker_is_back = threading.Event()

    def send(message: Message) -> None:
        if not broker_is_back.is_set():
            raise BrokerUnavailable("the broker is away")
        sent.append(message)

    with Housekeeper(course.database, send, policy=EAGER):
        course.submit()
        wait_for(lambda: "the broker is away" in caplog.text)
        broker_is_back.set()
        wait_for(lambda: len(sent) >= 1)


def test_it_stops_when_told(course: SampleCourse) -> None:
    with Housekeeper(course.database, lambda _: None, policy=EAGER) as housekeeper:
        pass
    assert not housekeeper._thread.is_alive()
