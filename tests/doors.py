"""Every route and whom it lets in: the table that the authorisation walk holds the application to.

A route that is not in it fails the walk, as does an entry without a route. Bodies are well-formed, so that a
refusal is about who asks; versions in them are stale where a request that is let in need not go through.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any

from tests.scene import Standing
from tests.web import PASSWORD

SOME_TIME = "2031-05-04T12:00:00Z"
STALE = 999_999


class Outcome(StrEnum):
    """How a route meets somebody."""

    IN = "let in"
    LOGIN = "asked to log in"
    DENIED = "told that they may not"
    HIDDEN = "told that there is no such thing"


Rule = Mapping[Standing, Outcome]
"""What happens to whom."""

_MEMBERS = (Standing.OTHER, Standing.OWNER, Standing.TA, Standing.INSTRUCTOR)


def _rule(*, outside: Outcome, other: Outcome, owner: Outcome, ta: Outcome, instructor: Outcome) -> Rule:
    return {
        Standing.ANONYMOUS: Outcome.LOGIN,
        Standing.CLOSED: Outcome.LOGIN,
        Standing.STRANGER: outside,
        Standing.OUTSIDER: outside,
        Standing.DROPPED: outside,
        Standing.OTHER: other,
        Standing.OWNER: owner,
        Standing.TA: ta,
        Standing.INSTRUCTOR: instructor,
    }


IN, DENIED, HIDDEN = Outcome.IN, Outcome.DENIED, Outcome.HIDDEN


class Door(Enum):
    """The kinds of routes there are, by whom they let in."""

    PUBLIC = _rule(outside=IN, other=IN, owner=IN, ta=IN, instructor=IN) | {
        Standing.ANONYMOUS: IN,
        Standing.CLOSED: IN,
    }
    """Everybody, logged in or not."""
    NOBODY = dict.fromkeys(Standing, HIDDEN)
    """It is not there, the way this server is set up."""
    PERSON = _rule(outside=IN, other=IN, owner=IN, ta=IN, instructor=IN)
    """Whoever is logged in; the answer is about themselves."""
    CREATOR = _rule(outside=DENIED, other=DENIED, owner=DENIED, ta=DENIED, instructor=IN)
    """Whoever may make courses."""
    MINE = _rule(outside=HIDDEN, other=HIDDEN, owner=IN, ta=HIDDEN, instructor=HIDDEN)
    """Something of Ada's, and what only she does with it."""
    MEMBER = _rule(outside=HIDDEN, other=IN, owner=IN, ta=IN, instructor=IN)
    """The course's members."""
    WORK = _rule(outside=HIDDEN, other=HIDDEN, owner=IN, ta=IN, instructor=IN)
    """Ada's submission: for her and for staff."""
    WORK_STAFF = _rule(outside=HIDDEN, other=HIDDEN, owner=DENIED, ta=IN, instructor=IN)
    """What only staff do with Ada's submission, which she knows of."""
    THING_STAFF = _rule(outside=HIDDEN, other=HIDDEN, owner=HIDDEN, ta=IN, instructor=IN)
    """What is staff's alone: no student learns whether it is there."""
    STAFF = _rule(outside=HIDDEN, other=DENIED, owner=DENIED, ta=IN, instructor=IN)
    """The course's staff."""
    INSTRUCTOR = _rule(outside=HIDDEN, other=DENIED, owner=DENIED, ta=DENIED, instructor=IN)
    """The course's instructors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A route with its door and a body that it can read; `{name}` is one of the scene's things."""

    method: str
    path: str
    door: Door
    json: Any = None
    form: Mapping[str, str] | None = None
    file: str = ""
    """The field of a file, where one is sent."""
    query: Mapping[str, str] = field(default_factory=dict)

    @property
    def api(self) -> bool:
        return self.path.startswith("/api/")

    @property
    def changes(self) -> bool:
        return self.method not in ("GET", "HEAD")

    @property
    def names(self) -> frozenset[str]:
        """The things that it names."""
        return frozenset(re.findall(r"\{(\w+)\}", f"{self.path} {self.form} {self.json}"))

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def _get(door: Door, *paths: str) -> list[Request]:
    return [Request(method="GET", path=path, door=door) for path in paths]


