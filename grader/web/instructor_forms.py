"""The forms of instructors' pages, as a browser sends them: texts, ticks, and the version that was seen."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from pydantic import Field

from grader.domain.errors import InvalidInput
from grader.domain.people import Role
from grader.domain.regrades import Selection, Which
from grader.domain.scheduling import Counting, LateRule, Schedule
from grader.domain.text import one_line
from grader.domain.verdicts import Verdict
from grader.domain.zones import TypedTime, typed_time
from grader.web.review_forms import Form, Seen

_MINUTE = timedelta(minutes=1)
_MOST_DIGITS = 9


class CourseForm(Form):
    """A new course."""

    slug: str = ""
    title: str = ""
    timezone: str = ""


class SettingsForm(Form):
    """What holds in a course."""

    seen: Seen
    title: str = ""
    timezone: str = ""
    grace_days: str = "0"
    names_hidden: bool = False
    archived: bool = False


class MemberForm(Form):
    """What the roster says of one member."""

    seen: Seen
    role: Role
    student_number: str = ""
    section: str = ""
    extra_days: str = "0"


class ImportForm(Form):
    """A roster that was previewed, carried by the page itself."""

    packed: str = ""
    fingerprint: str = ""
    remove_missing: bool = False


class InviteForm(Form):
    """A link for whoever has it, or for everybody who cannot log in yet."""

    role: Role = Role.STUDENT
    days: str = "14"


class ScheduleForm(Form):
    """Dates on the course's clock, and rules."""

    seen: Seen
    draft: bool = False
    opens: str = ""
    due: str = ""
    closes: str = ""
    late_rule: LateRule = LateRule.NOTHING
    per_day: str = ""
    uses_grace: bool = False
    submission_limit: str = ""
    cooldown_min: str = ""
    counting: Counting = Counting.BEST

    def schedule(self, zone: ZoneInfo) -> tuple[Schedule, tuple[str, ...]]:
        """As services take it, with what has to be said about the times that were typed."""
        opens, due, closes = (
            typed_time(text, zone=zone, field=field)
            for text, field in ((self.opens, "opens"), (self.due, "due"), (self.closes, "closes"))
        )
        limit = whole(self.submission_limit, field="submission limit")
        pause = whole(self.cooldown_min, field="cool-down") or 0
        schedule = Schedule(
            draft=self.draft,
            opens_at=opens.moment if opens else None,
            due_at=due.moment if due else None,
            closes_at=closes.moment if closes else None,
            late_rule=self.late_rule,
            per_day=per_cent(self.per_day, field="late penalty"),
            uses_grace=self.uses_grace,
            submission_limit=limit,
            cooldown_s=int(pause * _MINUTE.total_seconds()),
            counting=self.counting,
        )
        return schedule, notes_of(opens, due, closes)


class SeenForm(Form):
    """Nothing but what was seen."""

    seen: Seen


class ExtensionForm(Form):
    """More time for one student, on the course's clock."""

    login: str = ""
    due: str = ""
    closes: str = ""
    reason: str = ""

    def times(self, zone: ZoneInfo) -> tuple[TypedTime, TypedTime | None]:
        """The extended deadline and when it closes, if that was typed."""
        due = typed_time(self.due, zone=zone, field="extended deadline")
        if due is None:
            raise InvalidInput("extended deadline", "it is empty.", "Write it as 2026-11-30 23:59.")
        return due, typed_time(self.closes, zone=zone, field="closes")


class PlanForm(Form):
    """Which submissions are graded again, and why."""

    reason: str = ""
    which: Which = Which.COUNTING
    check_id: str = ""
    verdicts: list[Verdict] = Field(default=[], max_length=len(Verdict))
    version: str = ""

    def selection(self) -> Selection:
        """As services take it."""
        return Selection(which=self.which, check_id=self.check_id or None, verdicts=frozenset(self.verdicts))


class RequeueForm(Form):
    """One stranded attempt, or all of them."""

    attempt_id: str = ""


def whole(text: str, *, field: str) -> int | None:
    """A whole number that was typed; None for an empty field.

    >>> whole(" 12 ", field="x"), whole("", field="x")
    (12, None)
    """
    plain = text.strip()
    if not plain:
        return None
    if not plain.isascii() or not plain.isdigit() or len(plain) > _MOST_DIGITS:
        raise InvalidInput(field, f"{one_line(plain, 40)!r} is no whole number.", "Write digits only.")
    return int(plain)


def per_cent(text: str, *, field: str) -> Fraction:
    """A percentage that was typed, as an exact share.

    >>> per_cent("12,5 %", field="x"), per_cent("", field="x")
    (Fraction(1, 8), Fraction(0, 1))
    """
    plain = text.replace("%", "").replace(",", ".").strip() or "0"
    whole_part, _, decimals = plain.partition(".")
    if not (plain.isascii() and (whole_part + decimals).isdigit() and len(plain) <= _MOST_DIGITS):
        raise InvalidInput(field, f"{one_line(text, 40)!r} is no percentage.", "Write it as 10 or 12.5.")
    return Fraction(plain) / 100


def notes_of(*times: TypedTime | None) -> tuple[str, ...]:
    """What has to be said about times that a clock skips or shows twice."""
    return tuple(time.note for time in times if time is not None and time.note is not None)
