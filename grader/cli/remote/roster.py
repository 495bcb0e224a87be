"""The work of `grader roster`: who is in a course."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.cli.exits import ExitCode, leave
from grader.cli.output import asides, print_json
from grader.cli.remote.answers.accounts import Invitation
from grader.cli.remote.answers.courses import (
    Imported,
    Member,
    Membership,
    RosterChange,
    RosterPreview,
)
from grader.cli.remote.client import Client, connected
from grader.cli.remote.courses import the_course
from grader.cli.remote.members import members_of, the_member
from grader.cli.remote.screens import say, show_table
from grader.content.folders import read_file
from grader.content.limits import DEFAULT_LIMITS
from grader.domain.errors import InvalidInput
from grader.domain.people import Role
from grader.domain.text import listing

UNCHANGED = "unchanged"
_FIELD = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterImport:
    """A file to import, and how far to go. `skip_unusable` leaves lines out that cannot be used."""

    path: Path
    apply: bool
    remove_missing: bool
    skip_unusable: bool

    def usable(self, preview: RosterPreview) -> bool:
        """Whether it may be imported: nobody is removed whose line merely could not be read."""
        return not preview.problems or (self.skip_unusable and not self.remove_missing)


def list_members(server: str | None, *, course: str | None, as_json: bool) -> None:
    """List a course's members."""
    with connected(server) as client:
        reply = client.get("courses", the_course(client, course).slug, "members")
    if as_json:
        print_json({"members": reply.value})
        return
    rows = [
        (
            item.login,
            item.name,
            item.role.value,
            item.email,
            item.student_number,
            item.section,
            "yes" if item.has_account else "not yet",
        )
        for item in reply.of(list[Member])
    ]
    headings = ("Login", "Name", "Role", "E-mail", "Number", "Section", "Can log in")
    show_table(headings, rows, empty="Nobody is in the course.")


def import_roster(server: str | None, wanted: RosterImport, *, course: str | None, as_json: bool) -> None:
    """Show what importing a file would change, and do just that if it is wanted; 1 where lines fail."""
    data = read_file(wanted.path, limits=DEFAULT_LIMITS)
    with connected(server) as client:
        slug = the_course(client, course).slug
        files = [(_FIELD, (wanted.path.name, data))]
        reply = client.upload("courses", slug, "roster", "preview", files=files)
        preview = reply.of(RosterPreview)
        usable = wanted.usable(preview)
        done = None
        if wanted.apply and usable:
            form = {
                "fingerprint": preview.fingerprint,
                "remove_missing": str(wanted.remove_missing).lower(),
            }
            done = client.upload("courses", slug, "roster", files=files, form=form)
    if as_json:
        print_json({"preview": reply.value, "imported": done.value if done else None})
    else:
        _show_preview(preview, remove_missing=wanted.remove_missing)
        _show_done(done.of(Imported) if done else None, usable=usable)
    leave(ExitCode.FINE if usable else ExitCode.NO)


def remove_member(server: str | None, *, login: str, course: str | None, as_json: bool) -> None:
    """Take somebody out of a course."""
    with connected(server) as client:
        found = the_course(client, course)
        client.delete("courses", found.slug, "members", login)
    if as_json:
        print_json({"removed": login, "course": found.slug})
        return
    say(f"{login} is no longer in {found.slug}; what they handed in stays.")


def invite(
    server: str | None,
    *,
    logins: tuple[str, ...],
    role: Role | None,
    course: str | None,
    days: int,
    as_json: bool,
) -> None:
    """Make links: one that anybody joins by in a role, or one each for members who cannot log in yet."""
    if (role is None) == (not logins):
        raise InvalidInput(
            "--role", "give members' logins, or the role of whoever has the link.", "Give one of the two."
        )
    with connected(server) as client:
        found = the_course(client, course)
        members = _wanted(client, found, logins) if logins else {}
        made = _links(client, found, members=members, role=role, days=days)
    names = {member.user_id: member.login for member in members.values()}
    if as_json:
        links = [{"login": names.get(item.user_id or ""), "link": item.link} for item in made]
        print_json({"invitations": [*links]})
        return
    for item in made:
        whom = names.get(item.user_id or "") or f"anybody, as {role.value if role else 'member'}"
        say(f"{whom}: {item.link}")
    if ready := [login for login, member in members.items() if member.has_account]:
        asides().print(
            f"No link for {listing(ready)}: they can log in already.", soft_wrap=True, markup=False
        )


def _links(
    client: Client, course: Membership, *, members: dict[str, Member], role: Role | None, days: int
) -> list[Invitation]:
    if role is not None:
        body = {"role": role.value, "days": days}
        return [client.post("courses", course.slug, "invitations", body=body).of(Invitation)]
    ids = [member.user_id for member in members.values()]
    reply = client.post("courses", course.slug, "invitations", "people", body={"user_ids": ids, "days": days})
    return reply.of(list[Invitation])


def _wanted(client: Client, course: Membership, logins: tuple[str, ...]) -> dict[str, Member]:
    members = members_of(client, course.slug)
    return {login: the_member(members, login) for login in logins}


def _show_preview(preview: RosterPreview, *, remove_missing: bool) -> None:
    rows = [_change(change) for change in preview.changes if change.kind != UNCHANGED]
    if remove_missing:
        rows += [("", "removed", login, "", "", "", "") for login in preview.missing]
    headings = ("Line", "Change", "Login", "Name", "Section", "Number", "What")
    show_table(headings, rows, empty="Nothing changes.")
    if preview.ignored_columns:
        say(f"Columns that are not used: {listing(preview.ignored_columns)}.")
    if preview.missing and not remove_missing:
        say(f"Not in the file, and left as they are: {listing(preview.missing, at_most=10)}.")
    for problem in preview.problems:
        say(f"Line {problem.line} cannot be used: {problem.says}")


def _change(change: RosterChange) -> tuple[object, ...]:
    what = "; ".join(f"{item.field}: {item.old or '-'} to {item.new or '-'}" for item in change.differences)
    who = change.member
    return (
        change.line,
        change.kind,
        who.login,
        who.name,
        who.section,
        who.student_number,
        what or who.role.value,
    )


def _show_done(done: Imported | None, *, usable: bool) -> None:
    if done is not None:
        say(f"Imported: {done.added} added, {done.changed} changed, {done.removed} removed.")
    elif not usable:
        say("Nothing was imported. Mend the file, or leave such lines out with --skip-unusable.")
    else:
        say("Nothing was imported yet; the same command with --apply does it.")
