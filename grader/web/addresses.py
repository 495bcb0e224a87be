"""The parts of addresses: what cannot be one is not found, before any route looks for it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

_SLUG = r"^[a-z0-9][a-z0-9-]{0,63}$"

CourseSlug = Annotated[str, Path(pattern=_SLUG, description="The course's short name, as in its address.")]
AssignmentSlug = Annotated[str, Path(pattern=_SLUG, description="The assignment's short name.")]
