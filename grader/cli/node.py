"""This machine's part of a course: its settings, its open database, and the course itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

from grader.db.database import Database, missing_file
from grader.db.migrate import require_current
from grader.domain.errors import ConfigurationInvalid, NoDatabaseYet
from grader.domain.people import Role
from grader.domain.text import one_line
from grader.services.people import Course, Person, enrol, ensure_course, ensure_person, role_in
from grader.services.settings import Settings, load_settings

SETTING = "GRADER_DATABASE_URL"
COURSE_SLUG = "course"
"""The command line serves one course; its name matters only to who reads the database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What most commands need. Open it with `open_node`."""

    settings: Settings
    database: Database

    def course(self) -> Course:
        """The course that the command line serves."""
        return ensure_course(self.database, slug=COURSE_SLUG, title="Course")

    def student(self, login: str) -> Person:
        """The person of that login as a member of the course; enrolled as a student if they are none yet.

        Whoever may write the database may do this anyway, so the command line asks for no password.
        """
        course = self.course()
        person = ensure_person(self.database, login=login)
        with self.database.reading() as session:
            known = role_in(session, course_id=course.id, user_id=person.id)
        if known is None:
            enrol(self.database, course_id=course.id, user_id=person.id, role=Role.STUDENT)
        return person


@contextmanager
def open_node(settings: Settings | None = None) -> Iterator[Node]:
    """The node of these settings, by default the environment's.

    NoDatabaseYet where its file has not been made; ConfigurationInvalid says what to do about a database
    that is away or has another schema.
    """
    settings = settings or load_settings()
    missing = missing_file(settings.database_url)
    if missing is not None:
        raise NoDatabaseYet(missing)
    with database_words(settings.database_url):
        database = Database(settings.database_url)
        try:
            require_current(database)
            yield Node(settings=settings, database=database)
        finally:
            database.close()


@contextmanager
def database_words(url: str) -> Iterator[None]:
    """Say in words that the database fails in the block, instead of how the driver puts it."""
    try:
        yield
    except ConfigurationInvalid as error:
        if error.setting != SETTING or os.environ.get(SETTING):
            raise
        # Whoever set no such variable would look for it in vain.
        raise ConfigurationInvalid(make_url(url).database or "", error.problem, error.remedy) from error
    except OperationalError as error:
        where = make_url(url).render_as_string(hide_password=True)
        raise ConfigurationInvalid(
            SETTING,
            f"the database {where} cannot be used: {one_line(str(error.orig), 300)}.",
            "Start it, or correct the URL.",
        ) from error
