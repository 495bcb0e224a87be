"""The work of `grader course`, and which course and assignment a command is about."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from grader.cli.output import print_json
from grader.cli.remote.answers.courses import Assignment, AssignmentText, Course, Membership, Settings
from grader.cli.remote.client import Client, connected
from grader.cli.remote.screens import points_words, say, say_facts, show_table, when, zone_of
from grader.domain.errors import InvalidInput, NotFound, ServerRefused
from grader.domain.people import Role
from grader.domain.text import did_you_mean, listing, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingChanges:
    """What to change in a course; None leaves a setting as it is."""

    title: str | None = None
    timezone: str | None = None
    grace_days: int | None = None
    archived: bool | None = None
    names_hidden: bool | None = None

    def any(self) -> bool:
        """Whether anything is to change."""
        return self != SettingChanges()


def the_course(client: Client, typed: str | None) -> Membership:
    """The course that is meant: the one named, or the only one there is."""
    mine = client.get("courses").of(list[Membership])
    slugs = [course.slug for course in mine]
    if typed is None:
        if len(mine) == 1:
            return mine[0]
        problem = "you are in no course." if not mine else f"you are in several: {listing(slugs)}."
        raise InvalidInput("--course", problem, "Name one." if mine else "Use the link that you were sent.")
    for course in mine:
        if course.slug == typed:
            return course
    remedy = did_you_mean(typed, slugs) or (f"You are in: {listing(slugs)}." if slugs else "")
    raise NotFound("course of yours", one_line(typed, 80), remedy)


def assignments_of(client: Client, course: Membership) -> Course:
    """A course with its assignments."""
    return client.get("courses", course.slug).of(Course)


def assignment_text(client: Client, *, course: str, slug: str) -> AssignmentText:
    """What an assignment asks for; by its slug alone where it is not shown any more."""
    try:
        reply = client.get("courses", course, "assignments", slug)
    except ServerRefused:
        return AssignmentText(title=slug, entry="submission.py", functions=[])
    return reply.of(AssignmentText)


def list_courses(server: str | None, *, as_json: bool) -> None:
    """List the courses I am in."""
    with connected(server) as client:
        reply = client.get("courses")
    if as_json:
        print_json({"courses": reply.value})
        return
    rows = [(item.slug, item.title, item.role.value, item.timezone) for item in reply.of(list[Membership])]
    show_table(("Course", "Title", "My role", "Time zone"), rows, empty="You are in no course yet.")


def create_course(server: str | None, *, slug: str, title: str, timezone: str, as_json: bool) -> None:
    """Make a course."""
    with connected(server) as client:
        reply = client.post("courses", body={"slug": slug, "title": title, "timezone": timezone})
    if as_json:
        print_json({"course": reply.value})
        return
    made = reply.of(Settings)
    say(f"Made {made.slug}: {made.title}. You are its instructor; its clock is that of {made.timezone}.")


def show_course(server: str | None, *, typed: str | None, as_json: bool) -> None:
    """Show a course and its assignments."""
    with connected(server) as client:
        reply = client.get("courses", the_course(client, typed).slug)
    if as_json:
        print_json({"course": reply.value})
        return
    course = reply.of(Course)
    closed = ", archived" if course.archived else ""
    say(f"{course.title} ({course.slug}{closed}): you are {course.role.value}; times in {course.timezone}.")
    if course.grace_days and course.role is Role.STUDENT:
        say(f"Grace days: {course.grace_days_left} of {course.grace_days} left.")
    elif course.grace_days:
        say(f"Grace days for each student: {course.grace_days}.")
    show_assignments(course)


def show_assignments(course: Course) -> None:
    """A course's assignments as a table."""
    zone = zone_of(course.timezone)
    rows = [
        (
            item.slug,
            item.title,
            _due(item, zone),
            item.submissions,
            f"{points_words(item.points)} / {points_words(_worth(item))}",
            state_words(item),
        )
        for item in course.assignments
    ]
    headings = ("Assignment", "Title", "Due", "Handed in", "Points so far", "State")
    show_table(headings, rows, empty="There is no assignment yet.")


def state_words(item: Assignment) -> str:
    """Where an assignment stands, in a few words."""
    parts = [
        "draft" if item.draft else "",
        "closed" if item.closed else "open",
        "grades released" if item.released else "",
    ]
    return ", ".join(part for part in parts if part)


def course_settings(server: str | None, *, typed: str | None, changes: SettingChanges, as_json: bool) -> None:
    """Show what holds in a course, after changing it where something is to change."""
    with connected(server) as client:
        course = the_course(client, typed)
        reply = client.get("courses", course.slug, "settings")
        if changes.any():
            now = reply.of(Settings)
            archived = now.archived_at is not None if changes.archived is None else changes.archived
            body = {
                "version": now.version,
                "title": now.title if changes.title is None else changes.title,
                "timezone": changes.timezone or now.timezone,
                "grace_days": now.grace_days if changes.grace_days is None else changes.grace_days,
                "archived": archived,
                "names_hidden": changes.names_hidden,
            }
            reply = client.put("courses", course.slug, "settings", body=body)
    if as_json:
        print_json({"settings": reply.value})
        return
    now = reply.of(Settings)
    say_facts(
        {
            "Course": f"{now.title} ({now.slug})",
            "Time zone": now.timezone,
            "Grace days": now.grace_days,
            "Names": "hidden from teaching assistants" if now.names_hidden else "shown to all staff",
            "Archived": when(now.archived_at, zone_of(now.timezone), never="no"),
        }
    )


def _due(item: Assignment, zone: ZoneInfo) -> str:
    return f"{when(item.due_at, zone, never='no deadline')}{' (extended)' if item.extended else ''}"


def _worth(item: Assignment) -> float:
    return item.open_score if item.worth is None else item.worth
