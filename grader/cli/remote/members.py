"""The work of `grader roster set`: what the roster says of one member."""

from __future__ import annotations

from dataclasses import dataclass

from grader.cli.output import print_json
from grader.cli.remote.answers.courses import Member
from grader.cli.remote.client import Client, connected
from grader.cli.remote.courses import the_course
from grader.cli.remote.screens import say_facts
from grader.domain.errors import InvalidInput, NotFound
from grader.domain.people import Role
from grader.domain.text import did_you_mean, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberChanges:
    """What to change of a member; None leaves it, an empty text takes it away.

    `seen` is the version decided upon; None for the present one.
    """

    role: Role | None = None
    student_number: str | None = None
    section: str | None = None
    extra_days: int | None = None
    seen: int | None = None

    def any(self) -> bool:
        """Whether anything is to change."""
        wanted = (self.role, self.student_number, self.section, self.extra_days)
        return any(value is not None for value in wanted)

    def applied_to(self, member: Member) -> dict[str, object]:
        """The body that asks for them."""
        number = member.student_number if self.student_number is None else self.student_number
        return {
            "version": member.version if self.seen is None else self.seen,
            "role": (self.role or member.role).value,
            "student_number": number or None,
            "section": (member.section if self.section is None else self.section) or None,
            "extra_days": member.extra_days if self.extra_days is None else self.extra_days,
        }


def members_of(client: Client, course: str) -> dict[str, Member]:
    """The members of a course by login."""
    return {item.login: item for item in client.get("courses", course, "members").of(list[Member])}


def the_member(members: dict[str, Member], login: str) -> Member:
    """The one of that login; NotFound with the login that may be meant."""
    if login not in members:
        raise NotFound("member", one_line(login, 80), did_you_mean(login, members))
    return members[login]


def set_member(
    server: str | None, *, login: str, changes: MemberChanges, course: str | None, as_json: bool
) -> None:
    """Change what the roster says of a member; refused where somebody else did since it was seen."""
    if not changes.any():
        raise InvalidInput(
            "--role", "nothing is to change.", "Give --role, --number, --section or --extra-days."
        )
    with connected(server) as client:
        slug = the_course(client, course).slug
        member = the_member(members_of(client, slug), login)
        body = changes.applied_to(member)
        reply = client.put("courses", slug, "members", member.login, body=body)
    if as_json:
        print_json({"member": reply.value})
        return
    now = reply.of(Member)
    say_facts(
        {
            "Member": f"{now.name} ({now.login})",
            "Role": now.role.value,
            "Number": now.student_number or "none",
            "Section": now.section or "none",
            "Extra days": now.extra_days,
            "Version": now.version,
        }
    )
