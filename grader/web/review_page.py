"""Everything that the page of one submission under review shows, put together before its template sees it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from grader.domain.view import CheckView
from grader.presentation.listing import Listing, listing_of
from grader.presentation.page import Heading, Page, page_of
from grader.services.reviewing.commenting import CommentView
from grader.services.reviewing.opening import Dossier
from grader.services.reviewing.places import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What somebody typed into one of the page's forms.

    `error` says why it was not taken, and `wrong` in which field that lies, where it lies in one.
    """

    form: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    wrong: str = ""

    def value(self, form: str, name: str, default: str = "") -> str:
        """What was typed into a field of that form."""
        return self.values.get(name, default) if form == self.form else default

    def said(self, form: str) -> str:
        """The error of that form."""
        return self.error if form == self.form else ""

    def said_at(self, form: str, wrong: str) -> str:
        """The error of that form, where it lies in that field."""
        return self.error if (form, wrong) == (self.form, self.wrong) else ""


NO_DRAFT = Draft()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One check in the list of points; `set_to` is what staff have set it to, None where they have not."""

    check: CheckView
    set_to: Fraction | None
    comments: tuple[CommentView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One file with its comments by line; `position` is its place among the submission's files."""

    listing: Listing
    position: int
    comments: Mapping[int, Sequence[CommentView]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPage:
    """The page: the report (None where nothing was judged), code, points, and what is being written."""

    dossier: Dossier
    report: Page | None
    code: tuple[Code, ...]
    rows: tuple[CheckRow, ...]
    general: tuple[CommentView, ...]
    place: Place
    place_text: str
    draft: Draft

    @property
    def rows_open(self) -> bool:
        """Whether staff have said or changed something in the list of points."""
        return any(row.comments or row.set_to is not None for row in self.rows)


def review_page(dossier: Dossier, *, at: str | None, check: str | None, draft: Draft) -> ReviewPage:
    """The page; `at` ("file.line", counted from 0 and 1) or `check` is what a new comment is about."""
    heading = Heading(title=dossier.assignment_title, student=dossier.student, submission=dossier.number)
    report = None
    if dossier.view is not None:
        report = page_of(dossier.view, source=dossier.source, heading=heading)
    listings = report.listings if report else tuple(listing_of(file, {}) for file in dossier.source.files)
    place = _place(dossier, at=at, check=check)
    return ReviewPage(
        dossier=dossier,
        report=report,
        code=_code(dossier, listings),
        rows=_rows(dossier),
        general=tuple(item for item in dossier.comments if item.place == Place()),
        place=place,
        place_text=_spoken(place),
        draft=draft,
    )


def at_of(dossier: Dossier, place: Place) -> str:
    """A line as an address writes it; empty for none."""
    names = [file.name for file in dossier.source.files]
    return f"{names.index(place.file)}.{place.line}" if place.file in names and place.line else ""


def _place(dossier: Dossier, *, at: str | None, check: str | None) -> Place:
    if at:
        file, line = (int(part) for part in at.split("."))
        files = dossier.source.files
        if file < len(files) and 1 <= line <= files[file].text.count("\n") + 1:
            return Place(file=files[file].name, line=line)
    known = {item.id for item in dossier.view.checks} if dossier.view else set()
    return Place(check_id=check) if check in known else Place()


def _spoken(place: Place) -> str:
    if place.line is not None:
        return f"line {place.line} of {place.file}"
    return place.check_id or "the whole submission"


def _code(dossier: Dossier, listings: Sequence[Listing]) -> tuple[Code, ...]:
    by_file: defaultdict[str, defaultdict[int, list[CommentView]]] = defaultdict(lambda: defaultdict(list))
    for comment in dossier.comments:
        if comment.place.file is not None and comment.place.line is not None:
            by_file[comment.place.file][comment.place.line].append(comment)
    positions = {file.name: number for number, file in enumerate(dossier.source.files)}
    return tuple(
        Code(listing=item, position=positions[item.name], comments=by_file.get(item.name, {}))
        for item in listings
    )


def _rows(dossier: Dossier) -> tuple[CheckRow, ...]:
    holding = {item.check_id: item.points for item in dossier.adjustments if item.holds and item.check_id}
    said: defaultdict[str, list[CommentView]] = defaultdict(list)
    for comment in dossier.comments:
        if comment.place.check_id is not None and comment.place.line is None:
            said[comment.place.check_id].append(comment)
    checks = dossier.view.checks if dossier.view else ()
    return tuple(
        CheckRow(check=check, set_to=holding.get(check.id), comments=tuple(said[check.id]))
        for check in checks
    )