def _post(path: str, door: Door, *, file: str = "", **form: str) -> Request:
    return Request(method="POST", path=path, door=door, form=form, file=file)


def _send(method: str, path: str, door: Door, json: Any = None, **query: str) -> Request:  # noqa: ANN401
    return Request(method=method, path=f"/api/v1{path}", door=door, json=json, query=query)


_C = "/courses/{course}"
_A = "/courses/{course}/assignments/{slug}"
_S = "/submissions/{submission_id}"
_R = "/review/{submission_id}"
_ROSTER = f"{_C}/roster"
_SEEN = str(STALE)

PAGES: list[Request] = [
    *_get(Door.PUBLIC, "/health", "/login", "/setup", "/static/{digest}/{name}", "/join/{secret}"),
    *_get(Door.PUBLIC, "/.well-known/grader-receipt-key"),
    *_get(Door.NOBODY, "/login/sso", "/login/sso/back"),
    _post("/login", Door.PUBLIC, name="nobody", password="wrong"),
    _post("/setup", Door.PUBLIC, code="wrong"),
    _post("/join/{secret}", Door.PUBLIC, password="short"),
    _post("/join/{secret}/as-me", Door.PERSON),
    *_get(Door.PERSON, "/", "/account", "/account/data"),
    _post("/account/profile", Door.PERSON, name="A name"),
    _post("/account/password", Door.PERSON, current=PASSWORD, new="short"),
    _post("/account/tokens", Door.PERSON, name="A token", days="1"),
    _post("/account/tokens/{token_id}/revoke", Door.MINE),
    _post("/account/sessions/{session_id}/end", Door.MINE),
    *_get(Door.CREATOR, "/courses/new"),
    _post("/courses/new", Door.CREATOR, slug="made-by-page", title="Made", timezone="UTC"),
    # A student's pages.
    *_get(Door.MEMBER, _C, _A, f"{_A}/starter", f"{_A}/bundle"),
    _post(f"{_A}/check", Door.MEMBER, file="files"),
    _post(f"{_A}/submit", Door.MEMBER, file="files"),
    *_get(Door.WORK, _S, f"{_S}/report.html", f"{_S}/files/{{position}}", f"{_S}/diff/{{other_id}}"),
    *_get(Door.WORK, f"{_S}/receipt", f"{_S}/receipt.json", f"{_S}/progress"),
    *_get(Door.WORK, f"{_S}/request"),
    _post(f"{_S}/request", Door.MINE, text="Please look."),
    _post(f"{_S}/request/{{request_id}}/withdraw", Door.MINE, version=_SEEN),
    _post(f"{_S}/choose", Door.MINE),
    # A TA's pages.
    *_get(Door.STAFF, f"{_C}/review", f"{_C}/review/clusters/{{slug}}", f"{_C}/review/bank"),
    *_get(Door.STAFF, f"{_C}/dashboard", f"{_A}/results", f"{_A}/regrades", f"{_A}/regrades/{{plan_id}}"),
    _post(f"{_C}/review/clusters/{{slug}}", Door.STAFF, key="{key}", text="A remark."),
    _post(f"{_C}/review/bank", Door.STAFF, title="Kept", text="Kept."),
    _post(f"{_C}/review/bank/delete", Door.STAFF, entry_id="{entry_id}", seen="1"),
    *_get(Door.THING_STAFF, _R),
    *_get(Door.WORK_STAFF, f"{_R}/next"),
    _post(f"{_R}/comments", Door.WORK_STAFF, text="A remark."),
    _post(f"{_R}/comments/{{comment_id}}/edit", Door.THING_STAFF, text="Another.", seen="1"),
    _post(f"{_R}/comments/{{comment_id}}/delete", Door.THING_STAFF, seen="1"),
    _post(f"{_R}/adjustments", Door.WORK_STAFF, points="1", reason="A reason.", seen=_SEEN),
    _post(f"{_R}/adjustments/{{adjustment_id}}/revoke", Door.THING_STAFF, reason="A reason.", seen=_SEEN),
    _post(f"{_R}/requests/{{request_id}}", Door.WORK_STAFF, state="declined", answer="No.", seen="1"),
    _post(f"{_R}/reviewed", Door.WORK_STAFF, reviewed="yes", seen=_SEEN),
    _post(f"{_R}/grade", Door.WORK_STAFF),
    _post(f"{_R}/bank", Door.WORK_STAFF, title="Kept", text="Kept."),
    # An instructor's pages.
    *_get(Door.STAFF, f"{_C}/gradebook", f"{_C}/students/ada", f"{_C}/publications/{{publication_id}}"),
    *_get(Door.INSTRUCTOR, f"{_C}/settings", f"{_C}/exports"),
    *_get(Door.INSTRUCTOR, f"{_C}/exports/archive", f"{_C}/exports/gradescope/{{slug}}"),
    *_get(
        Door.INSTRUCTOR,
        f"{_C}/exports/{{kind}}",
        f"{_C}/publish",
    ),
    *_get(Door.INSTRUCTOR, f"{_A}/versions", f"{_A}/versions/{{number}}", f"{_A}/edit", _ROSTER),
    *_get(Door.INSTRUCTOR, f"{_ROSTER}/members/{{login}}"),
    _post(f"{_C}/settings", Door.INSTRUCTOR, title="JAX", timezone="UTC", grace_days="0", seen=_SEEN),
    _post(f"{_C}/dashboard/requeue", Door.STAFF),
    _post(f"{_C}/exports/canvas", Door.INSTRUCTOR, file="file"),
    _post(f"{_C}/publish", Door.INSTRUCTOR, file="file"),
    _post(f"{_A}/regrades", Door.INSTRUCTOR, reason="A reason.", which="counting", check_id="no.such.check"),
    _post(f"{_A}/regrades/{{plan_id}}/apply", Door.INSTRUCTOR, seen=_SEEN),
    _post(f"{_A}/regrades/{{plan_id}}/undo", Door.INSTRUCTOR, seen=_SEEN),
    _post(f"{_A}/regrades/{{plan_id}}/discard", Door.INSTRUCTOR, seen=_SEEN),
    _post(f"{_A}/edit", Door.INSTRUCTOR, seen=_SEEN, late_rule="nothing", counting="best"),
    _post(f"{_A}/edit/release", Door.INSTRUCTOR, seen=_SEEN),
    _post(f"{_A}/edit/take-back", Door.INSTRUCTOR, seen=_SEEN),
    _post(f"{_A}/edit/extensions", Door.INSTRUCTOR, login="{login}", due="2031-05-04T12:00", reason="Ill."),
    _post(f"{_A}/edit/extensions/{{extension_id}}/revoke", Door.INSTRUCTOR),
    _post(f"{_ROSTER}/preview", Door.INSTRUCTOR, file="file"),
    _post(f"{_ROSTER}/import", Door.INSTRUCTOR, packed="", fingerprint="0" * 64),
    _post(f"{_ROSTER}/invite", Door.INSTRUCTOR, role="student", days="1"),
    _post(f"{_ROSTER}/invite-members", Door.INSTRUCTOR),
    _post(f"{_ROSTER}/invitations/{{invitation_id}}/revoke", Door.INSTRUCTOR),
    _post(f"{_ROSTER}/members/{{login}}", Door.INSTRUCTOR, role="student", seen=_SEEN),
    _post(f"{_ROSTER}/members/{{login}}/password-link", Door.INSTRUCTOR),
    _post(f"{_ROSTER}/members/{{login}}/remove", Door.INSTRUCTOR),
    _post("/logout", Door.PUBLIC),
]

