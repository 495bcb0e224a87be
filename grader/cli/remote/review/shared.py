"""The work of `grader review clusters` and `bank`: what the reviewers of a course share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.cli.output import print_json
from grader.cli.remote.answers.review import Cluster, ClusterComment, KeptComment
from grader.cli.remote.client import Client, connected
from grader.cli.remote.courses import the_course
from grader.cli.remote.review.desk import matching, short_of
from grader.cli.remote.screens import say, say_text, show_table
from grader.domain.errors import InvalidInput, NotFound
from grader.domain.text import one_line
from grader.presentation.words import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """A comment to keep; where one is changed, None leaves a field as it is, and `code` "none" empties it."""

    title: str | None
    text: str | None
    code: str | None
    seen: int | None = None

    def any(self) -> bool:
        """Whether anything is to change."""
        return (self.title, self.text, self.code) != (None, None, None)


NO_CODE = "none"


# --- like failures, all at once -----------------------------------------------------------------------------


def clusters(server: str | None, *, slug: str, course: str | None, as_json: bool) -> None:
    """List the failures of an assignment that are one and the same in two submissions or more."""
    with connected(server) as client:
        reply = client.get("courses", the_course(client, course).slug, "assignments", slug, "clusters")
    if as_json:
        print_json({"clusters": reply.value})
        return
    rows = [
        (
            item.key,
            len(item.members),
            item.check_id,
            item.code,
            item.shape,
            " ".join(short_of(member.submission_id) for member in item.members[:3]),
        )
        for item in reply.of(list[Cluster])
    ]
    headings = ("Cluster", "Submissions", "Check", "Feedback", "Line", "Such as")
    show_table(headings, rows, empty="No two submissions fail alike.")


def comment_cluster(
    server: str | None,
    *,
    slug: str,
    typed: str,
    text: str,
    staff_only: bool,
    course: str | None,
    as_json: bool,
) -> None:
    """Say the same to everybody with the same failure."""
    with connected(server) as client:
        where = ("courses", the_course(client, course).slug, "assignments", slug, "clusters")
        key = _cluster(client.get(*where).of(list[Cluster]), typed, slug=slug)
        reply = client.post(*where, key, "comments", body={"text": text, "staff_only": staff_only})
    if as_json:
        print_json({"comments": reply.value})
        return
    done = reply.of(ClusterComment)
    had = f" {counted(done.present, 'submission')} had it already." if done.present else ""
    say(f"Written on {counted(done.written, 'submission')}.{had}")


def _cluster(known: Sequence[Cluster], typed: str, *, slug: str) -> str:
    start = typed.strip().lower()
    found = [item.key for item in known if start and item.key.startswith(start)]
    if len(found) != 1:
        remedy = "Give more of its key." if found else f"`grader review clusters {slug}` lists them."
        raise NotFound("cluster", one_line(typed, 80), remedy)
    return found[0]


# --- the comment bank ---------------------------------------------------------------------------------------


def show_bank(server: str | None, *, codes: Sequence[str], course: str | None, as_json: bool) -> None:
    """List the comments kept for use again; those for the codes at hand come first."""
    with connected(server) as client:
        reply = client.get("courses", the_course(client, course).slug, "comment-bank", code=list(codes))
    if as_json:
        print_json({"comments": reply.value})
        return
    kept = reply.of(list[KeptComment])
    if not kept:
        say("Nothing is kept yet: grader review bank keep TITLE TEXT")
    for item in kept:
        code = f" (for {item.code})" if item.code else ""
        say(f"{short_of(item.id)}  {item.title}{code}")
        say_text(item.text)


def keep(server: str | None, wanted: Keep, *, course: str | None, as_json: bool) -> None:
    """Keep a comment for use again."""
    with connected(server) as client:
        body = {"title": wanted.title, "text": wanted.text, "code": wanted.code}
        reply = client.post("courses", the_course(client, course).slug, "comment-bank", body=body)
    if as_json:
        print_json({"comment": reply.value})
        return
    made = reply.of(KeptComment)
    say(f"Kept as {short_of(made.id)}: {made.title}")


def edit_kept(server: str | None, *, typed: str, wanted: Keep, course: str | None, as_json: bool) -> None:
    """Change a kept comment."""
    if not wanted.any():
        raise InvalidInput("--title", "there is nothing to change.", "Give --title, --text or --code.")
    with connected(server) as client:
        slug = the_course(client, course).slug
        found = _kept(client, slug, typed)
        code = found.code if wanted.code is None else wanted.code
        body = {
            "title": found.title if wanted.title is None else wanted.title,
            "text": found.text if wanted.text is None else wanted.text,
            "code": None if code == NO_CODE else code,
            "version": found.version if wanted.seen is None else wanted.seen,
        }
        reply = client.patch("courses", slug, "comment-bank", found.id, body=body)
    if as_json:
        print_json({"comment": reply.value})
        return
    say(f"Changed {short_of(found.id)}: {reply.of(KeptComment).title}")


def drop(server: str | None, *, typed: str, seen: int | None, course: str | None, as_json: bool) -> None:
    """Keep a comment no longer."""
    with connected(server) as client:
        slug = the_course(client, course).slug
        found = _kept(client, slug, typed)
        version = found.version if seen is None else seen
        client.delete("courses", slug, "comment-bank", found.id, version=version)
    if as_json:
        print_json({"dropped": found.id})
        return
    say(f"{found.title} is no longer kept; where it was used, it stays.")


def kept_text(client: Client, course: str, typed: str) -> str:
    """The words of the kept comment that is meant."""
    return _kept(client, course, typed).text


def _kept(client: Client, course: str, typed: str) -> KeptComment:
    """A kept comment by its title, else by the start of its id."""
    known = client.get("courses", course, "comment-bank").of(list[KeptComment])
    titled = [item for item in known if item.title.casefold() == typed.strip().casefold()]
    if len(titled) == 1:
        return titled[0]
    return matching(known, typed, what="kept comment", listed_by="grader review bank list")
