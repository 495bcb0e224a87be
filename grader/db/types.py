"""Column types that keep what they store exact: aware times, exact points, strict JSON, closed sets.

What lists read thousands of (times, points, ids) says how by `result_processor`, the function that each value
goes through; `process_result_value` would put two calls around it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, Dialect, Enum, Text, Uuid
from sqlalchemy.types import TypeDecorator


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime, stored and returned in UTC. A naive one is refused: nobody knows what it means."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a naive datetime ({value.isoformat()}) cannot be stored; give it a zone")
        return value.astimezone(UTC)

    def result_processor(self, dialect: Dialect, _coltype: object) -> Callable[[Any | None], datetime | None]:
        return _utc_from_text if dialect.name == "sqlite" else _utc


def _utc_from_text(value: str | None) -> datetime | None:
    """What SQLite keeps is text without a zone: UTC, because of process_bind_param."""
    return None if value is None else datetime.fromisoformat(f"{value}+00:00")


def _utc(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC)


class ExactPoints(TypeDecorator[Fraction]):
    """Points as the text ``n`` or ``n/d`` in lowest terms: neither database has an exact rational type."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Fraction | int | None, _dialect: Dialect) -> str | None:
        return None if value is None else str(Fraction(value))

    def result_processor(
        self, _dialect: Dialect, _coltype: object
    ) -> Callable[[Any | None], Fraction | None]:
        return _points


@lru_cache(maxsize=4096)
def _points(text: str | None) -> Fraction | None:
    """Lists hold the same few points again and again, and reading a fraction takes microseconds."""
    return None if text is None else Fraction(text)


class SharedUuid(Uuid[UUID]):
    """An id. The same ids are read again and again: by many rows of one answer, by every page that is opened.

    Drivers without UUIDs of their own (SQLite's) give text; each text is made into a UUID once, as long as it
    is among the latest that were read. That was a third of what a large gradebook costs.
    """

    cache_ok = True

    def result_processor(
        self, dialect: Dialect, coltype: object
    ) -> Callable[[Any | None], UUID | None] | None:
        process = super().result_processor(dialect, coltype)  # type: ignore[no-untyped-call]
        return None if process is None else _uuid_from_text


@lru_cache(maxsize=1 << 16)
def _uuid_from_text(value: str | None) -> UUID | None:
    return None if value is None else UUID(value)


class JsonText(TypeDecorator[Any]):
    """Strict JSON as ASCII text.

    A native JSON column would not do: PostgreSQL's jsonb refuses NUL in a string and drops the sign of -0.0.
    Non-finite numbers are refused rather than written as something that is not JSON.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any | None, _dialect: Dialect) -> str | None:  # noqa: ANN401 - JSON
        if value is None:
            return None
        return json.dumps(value, allow_nan=False, separators=(",", ":"))

    def process_result_value(self, value: str | None, _dialect: Dialect) -> Any | None:  # noqa: ANN401 - JSON
        return None if value is None else json.loads(value)


def closed_set(members: type[StrEnum], *, name: str) -> Enum:
    """A column for an enum: its members' values as text, guarded by a check constraint called `name`."""
    return Enum(
        members,
        name=name,
        native_enum=False,
        create_constraint=True,
        validate_strings=True,
        length=max(32, *(len(member.value) for member in members)),
        values_callable=lambda enum: [member.value for member in enum],
    )
