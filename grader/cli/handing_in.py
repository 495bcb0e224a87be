"""The work of `grader submit`: read the files, store them, give a receipt."""

from __future__ import annotations

import getpass
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

from rich.markup import escape
from rich.text import Text

from grader.cli.node import Node, open_node
from grader.cli.output import answers
from grader.cli.reporting import STUDENT, show, wait_for
from grader.cli.sending import files_of
from grader.domain.errors import ConfigurationInvalid, NotFound
from grader.domain.moments import moment_text
from grader.domain.text import did_you_mean, listing, one_line
from grader.services.lookup import published_assignments, short_id
from grader.services.publishing import PublishedVersion, current_version
from grader.services.seeding import load_secret
from grader.services.submitting import Receipt
from grader.services.submitting import submit as hand_in
from grader.services.uploads import Upload


def submit(paths: tuple[Path, ...], *, assignment: str, user: str | None, wait: bool) -> None:
    """Store a submission, print its receipt, and with `wait` follow it to its report."""
    with open_node() as node:
        version = _published(node, assignment)
        receipt = hand_in(
            node.database,
            uploads=[Upload(name=file.name, data=file.data) for file in files_of(paths)],
            assignment_id=version.assignment_id,
            user_id=node.student(user or login_name()).id,
            idempotency_key=str(uuid4()),
            secret=load_secret(node.settings),
        )
        _print_receipt(receipt, zone=ZoneInfo(node.course().timezone))
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


def _print_receipt(receipt: Receipt, *, zone: ZoneInfo) -> None:
    say = answers()
    say.print(
        f"Received {escape(receipt.assignment)} from {escape(receipt.student)} at "
        f"{moment_text(receipt.received_at, zone, seconds=True)}: submission {receipt.number}.",
        soft_wrap=True,
    )
    say.print(f"Id      {short_id(receipt.submission_id)}\nSHA-256 {receipt.content_hash}", soft_wrap=True)
    for notice in receipt.notices:
        say.print(Text(f"Notice, costs no points: {notice.message}"), soft_wrap=True)
    say.print(f"Report  grader report {short_id(receipt.submission_id)}", soft_wrap=True)
