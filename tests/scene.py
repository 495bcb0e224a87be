"""A course in which everything that has an address exists, and people of every standing towards it.

What addresses name is Ada's. Whoever is refused shares `things`; `fresh` makes some anew, for whoever is let
in and uses them up.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import select

from grader.db import models
from grader.db.base import Base
from grader.domain.attempts import Queue
from grader.domain.people import Role
from grader.domain.publication import PublicationState
from grader.domain.reviewing import AdjustmentKind, PlanState, RequestState
from grader.services.access import Actor
from grader.services.accounts.invitations import invite
from grader.services.people import enrol, ensure_course
from grader.services.reviewing.clusters import clusters_of
from grader.services.roster.members import remove_member
from grader.web.assets import asset_url
from tests.courses import BUNDLE, SOLUTION
from tests.students import AFTER_DUE, AFTER_RELEASE, OPEN, graded, publish_hidden, schedule
from tests.web import Browser, WebWorld, person, web_world

PAST = datetime(2020, 1, 1, tzinfo=UTC)
OTHER_COURSE = "other"
LONG = timedelta(days=36500)


class Standing(StrEnum):
    """What somebody is to the course and to Ada's work; the value is their login."""

    ANONYMOUS = ""
    CLOSED = "cleo"
    """A student whose account is closed, with a session and a token from before."""
    STRANGER = "sam"
    OUTSIDER = "olga"
    """An instructor, of another course."""
    DROPPED = "dora"
    """Taken out of the course, with work of her own in it, a session and a token from before."""
    OTHER = "ben"
    OWNER = "ada"
    TA = "tom"
    INSTRUCTOR = "ines"


