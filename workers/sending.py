"""Handing messages to the broker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from celery import Celery
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from grader.domain.errors import BrokerUnavailable
from grader.services.ports import Message, Send
from grader.services.settings import Settings
from workers.app import RUN_ATTEMPT, make_app, queue_name
from workers.options import message_options


def sender_of(app: Celery) -> Send:
    """A function that sends one message through an app, from any thread."""

    def send(message: Message) -> None:
        options = message_options(
            queue=queue_name(message.queue, message.lane),
            time_limit=message.time_limit_s,
            # No patience here: the outbox keeps the message, and its dispatcher has all the time.
            retry=False,
        )
        try:
            app.send_task(RUN_ATTEMPT, args=[str(message.attempt_id)], **options)
        except (KombuError, RedisError, OSError) as error:
            raise BrokerUnavailable(f"the broker does not take messages: {error}") from error

    return send


@contextmanager
def open_sender(settings: Settings) -> Iterator[Send]:
    """A sender of its own for a process that is no worker, such as the command line."""
    app = make_app(settings)
    try:
        yield sender_of(app)
    finally:
        app.close()
