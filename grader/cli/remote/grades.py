"""The work of `grader grades`: who has what, and taking it out of a course."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.cli.commands.grades import Format
from grader.cli.output import print_json
from grader.cli.remote.answers.courses import Course
from grader.cli.remote.answers.grades import Gradebook, Record, Unmatched
from grader.cli.remote.client import Client, Reply, Upload, connected
from grader.cli.remote.courses import show_assignments, the_course
from grader.cli.remote.screens import points_words, say, show_table
from grader.cli.remote.storing import store
from grader.content.folders import read_file
from grader.content.limits import DEFAULT_LIMITS
from grader.domain.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What to take out of a course, and where to; `own_export` is the gradebook as Canvas exports it."""

    form: Format
    out: Path | None
    assignments: tuple[str, ...]
    section: str | None
    own_export: Path | None

    @property
    def chosen(self) -> dict[str, str | list[str] | None]:
        """Whose grades, in what: as a query."""
        return {"section": self.section, "assignment": list(self.assignments) or None}

    def canvas_file(self) -> Upload | None:
        """The own export's content; InvalidInput where no export for Canvas is wanted."""
        if self.own_export is None:
            return None
        if self.form is not Format.CANVAS:
            raise InvalidInput("--own-export", "it belongs to --format canvas.", "Leave it out.")
        return self.own_export.name, read_file(self.own_export, limits=DEFAULT_LIMITS)


def show(
    server: str | None, *, course: str | None, student: str | None, section: str | None, as_json: bool
) -> None:
    """Show the gradebook to staff, one student's record, and students what they have themselves."""
    with connected(server) as client:
        found = the_course(client, course)
        if student is not None:
            reply = client.get("courses", found.slug, "students", student)
            tell, key = _tell_record, "record"
        elif found.role.staff:
            reply = client.get("courses", found.slug, "gradebook", section=section)
            tell, key = _tell_gradebook, "gradebook"
        else:
            reply = client.get("courses", found.slug)
            tell, key = _tell_own, "course"
    if as_json:
        print_json({key: reply.value})
        return
    tell(reply)


def export(server: str | None, wanted: Export, *, course: str | None, as_json: bool) -> None:
    """Write grades to a file, under the name that the server gives it unless one is given."""
    canvas = wanted.canvas_file()
    unmatched: Reply | None = None
    with connected(server) as client:
        found = the_course(client, course).slug
        if canvas is not None:
            where = ("courses", found, "exports", wanted.form.value, "unmatched")
            unmatched = client.upload(*where, files=[("file", canvas)], params=wanted.chosen)
        reply = _exported(client, found, wanted, canvas=canvas)
    path = store(reply, wanted.out)
    if as_json:
        facts = {"file": str(path), "format": wanted.form.value, "bytes": len(reply.data)}
        print_json({**facts, "unmatched": None if unmatched is None else unmatched.value})
        return
    say(f"Wrote {path}.")
    if unmatched is not None:
        _tell_unmatched(unmatched.of(Unmatched))


def _exported(client: Client, course: str, wanted: Export, *, canvas: Upload | None) -> Reply:
    if wanted.form is Format.ARCHIVE:
        return client.get("courses", course, "archive")
    if wanted.form is Format.RESULTS_JSON:
        if len(wanted.assignments) != 1:
            raise InvalidInput("--assignment", "results-json takes exactly one.", "Name it.")
        return client.get("courses", course, "assignments", wanted.assignments[0], "gradescope")
    where = ("courses", course, "exports", wanted.form.value)
    if canvas is not None:
        return client.upload(*where, files=[("file", canvas)], params=wanted.chosen)
    return client.get(*where, **wanted.chosen)


def _tell_unmatched(found: Unmatched) -> None:
    groups = (
        ("Not in Canvas's export, and left out:", found.not_in_canvas),
        ("In Canvas's export only, and left out:", found.only_in_canvas),
        ("Canvas will make new assignments:", found.new_assignments),
    )
    for label, names in groups:
        if names:
            say(label)
        for name in names:
            say(name, indent=4)


def _tell_gradebook(reply: Reply) -> None:
    book = reply.of(Gradebook)
    slugs = [column.slug for column in book.assignments]
    rows = [
        (
            row.login,
            row.name,
            row.section,
            *(points_words(row.cells[slug].points) for slug in slugs),
            points_words(row.total),
        )
        for row in book.students
    ]
    headings = ("Login", "Name", "Section", *slugs, f"Total of {points_words(book.max_total)}")
    show_table(headings, rows, empty="There are no students yet.")


def _tell_record(reply: Reply) -> None:
    record = reply.of(Record)
    say(f"{record.name} ({record.login}): {points_words(record.total)} points in all")
    if record.grace_days:
        say(f"Grace days: {record.grace_left} of {record.grace_days} left.")
    for item in record.assignments:
        say(f"{item.slug}: {points_words(item.points)} / {points_words(item.max_score)}")
        for line in item.ledger:
            say(line, indent=4)


def _tell_own(reply: Reply) -> None:
    show_assignments(reply.of(Course))
