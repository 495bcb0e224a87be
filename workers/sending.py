"""Handing messages to the broker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from celery import Celery
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from grader.domain.attempts import Lane
from grader.domain.errors import BrokerUnavailable
from grader.services.ports import GateMessage, Message, Send
from grader.services.settings import Settings
from workers.app import RUN_ATTEMPT, RUN_GATE, make_app, queue_name
from workers.options import message_options


def sender_of(app: Celery) -> Send:
    """A function that sends one message through an app, from any thread."""

    def send(message: Message | GateMessage) -> None:
        task, subject, lane = _parts(message)
        options = message_options(
            queue=queue_name(message.queue, lane),
            time_limit=message.time_limit_s,
            # No patience here: the database keeps what is to be told, and its dispatcher has all the time.
            retry=False,
        )
        try:
            app.send_task(task, args=[str(subject)], **options)
        except (KombuError, RedisError, OSError) as error:
            raise BrokerUnavailable(f"the broker does not take messages: {error}") from error

    return send


def _parts(message: Message | GateMessage) -> tuple[str, UUID, Lane]:
    """The task, what it is about, and the lane. A gate takes minutes: no student waits behind one."""
    if isinstance(message, GateMessage):
        return RUN_GATE, message.publication_id, Lane.BULK
    return RUN_ATTEMPT, message.attempt_id, message.lane


@contextmanager
def open_sender(settings: Settings) -> Iterator[Send]:
    """A sender of its own for a process that is no worker, such as the command line."""
    app = make_app(settings)
    try:
        yield sender_of(app)
    finally:
        app.close()
