"""Live progress: a stream of server-sent events that ends when the attempt does.

The database is asked again and again, less and less often while nothing changes; nothing but the database
knows how far a worker is. A stream ends by itself after a while, and the browser opens another, which asks
anew who is there.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from grader.db.database import Database
from grader.domain.errors import GraderError, TooManyRequests
from grader.services.access import Actor
from grader.services.student.progress import ProgressNow, progress_now
from grader.web.dependencies import CurrentActor, Db
from grader.web.rendering import render

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often the database is asked, and how long one stream lasts; in seconds."""

    first_s: float = 0.4
    slowest_s: float = 3.0
    growth: float = 1.3
    quiet_s: float = 15.0
    """After this long without news a comment is sent, so that no proxy takes the stream for dead."""
    longest_s: float = 600.0


MOST_STREAMS = 4
"""Streams that one person may have open at a time; each is a page that waits."""

_open: Counter[UUID] = Counter()


@router.get("/submissions/{submission_id}/progress")
async def follow(actor: CurrentActor, database: Db, submission_id: UUID) -> Response:
    """Events named `progress`, each a piece of HTML, and one named `done` when nothing more will come."""
    now = await run_in_threadpool(progress_now, database, actor=actor, submission_id=submission_id)
    if _open[actor.user_id] >= MOST_STREAMS:
        raise TooManyRequests("You follow several submissions already.", retry_after_s=5)
    return _Stream(events(database, actor=actor, first=now, pace=Pace()), owner=actor.user_id)


class _Stream(StreamingResponse):
    """A stream that is counted while it is open, however it ends."""

    def __init__(self, content: AsyncIterator[str], *, owner: UUID) -> None:
        super().__init__(content, media_type="text/event-stream", headers={"x-accel-buffering": "no"})
        self._owner = owner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _open[self._owner] += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            _open[self._owner] -= 1
            if not _open[self._owner]:
                del _open[self._owner]


async def events(database: Database, *, actor: Actor, first: ProgressNow, pace: Pace) -> AsyncIterator[str]:
    """The events of one stream, beginning with `first`."""
    clock = asyncio.get_running_loop().time
    ends_at, said_at, said, wait = clock() + pace.longest_s, clock(), "", pace.first_s
    now = first
    yield "retry: 3000\n\n"
    while True:
        html = render("student/_progress.html", now=now)
        if html != said:
            said, said_at, wait = html, clock(), pace.first_s
            yield event("progress", html)
        elif clock() - said_at > pace.quiet_s:
            said_at = clock()
            yield ": nothing new\n\n"
        if now.final:
            yield event("done", "done")
            return
        if clock() > ends_at:
            return
        await asyncio.sleep(wait)
        wait = min(wait * pace.growth, pace.slowest_s)
        found = await run_in_threadpool(_still, database, actor, first.submission_id)
        if found is None:
            yield event("done", "done")
            return
        now = found


def event(name: str, data: str) -> str:
    r"""One server-sent event.

    >>> event("progress", "<p>\n1</p>")
    'event: progress\ndata: <p>\ndata: 1</p>\n\n'
    """
    lines = "".join(f"data: {line}\n" for line in data.splitlines() or [""])
    return f"event: {name}\n{lines}\n"


def _still(database: Database, actor: Actor, submission_id: UUID) -> ProgressNow | None:
    """How far it is now; None where this reader may not ask any more, which the next page tells them."""
    try:
        return progress_now(database, actor=actor, submission_id=submission_id)
    except GraderError:
        return None
