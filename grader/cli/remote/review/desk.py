"""One submission on the desk: what staff have said and changed so far, and which part of it is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar
from uuid import UUID

from grader.cli.remote.answers.review import Dossier
from grader.cli.remote.client import Client
from grader.cli.remote.lookup import SHORT, find_submission
from grader.domain.errors import NotFound
from grader.domain.text import one_line


class Part(Protocol):
    """Something of a submission that has an id of its own."""

    @property
    def id(self) -> str: ...


SomePart = TypeVar("SomePart", bound=Part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The submission that a command changes, and the version it was decided upon (None: the present one)."""

    typed: str
    course: str | None
    seen: int | None = None
    blind: bool = False


def submission_of(client: Client, target: Target) -> UUID:
    """The submission that is meant."""
    return find_submission(client, target.typed, course=target.course)


def dossier_of(client: Client, target: Target) -> Dossier:
    """The submission that is meant, with all that staff know of it."""
    wanted = str(submission_of(client, target))
    return client.get("submissions", wanted, "review", blind=target.blind).of(Dossier)


def part_of(parts: Sequence[SomePart], typed: str, *, what: str, work: Dossier) -> SomePart:
    """The comment, adjustment or kept comment whose id begins so; NotFound names the list that has them."""
    return matching(parts, typed, what=what, listed_by=f"grader review show {short_of(work.id)}")


def matching(parts: Sequence[SomePart], typed: str, *, what: str, listed_by: str) -> SomePart:
    """The one whose id begins as typed, with or without its dashes."""
    start = typed.strip().lower().replace("-", "")
    found = [part for part in parts if start and part.id.replace("-", "").startswith(start)]
    if len(found) != 1:
        remedy = "Give more of its id." if found else f"`{listed_by}` lists them."
        raise NotFound(what, one_line(typed, 80), remedy)
    return found[0]


def short_of(identity: str) -> str:
    """An id as people see and type it."""
    return identity.replace("-", "")[:SHORT]
