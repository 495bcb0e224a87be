"""The parts of addresses: what cannot be one is not found, before any route looks for it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

_SLUG = r"^[a-z0-9][a-z0-9-]{0,63}$"

CourseSlug = Annotated[str, Path(pattern=_SLUG, description="The course's short name, as in its address.")]
AssignmentSlug = Annotated[str, Path(pattern=_SLUG, description="The assignment's short name.")]
AttemptNumber = Annotated[
    int | None,
    Query(ge=1, le=1_000_000, description="An attempt by its number; without one, that which counts."),
]
VersionNumber = Annotated[int, Path(ge=1, le=1_000_000, description="An assignment's version, from 1.")]
FilePosition = Annotated[int, Path(ge=0, le=1_000_000, description="A file's place in its upload, from 0.")]
