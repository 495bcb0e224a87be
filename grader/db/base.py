"""The declarative base: constraint names that migrations rely on, Python types mapped to exact columns."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import LargeBinary, MetaData, String, Text
from sqlalchemy.orm import DeclarativeBase

from grader.db.types import ExactPoints, SharedUuid, UtcDateTime

NAMING_CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Every table of ours. Columns are NOT NULL unless their annotation says otherwise."""

    metadata = MetaData(naming_convention=NAMING_CONVENTION)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: UtcDateTime(),
        Fraction: ExactPoints(),
        UUID: SharedUuid(),
        bytes: LargeBinary(),
        str: Text(),
    }


def hash_column() -> String:
    """A SHA-256 digest as 64 lower-case hexadecimal digits."""
    return String(64)
