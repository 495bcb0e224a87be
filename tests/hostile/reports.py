"""What the reports of a hostile submission hold, for students and for staff: as a page, JSON and text."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping

from rich.console import Console

from grader.domain import stored
from grader.domain.report_json import view_to_json
from grader.domain.results import AttemptResult
from grader.domain.submission import SubmittedFiles
from grader.domain.view import STAFF, Audience, Reader, view_of
from grader.presentation.html import render_report
from grader.presentation.page import Heading
from grader.presentation.terminal import report
from tests.hostile.aftermath import CANARY
from tests.hostile.cases import HERE

STUDENT = Reader(audience=Audience.STUDENT)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LIVE_MARKUP = re.compile(
    r"<img|<script(?! type=\"application/json\")|onerror=[^&\s]*pwned[^&]*>", re.IGNORECASE
)
_TEXT_BYTES = 64 << 10
_PAGE_BYTES = 2 << 20
SECRETS = (CANARY, str(HERE.parents[1]), "from rubrics import", "LEAK:/", "root:x:")
"""What nobody may read in a report: our environment, where we are installed, source of checks, users."""


def problems(result: AttemptResult, files: SubmittedFiles) -> list[str]:
    """What is wrong with the reports of one attempt, one sentence each."""
    return list(_problems(result, files))


def _problems(result: AttemptResult, files: SubmittedFiles) -> Iterator[str]:
    text = json.dumps(stored.dump(result), ensure_ascii=False)
    if stored.load(json.loads(text)) != result:
        yield "the stored result is another when it is read"
    for reader in (STUDENT, STAFF):
        view = view_of(result, reader, source=files)
        yield from _spoken(view_to_json(view), f"{reader.audience}'s JSON")
        heading = Heading(title="Hostile")
        page = render_report(view, source=files, heading=heading)
        yield from _page(page, f"{reader.audience}'s page")
        screen = io.StringIO()
        Console(file=screen, width=100, no_color=True).print(report(view, source=files, heading=heading))
        yield from _controls(screen.getvalue(), f"{reader.audience}'s terminal report")
    said = json.dumps([stored.dump_check(check)["feedback"] for check in result.results])
    for what, size in (("feedback", len(said)), ("output", len(result.output))):
        if size > _TEXT_BYTES:
            yield f"the {what} has {size} bytes"


def _spoken(data: object, where: str) -> Iterator[str]:
    for text in _strings(data):
        yield from _controls(text, where)
        for secret in SECRETS:
            if secret in text:
                yield f"{where} tells {secret!r}"


def _strings(data: object) -> Iterator[str]:
    """Every text in plain JSON, names included."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for name, value in data.items():
            yield from (name, *_strings(value))
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _strings(value)


def _page(page: str, where: str) -> Iterator[str]:
    yield from _controls(page, where)
    live = _LIVE_MARKUP.search(page)
    if live:
        yield f"{where} holds live markup: {live.group()[:60]!r}"
    if len(page) > _PAGE_BYTES:
        yield f"{where} has {len(page)} characters"


def _controls(text: str, where: str) -> Iterator[str]:
    found = _CONTROL.search(text)
    if found:
        around = text[max(0, found.start() - 20) : found.start() + 20]
        yield f"{where} holds the character {found.group()!r} in {around!r}"
