"""The work of `grader submit`, `status` and `request` with a server."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID, uuid4

from grader.cli.consent import require_consent
from grader.cli.output import print_json
from grader.cli.remote.answers.courses import AssignmentText, Course, Membership
from grader.cli.remote.answers.submissions import Received, Request
from grader.cli.remote.client import Client, connected
from grader.cli.remote.courses import assignments_of, show_assignments, the_course
from grader.cli.remote.lookup import find_submission, short
from grader.cli.remote.reports import show_report
from grader.cli.remote.screens import about_words, say, say_facts, when, zone_of
from grader.cli.remote.waiting import wait_for
from grader.cli.sending import files_of
from grader.domain.errors import NotFound
from grader.domain.results import JsonValue
from grader.domain.text import did_you_mean, listing, one_line


def submit(
    server: str | None,
    *,
    paths: tuple[Path, ...],
    assignment: str,
    course: str | None,
    wait: bool,
    ask: bool,
    as_json: bool,
) -> None:
    """Hand in, say what was received, and with `wait` follow the grading to the report.

    What a late submission costs is said first; `ask` whether to go on, where somebody is there to answer.
    """
    files = [("files", (file.name, file.data)) for file in files_of(paths)]
    with connected(server) as client:
        found = the_course(client, course)
        _require_assignment(client, found, assignment)
        price = client.get("courses", found.slug, "assignments", assignment).of(AssignmentText).turn.price
        require_consent("" if price is None else price.says, ask=ask)
        # The key makes an answer that got lost harmless: asked again, the server hands in nothing new.
        reply = client.upload(
            "courses",
            found.slug,
            "assignments",
            assignment,
            "uploads",
            files=files,
            form={"key": str(uuid4())},
            repeatable=True,
        )
        received = reply.of(Received)
        if not wait:
            _tell(reply.value, received, found, assignment, as_json=as_json)
            return
        if not as_json:
            _tell(reply.value, received, found, assignment, as_json=False)
        wait_for(client, received.id)
        show_report(client, UUID(received.id), as_json=as_json)


def status(server: str | None, *, course: str | None, as_json: bool) -> None:
    """Show the assignments of my courses, and what I have in them."""
    with connected(server) as client:
        mine = [the_course(client, course)] if course else client.get("courses").of(list[Membership])
        replies = [client.get("courses", item.slug) for item in mine]
    if as_json:
        print_json({"courses": [reply.value for reply in replies]})
        return
    if not replies:
        say("You are in no course yet.")
    for reply in replies:
        found = reply.of(Course)
        say(f"{found.title} ({found.slug})")
        show_assignments(found)


def request(
    server: str | None, *, typed: str, text: str, check: str | None, course: str | None, as_json: bool
) -> None:
    """Ask staff to look at a submission again."""
    with connected(server) as client:
        submission_id = find_submission(client, typed, course=course)
        body = {"text": text, "check_id": check}
        reply = client.post("submissions", str(submission_id), "requests", body=body)
    if as_json:
        print_json({"request": reply.value})
        return
    made = reply.of(Request)
    say(f"Asked about {about_words(made.about)}. The answer will stand on the report:")
    say(f"grader report {short(submission_id)}", indent=2)


def _require_assignment(client: Client, course: Membership, slug: str) -> None:
    slugs = [item.slug for item in assignments_of(client, course).assignments]
    if slug not in slugs:
        remedy = did_you_mean(slug, slugs) or _there_are(slugs)
        raise NotFound(f"assignment in {course.slug}", one_line(slug, 80), remedy)


def _there_are(slugs: list[str]) -> str:
    return f"There are: {listing(slugs)}." if slugs else "There is none yet."


def _tell(
    value: JsonValue, received: Received, course: Membership, assignment: str, *, as_json: bool
) -> None:
    if as_json:
        print_json({"received": value})
        return
    submission_id = UUID(received.id)
    at = when(received.received_at, zone_of(course.timezone))
    again = " It had been handed in already, so this is the same submission." if received.repeated else ""
    say(f"Received {assignment} at {at}: submission {received.number}.{again}")
    if received.price is not None:
        say(received.price.says)
    for notice in received.notices:
        say(f"Notice, costs no points: {notice.message}")
    say_facts(
        {
            "Id": short(submission_id),
            "SHA-256": received.content_hash,
            "Page": received.page,
            "Report": f"grader report {short(submission_id)}",
        }
    )