STAFF = frozenset({Standing.TA, Standing.INSTRUCTOR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The course, what is in it, and clients for its people."""

    world: WebWorld
    mine: UUID
    earlier: UUID
    spare: UUID
    """Ada's too; what is used up hangs on it, so that the others stay graded."""
    bens: UUID
    doras: UUID
    things: dict[str, str] = field(default_factory=dict)
    _scripts: dict[Standing, Browser] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def browser(self, standing: Standing) -> Browser:
        """Somebody with a browser, logged in if they can be."""
        if standing is Standing.ANONYMOUS:
            visitor = self.world.visitor()
            visitor.open("/login")
            return visitor
        self.world.log_in_anew(standing.value)
        return self.world.browser(standing.value)

    def script(self, standing: Standing) -> Browser:
        """Somebody with a token."""
        if standing is Standing.ANONYMOUS:
            return self.world.visitor()
        if standing not in self._scripts:
            self._scripts[standing] = self.world.script(standing.value)
        return self._scripts[standing]

    def fresh(self, names: Collection[str], author: Standing = Standing.TA) -> dict[str, str]:
        """The things of those names once more, so that nobody has touched them; by that author, if staff."""
        number = next(self._numbers)
        made = {name: maker(self, number, author) for name, maker in MAKERS.items() if name in names}
        return {**self.things, "submission_id": str(self.spare), **made}

    def add(self, row: Base) -> str:
        """Store it; returns its id."""
        with self.world.database.writing() as session:
            session.add(row)
            session.flush()
            return str(row.id)  # type: ignore[attr-defined]

    def staff_id(self, author: Standing) -> UUID:
        """Who writes for staff: the author, if they are one."""
        return self.world.people[author.value if author in STAFF else Standing.TA.value].user_id

    def student(self, number: int) -> Actor:
        """A student whom nobody else needs."""
        login = f"zoe{number}"
        if login not in self.world.people:
            self.world.people[login] = person(self.world.database, self.world.course, login, Role.STUDENT)
        return self.world.people[login]

    def any_file(self) -> str:
        """The hash of some stored file."""
        with self.world.database.reading() as session:
            return session.scalars(select(models.StoredFile.sha256).limit(1)).one()


def _comment(scene: Scene, _: int, author: Standing) -> str:
    return scene.add(
        models.Comment(
            submission_id=scene.spare, author_id=scene.staff_id(author), text="A remark.", created_at=PAST
        )
    )


def _adjustment(scene: Scene, _: int, author: Standing) -> str:
    return scene.add(
        models.Adjustment(
            submission_id=scene.spare,
            kind=AdjustmentKind.ADD,
            points=0,
            reason="A reason.",
            author_id=scene.staff_id(author),
            created_at=PAST,
        )
    )


def _request(scene: Scene, _: int, __: Standing) -> str:
    return scene.add(
        models.RegradeRequest(
            submission_id=scene.spare, text="Please look.", created_at=PAST, state=RequestState.OPEN
        )
    )


def _kept(scene: Scene, _: int, author: Standing) -> str:
    return scene.add(
        models.BankComment(
            course_id=scene.world.course.course_id,
            title="Kept",
            text="Kept.",
            created_by=scene.staff_id(author),
            created_at=PAST,
        )
    )


def _plan(scene: Scene, _: int, author: Standing) -> str:
    version = scene.world.course.version
    return scene.add(
        models.RegradePlan(
            assignment_id=version.assignment_id,
            version_id=version.version_id,
            reason="A reason.",
            state=PlanState.READY,
            created_by=scene.staff_id(author),
            created_at=PAST,
        )
    )


def _publication(scene: Scene, _: int, __: Standing) -> str:
    return scene.add(
        models.Publication(
            course_id=scene.world.course.course_id,
            slug="doubling",
            title="Doubling",
            upload_name="folder.zip",
            upload_sha256=scene.any_file(),
            as_draft=False,
            queue=Queue.CPU,
            time_limit_s=60.0,
            state=PublicationState.REFUSED,
            requested_at=PAST,
            finished_at=PAST,
            problem="It was refused.",
        )
    )


def _extension(scene: Scene, number: int, _: Standing) -> str:
    return scene.add(
        models.Extension(
            assignment_id=scene.world.course.version.assignment_id,
            user_id=scene.student(number).user_id,
            due_at=PAST,
            reason="Ill.",
            granted_at=PAST,
        )
    )


def _token(scene: Scene, number: int, _: Standing) -> str:
    return scene.add(
        models.ApiToken(
            token_hash=f"{number:064x}",
            user_id=scene.world.people["ada"].user_id,
            name="laptop",
            hint="abcd",
            created_at=PAST,
            expires_at=PAST + LONG,
        )
    )


def _session(scene: Scene, number: int, _: Standing) -> str:
    return scene.add(
        models.LoginSession(
            token_hash=f"{number:064x}",
            user_id=scene.world.people["ada"].user_id,
            created_at=PAST,
            last_seen_at=PAST,
            expires_at=PAST + LONG,
            user_agent="test",
        )
    )


def _invitation(scene: Scene, _: int, __: Standing) -> str:
    return str(
        invite(
            scene.world.database, actor=scene.world.people["ines"], course="jax", role=Role.STUDENT, days=1
        ).id
    )


def _secret(scene: Scene, _: int, __: Standing) -> str:
    """Of a link into the other course: whoever follows it stays what they are to this one."""
    actor = scene.world.people[Standing.OUTSIDER.value]
    link = invite(scene.world.database, actor=actor, course=OTHER_COURSE, role=Role.STUDENT, days=1)
    return link.path.rsplit("/", 1)[1]


MAKERS: Mapping[str, Callable[[Scene, int, Standing], str]] = {
    "comment_id": _comment,
    "adjustment_id": _adjustment,
    "request_id": _request,
    "entry_id": _kept,
    "plan_id": _plan,
    "publication_id": _publication,
    "extension_id": _extension,
    "token_id": _token,
    "session_id": _session,
    "invitation_id": _invitation,
    "secret": _secret,
    "login": lambda scene, number, _: scene.student(number).login,
    "user_id": lambda scene, number, _: str(scene.student(number).user_id),
}
"""How each thing is made anew."""


@contextmanager
def scene(**web: Any) -> Iterator[Scene]:  # noqa: ANN401 - fields of WebSettings
    """The whole of it, over a fresh database."""
    with tempfile.TemporaryDirectory() as folder, web_world(Path(folder), **web) as world:
        yield _set_up(world)


def _set_up(world: WebWorld) -> Scene:
    course = world.course
    other = ensure_course(world.database, slug=OTHER_COURSE, title="Another course")
    for standing, role in (
        (Standing.OUTSIDER, None),
        (Standing.DROPPED, Role.STUDENT),
        (Standing.CLOSED, Role.STUDENT),
    ):
        world.people[standing.value] = person(world.database, course, standing.value, role)
    enrol(
        world.database,
        course_id=other.id,
        user_id=world.people["olga"].user_id,
        role=Role.INSTRUCTOR,
    )
    publish_hidden(course, bundle=BUNDLE)
    schedule(course, submission_limit=None)
    handed_in = [
        graded(course, passed, user_id=world.people[login].user_id, data=SOLUTION + f"# {note}\n".encode())
        for login, passed, note in (
            ("ada", {OPEN}, "first"),
            ("ada", {OPEN, AFTER_DUE}, "second"),
            ("ada", {OPEN}, "third"),
            ("ben", {OPEN, AFTER_RELEASE}, "Ben's"),
            ("dora", {OPEN}, "Dora's"),
        )
    ]
    earlier, mine, spare, bens, doras = (receipt.submission_id for receipt in handed_in)
    made = Scene(world=world, mine=mine, earlier=earlier, spare=spare, bens=bens, doras=doras)
    clusters = clusters_of(
        world.database, actor=world.people["tom"], course="jax", assignment="doubling"
    ).clusters
    digest, name = asset_url("app.js").rsplit("/", 2)[1:]
    made.things.update(
        course="jax",
        slug="doubling",
        submission_id=str(mine),
        other_id=str(earlier),
        position="0",
        number="2",
        kind="gradebook",
        key=clusters[0].key,
        digest=digest,
        name=name,
    )
    made.things.update(made.fresh(MAKERS) | {"submission_id": str(mine)})
    _send_away(world)
    return made


def _send_away(world: WebWorld) -> None:
    """Dora leaves the course and Cleo's account is closed, while both are logged in."""
    for login in ("dora", "cleo"):
        world.browser(login)
    remove_member(world.database, actor=world.people["ines"], course="jax", login="dora")
    with world.database.writing() as session:
        account = session.get_one(models.Account, world.people["cleo"].user_id)
        account.disabled_at = world.database.now(session)