_FILES = {"files": [{"name": "submission.py", "text": "def double(x): ...\n"}]}
_VERSION = {"version": STALE}
_MEMBER_WANTED = {"role": "student", **_VERSION}
_KEPT = {"title": "Kept", "text": "Kept."}


def _api(door: Door, *paths: str) -> list[Request]:
    return [_send("GET", path, door) for path in paths]


def _upload(path: str, door: Door, field_name: str, **form: str) -> Request:
    return Request(method="POST", path=f"/api/v1{path}", door=door, form=form, file=field_name)


API: list[Request] = [
    *_get(Door.PUBLIC, "/api/v1/openapi.json", "/api/v1/receipt-key"),
    _send(
        "POST", "/tokens", Door.PUBLIC, {"login": "nobody", "password": "wrong", "name": "A token", "days": 1}
    ),
    *_api(Door.PERSON, "/me", "/me/tokens", "/me/data", "/courses"),
    Request(method="GET", path="/api/v1/submissions", door=Door.PERSON, query={"start": "abcd"}),
    _send("PUT", "/me", Door.PERSON, {"name": "A name", "email": None, "timezone": None}),
    _send("POST", "/me/tokens", Door.PERSON, {"name": "A token", "days": 1}),
    _send("DELETE", "/me/tokens/{token_id}", Door.MINE),
    _send("POST", "/courses", Door.CREATOR, {"slug": "made-by-api", "title": "Made", "timezone": "UTC"}),
    # What students do.
    *_api(Door.MEMBER, _C, _A, f"{_A}/starter", f"{_A}/bundle", f"{_A}/submissions"),
    _send("POST", f"{_A}/check", Door.MEMBER, _FILES),
    _send("POST", f"{_A}/submissions", Door.MEMBER, _FILES),
    _upload(f"{_A}/uploads", Door.MEMBER, "files"),
    *_api(Door.WORK, _S, f"{_S}/report", f"{_S}/progress", f"{_S}/receipt", f"{_S}/files/{{position}}"),
    *_api(Door.WORK, f"{_S}/diff/{{other_id}}", f"{_S}/requests"),
    _send("POST", f"{_S}/choose", Door.MINE),
    _send("POST", f"{_S}/requests", Door.MINE, {"text": "Please look."}),
    _send("POST", f"{_S}/requests/{{request_id}}/withdraw", Door.MINE, _VERSION),
    # What TAs do.
    *_api(Door.STAFF, f"{_C}/review", f"{_C}/comment-bank", f"{_A}/clusters", f"{_A}/dashboard"),
    *_api(Door.STAFF, f"{_C}/settings", f"{_C}/members", f"{_C}/gradebook", f"{_C}/students/ada"),
    *_api(Door.STAFF, f"{_C}/publications", f"{_C}/publications/{{publication_id}}"),
    *_api(Door.STAFF, f"{_A}/schedule", f"{_A}/extensions"),
    *_api(Door.STAFF, f"{_C}/health", f"{_A}/regrades", f"{_A}/regrades/{{plan_id}}"),
    *_api(Door.THING_STAFF, f"{_S}/review"),
    _send("PUT", f"{_S}/review", Door.WORK_STAFF, {"reviewed": True, **_VERSION}),
    _send("POST", f"{_S}/attempts", Door.WORK_STAFF),
    _send("POST", f"{_S}/comments", Door.WORK_STAFF, {"text": "A remark."}),
    _send("POST", f"{_S}/adjustments", Door.WORK_STAFF, {"points": "1", "reason": "So.", **_VERSION}),
    _send("PATCH", "/comments/{comment_id}", Door.THING_STAFF, {"text": "A", "staff_only": True, **_VERSION}),
    _send("DELETE", "/comments/{comment_id}", Door.THING_STAFF, version="1"),
    _send("POST", "/adjustments/{adjustment_id}/revoke", Door.THING_STAFF, {"reason": "So.", **_VERSION}),
    _send(
        "POST",
        "/requests/{request_id}/answer",
        Door.WORK_STAFF,
        {"state": "declined", "text": "No.", **_VERSION},
    ),
    _send("POST", f"{_A}/clusters/{{key}}/comments", Door.STAFF, {"text": "A remark."}),
    _send("POST", f"{_C}/comment-bank", Door.STAFF, _KEPT),
    _send("PATCH", f"{_C}/comment-bank/{{entry_id}}", Door.STAFF, {**_KEPT, **_VERSION}),
    _send("DELETE", f"{_C}/comment-bank/{{entry_id}}", Door.STAFF, version="1"),
    # What instructors do.
    *_api(Door.INSTRUCTOR, f"{_C}/invitations", f"{_C}/exports/{{kind}}", f"{_C}/archive"),
    *_api(Door.INSTRUCTOR, f"{_A}/gradescope", f"{_A}/versions"),
    *_api(Door.WORK_STAFF, f"{_S}/results.json"),
    _send("POST", f"{_C}/invitations", Door.INSTRUCTOR, {"role": "student"}),
    _send("POST", f"{_C}/invitations/people", Door.INSTRUCTOR, {"user_ids": []}),
    _send("DELETE", f"{_C}/invitations/{{invitation_id}}", Door.INSTRUCTOR),
    _send("POST", f"{_C}/members/{{user_id}}/password-link", Door.INSTRUCTOR),
    _send(
        "PUT",
        f"{_C}/settings",
        Door.INSTRUCTOR,
        {"title": "JAX", "timezone": "UTC", "grace_days": 0, **_VERSION},
    ),
    _send("PUT", f"{_C}/members/{{login}}", Door.INSTRUCTOR, _MEMBER_WANTED),
    _send("DELETE", f"{_C}/members/{{login}}", Door.INSTRUCTOR),
    _upload(f"{_C}/roster/preview", Door.INSTRUCTOR, "file"),
    _upload(f"{_C}/roster", Door.INSTRUCTOR, "file", fingerprint="0" * 64),
    _upload(f"{_C}/exports/canvas", Door.INSTRUCTOR, "file"),
    _upload(f"{_C}/exports/canvas/unmatched", Door.INSTRUCTOR, "file"),
    _upload(f"{_C}/publications", Door.INSTRUCTOR, "file"),
    _send("POST", f"{_C}/requeue", Door.STAFF, {"attempt_ids": []}),
    _send("PUT", f"{_A}/schedule", Door.INSTRUCTOR, _VERSION),
    _send("POST", f"{_A}/release", Door.INSTRUCTOR, _VERSION),
    _send("POST", f"{_A}/take-back", Door.INSTRUCTOR, _VERSION),
    _send(
        "POST",
        f"{_A}/extensions",
        Door.INSTRUCTOR,
        {"login": "{login}", "due_at": SOME_TIME, "reason": "Ill."},
    ),
    _send("DELETE", f"{_C}/extensions/{{extension_id}}", Door.INSTRUCTOR),
    _send("POST", f"{_A}/regrades", Door.INSTRUCTOR, {"reason": "A reason.", "check_id": "no.such.check"}),
    _send("POST", f"{_A}/regrades/{{plan_id}}/apply", Door.INSTRUCTOR, _VERSION),
    _send("POST", f"{_A}/regrades/{{plan_id}}/undo", Door.INSTRUCTOR, _VERSION),
    _send("POST", f"{_A}/regrades/{{plan_id}}/discard", Door.INSTRUCTOR, _VERSION),
]

EVERY_ROUTE = API + PAGES
"""Logging out comes last: nothing follows it in the same session."""
