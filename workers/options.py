"""Celery's options, checked. Celery accepts a misspelt one in silence and does without it; we do not."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from celery import Celery, Task
from celery.app.defaults import SETTING_KEYS
from kombu.transport.redis import Channel

from grader.domain.errors import ConfigurationInvalid
from grader.domain.text import did_you_mean

Options = dict[str, Any]

_TASK_OPTIONS = frozenset(name for name in dir(Task) if not name.startswith("_")) | {"base", "bind", "shared"}
_MESSAGE_OPTIONS = frozenset(
    name
    for function in (Celery.send_task, Celery(set_as_current=False).amqp.send_task_message)
    for name in inspect.signature(function).parameters
)


def app_settings(**options: object) -> Options:
    """Settings of the app (``app.conf``)."""
    return _checked("setting", options, SETTING_KEYS)


def transport_options(**options: object) -> Options:
    """Options of kombu's Redis transport (``broker_transport_options``)."""
    return _checked("transport option", options, Channel.from_transport_options)


def task_options(**options: object) -> Options:
    """Options of a task (``app.task(...)``)."""
    return _checked("task option", options, _TASK_OPTIONS)


def message_options(**options: object) -> Options:
    """Options of one message (``app.send_task(...)``)."""
    return _checked("message option", options, _MESSAGE_OPTIONS)


def _checked(kind: str, options: Mapping[str, object], known: Iterable[str]) -> Options:
    names = frozenset(known)
    for name in options:
        if name not in names:
            raise ConfigurationInvalid(name, f"Celery knows no such {kind}.", did_you_mean(name, names))
    return dict(options)
