"""Names for shell completion: quick, quiet, and nothing at all where a server is slow or away."""

from __future__ import annotations

import httpx

from grader.cli.remote.answers.courses import Course, Membership
from grader.cli.remote.choosing import chosen_access
from grader.cli.remote.client import Client, client_of
from grader.domain.errors import GraderError

PATIENCE = httpx.Timeout(1.5)
"""Somebody has pressed Tab and waits."""

MOST_COURSES = 5


def courses(server: str | None) -> list[str]:
    """My courses' short names."""
    try:
        access = chosen_access(server)
        if access is None:
            return []
        with client_of(access, timeout=PATIENCE) as client:
            return _courses(client)
    except GraderError:
        return []


def assignments(server: str | None, course: str | None) -> list[str]:
    """The short names of a course's assignments; without a course, of all of mine."""
    try:
        access = chosen_access(server)
        if access is None:
            return []
        with client_of(access, timeout=PATIENCE) as client:
            slugs = [course] if course else _courses(client)[:MOST_COURSES]
            found = [client.get("courses", slug).of(Course) for slug in slugs]
    except GraderError:
        return []
    return sorted({item.slug for view in found for item in view.assignments})


def _courses(client: Client) -> list[str]:
    return [item.slug for item in client.get("courses").of(list[Membership])]
