"""The work of `grader review comment`, `edit`, `delete` and `answer`: what staff say to students."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.cli.output import print_json
from grader.cli.remote.answers.review import Comment, Dossier, Request, SourceText
from grader.cli.remote.client import Client, connected
from grader.cli.remote.review.desk import Target, dossier_of, part_of, short_of
from grader.cli.remote.review.shared import kept_text
from grader.cli.remote.screens import say
from grader.domain.errors import InvalidInput, NotFound
from grader.domain.reviewing import RequestState
from grader.domain.text import did_you_mean, listing, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What to say: typed, or the title (or start of the id) of a kept comment. One of the two."""

    text: str | None
    kept: str | None = None
    staff_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """What a comment is about: a line (of a file, or of the only one), a check, or neither: the whole."""

    line: int | None = None
    file: str | None = None
    check: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a request; without `points` none change."""

    state: RequestState
    text: str
    points: str | None
    check: str | None


def comment(server: str | None, target: Target, words: Words, spot: Spot, *, as_json: bool) -> None:
    """Comment on a line, on a check, or on the whole."""
    _require_one_place(spot)
    with connected(server) as client:
        work = dossier_of(client, target)
        body = {
            "text": _text(client, work, words),
            "file": None if spot.line is None else _position(work.files, spot.file),
            "line": spot.line,
            "check_id": spot.check,
            "staff_only": words.staff_only,
        }
        reply = client.post("submissions", work.id, "comments", body=body)
    made = reply.of(Comment)
    if as_json:
        print_json({"comment": reply.value})
        return
    readers = "for staff only" if made.staff_only else "the student can read it now"
    say(f"Comment {short_of(made.id)} is there; {readers}.")


def edit(
    server: str | None,
    target: Target,
    *,
    typed: str,
    text: str | None,
    staff_only: bool | None,
    as_json: bool,
) -> None:
    """Change a comment of mine; what is None stays as it is."""
    if text is None and staff_only is None:
        raise InvalidInput("TEXT", "there is nothing to change.", "Give new words, or who may read them.")
    with connected(server) as client:
        work = dossier_of(client, target)
        found = part_of(work.comments, typed, what="comment", work=work)
        body = {
            "text": found.text if text is None else text,
            "staff_only": found.staff_only if staff_only is None else staff_only,
            "version": found.version if target.seen is None else target.seen,
        }
        reply = client.patch("comments", found.id, body=body)
    if as_json:
        print_json({"comment": reply.value})
        return
    say(f"Comment {short_of(found.id)} is changed.")


def delete(server: str | None, target: Target, *, typed: str, as_json: bool) -> None:
    """Take a comment away."""
    with connected(server) as client:
        work = dossier_of(client, target)
        found = part_of(work.comments, typed, what="comment", work=work)
        version = found.version if target.seen is None else target.seen
        client.delete("comments", found.id, version=version)
    if as_json:
        print_json({"deleted": found.id})
        return
    say(f"Comment {short_of(found.id)} is gone; the audit record keeps what it said.")


def answer(server: str | None, target: Target, wanted: Answer, *, as_json: bool) -> None:
    """Answer the open request of a submission, with or without points."""
    if wanted.check is not None and wanted.points is None:
        raise InvalidInput("--check", "it says which points change.", "Give --points as well.")
    with connected(server) as client:
        work = dossier_of(client, target)
        found = _open_request(work)
        body = {
            "state": wanted.state.value,
            "text": wanted.text,
            "points": wanted.points,
            "check_id": wanted.check,
            "version": found.version if target.seen is None else target.seen,
        }
        reply = client.post("requests", found.id, "answer", body=body)
    if as_json:
        print_json({"request": reply.value})
        return
    changed = "" if wanted.points is None else " The points are changed."
    say(f"The request is {reply.of(Request).state.value}; your answer stands on the report.{changed}")


def _require_one_place(spot: Spot) -> None:
    if spot.file is not None and spot.line is None:
        raise InvalidInput("--file", "it needs a line.", "Give --line as well.")
    if spot.line is not None and spot.check is not None:
        raise InvalidInput("--check", "a comment is about a line or about a check.", "Give one of them.")


def _text(client: Client, work: Dossier, words: Words) -> str:
    if (words.text is None) == (words.kept is None):
        raise InvalidInput(
            "TEXT", "a comment is typed, or taken from the bank by --kept.", "Give one of them."
        )
    return words.text if words.text is not None else kept_text(client, work.course, words.kept or "")


def _position(files: Sequence[SourceText], typed: str | None) -> int:
    """Which file is meant: by name, by place, or the only one. Whoever reads blind sees no true names."""
    names = [file.name for file in files]
    if typed is None:
        if len(files) != 1:
            problem = f"the submission has several files: {listing(names)}."
            raise InvalidInput("--file", problem, "Name one, or give its place, from 0.")
        return 0
    if typed in names:
        return names.index(typed)
    if typed.isascii() and typed.isdigit() and int(typed) < len(files):
        return int(typed)
    remedy = did_you_mean(typed, names) or f"There are: {listing(names)}."
    raise NotFound("file of the submission", one_line(typed, 80), remedy)


def _open_request(work: Dossier) -> Request:
    for request in work.requests:
        if request.state is RequestState.OPEN:
            return request
    raise NotFound(
        "open regrade request of submission",
        short_of(work.id),
        "`grader review queue --requested` lists those that have one.",
    )
