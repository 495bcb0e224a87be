"""Asking the broker whether it is there."""

from __future__ import annotations

from kombu.exceptions import OperationalError

from grader.domain.errors import BrokerUnavailable
from grader.services.settings import Settings
from workers.app import make_app


def require_broker(settings: Settings) -> None:
    """Connect once, without patience; BrokerUnavailable says why it cannot be done."""
    with make_app(settings) as app, app.connection_for_write() as connection:
        try:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=5)
        except (OperationalError, OSError, ValueError) as error:
            raise BrokerUnavailable(f"the broker {connection.as_uri()} cannot be reached: {error}") from error
