"""The work of `grader submit`: read the files, store them, give a receipt."""

from __future__ import annotations

import getpass
from datetime import datetime
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

from rich.markup import escape
from rich.text import Text

from grader.cli.consent import require_consent
from grader.cli.node import COURSE_SLUG, Node, open_node
from grader.cli.output import answers
from grader.cli.reporting import STUDENT, show, wait_for
from grader.cli.sending import files_of
from grader.domain.errors import ConfigurationInvalid, NotFound
from grader.domain.moments import moment_text
from grader.domain.text import did_you_mean, listing, one_line
from grader.presentation.ledgers import NOW, THEN, price_text
from grader.services.access import Actor
from grader.services.lookup import published_assignments, short_id
from grader.services.people import Person
from grader.services.publishing import PublishedVersion, current_version
from grader.services.seeding import load_secret
from grader.services.student.coursework import CourseView, Coursework, course_for
from grader.services.student.prices import price_tag
from grader.services.submitting import Receipt
from grader.services.submitting import submit as hand_in
from grader.services.uploads import Upload


def submit(
    paths: tuple[Path, ...], *, assignment: str, user: str | None, wait: bool, ask: bool = True
) -> None:
    """Store a submission, print its receipt, and with `wait` follow it to its report.

    What a late submission costs is said first; `ask` whether to go on, where somebody is there to answer.
    """
    with open_node() as node:
        version = _published(node, assignment)
        student = node.student(user or login_name())
        files = files_of(paths)
        view = _course_of(node, student)
        item = next((item for item in view.items if item.slug == assignment), None)
        if item is not None:
            require_consent(_price(view, item, at=view.now), ask=ask)
        receipt = hand_in(
            node.database,
            uploads=[Upload(name=file.name, data=file.data) for file in files],
            assignment_id=version.assignment_id,
            user_id=student.id,
            idempotency_key=str(uuid4()),
            secret=load_secret(node.settings),
        )
        price = "" if item is None else _price(view, item, at=receipt.received_at, begin=THEN)
        _print_receipt(receipt, price=price, zone=view.seat.zone)
        if wait:
            show(node, wait_for(node, receipt.attempt_id), reader=STUDENT)


def login_name() -> str:
    """Who is handing in, unless they say otherwise."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise ConfigurationInvalid("--user", "this machine does not know your name.", "Give one.") from error


def _published(node: Node, slug: str) -> PublishedVersion:
    """The current version of a published assignment; NotFound names those there are."""
    course_id = node.course().id
    slugs = [item.slug for item in published_assignments(node.database, course_id=course_id)]
    if slugs and slug not in slugs:
        raise NotFound(
            "published assignment",
            one_line(slug),
            did_you_mean(slug, slugs) or f"There are: {listing(slugs)}.",
        )
    return current_version(node.database, course_id=course_id, slug=slug)


def _course_of(node: Node, student: Person) -> CourseView:
    actor = Actor(user_id=student.id, login=student.login, name=student.name)
    return course_for(node.database, actor=actor, course=COURSE_SLUG)


def _price(view: CourseView, item: Coursework, *, at: datetime, begin: str = NOW) -> str:
    tag = price_tag(view, item, at=at)
    return "" if tag is None else price_text(tag.price, tag.schedule, dearer=tag.dearer, begin=begin)


def _print_receipt(receipt: Receipt, *, price: str, zone: ZoneInfo) -> None:
    say = answers()
    say.print(
        f"Received {escape(receipt.assignment)} from {escape(receipt.student)} at "
        f"{moment_text(receipt.received_at, zone, seconds=True)}: submission {receipt.number}.",
        soft_wrap=True,
    )
    say.print(f"Id      {short_id(receipt.submission_id)}\nSHA-256 {receipt.content_hash}", soft_wrap=True)
    if price:
        say.print(Text(price), soft_wrap=True)
    for notice in receipt.notices:
        say.print(Text(f"Notice, costs no points: {notice.message}"), soft_wrap=True)
    say.print(f"Report  grader report {short_id(receipt.submission_id)}", soft_wrap=True)
