import itertools
import re
from collections import Counter
from datetime import UTC, datetime
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.domain.results import AttemptResult, Evidence, EvidenceKind
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.domain.verdicts import Verdict, Visibility
from grader.domain.view import STAFF, Audience, Reader, view_of
from grader.presentation.changes import Change, Request
from grader.presentation.html import (
    Heading,
    IndexRow,
    Remark,
    prose,
    render_index,
    render_report,
    report_parts,
)
from tests.builders import HOSTILE, a_check, an_attempt, everything, evidence, hostile, submitted
from tests.unit.presentation.test_evidence import JSON, KEYS_IN_USE

VOID = {"meta", "br", "wbr", "input", "img", "link", "hr"}
STUDENT = Reader(audience=Audience.STUDENT)
HEADING = Heading(
    title="The functional core of JAX",
    student="Ada",
    submitted_at=datetime(2026, 11, 30, 9, 12, tzinfo=UTC),
    submission=3,
    attempt=1,
    lesson_url="lesson.html",
)


class Parsed(HTMLParser):
    """A document taken apart: elements in order, visible text, and whether tags are balanced."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())

    def attributes(self, name: str) -> list[str]:
        return [value for _, attrs in self.elements if (value := attrs.get(name)) is not None]


def rendered(result: AttemptResult, reader: Reader = STAFF, *, source: SubmittedFiles | None = None) -> str:
    files = source or submitted()
    return render_report(view_of(result, reader, source=files), source=files, heading=HEADING)


@pytest.fixture(scope="module")
def page() -> Parsed:
    return Parsed(rendered(everything()))


def test_nothing_is_loaded_and_nothing_runs(page: Parsed):
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "link", "iframe", "object", "embed", "img", "form", "base", "video", "audio"}
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on")]
    assert page.attributes("src") == []
    assert page.attributes("style") == []
    assert "url(" not in rendered(everything())
    assert "@import" not in rendered(everything())


def test_a_policy_forbids_scripts_and_connections(page: Parsed):
    policies = [attrs for tag, attrs in page.elements if tag == "meta" and "http-equiv" in attrs]
    assert [attrs["http-equiv"] for attrs in policies] == ["Content-Security-Policy"]
    assert "default-src 'none'" in (policies[0]["content"] or "")
    assert "script-src" not in (policies[0]["content"] or "")


def test_every_internal_link_leads_somewhere_and_ids_are_unique(page: Parsed):
    ids = Counter(page.attributes("id"))
    assert [name for name, count in ids.items() if count > 1] == []
    targets = {href.removeprefix("#") for href in page.attributes("href") if href.startswith("#")}
    assert targets <= ids.keys()
    labels = {name for value in page.attributes("aria-labelledby") for name in value.split()}
    assert labels <= ids.keys()


def test_other_links_lead_to_the_lesson_only(page: Parsed):
    others = {href for href in page.attributes("href") if not href.startswith("#")}
    assert others
    assert all(href.startswith("lesson.html#") for href in others)


def test_headings_never_skip_a_level_and_there_is_one_title(page: Parsed):
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_landmarks_language_and_viewport_are_given(page: Parsed):
    tags = Counter(tag for tag, _ in page.elements)
    assert tags["main"] == tags["footer"] == 1
    assert page.attributes("lang") == ["en"]
    assert "width=device-width, initial-scale=1" in page.attributes("content")


def test_header_cells_say_what_they_head_and_scrolling_areas_take_the_keyboard(page: Parsed):
    assert all("scope" in attrs for tag, attrs in page.elements if tag == "th")
    scrolling = [attrs for _, attrs in page.elements if "scroll" in (attrs.get("class") or "").split()]
    assert scrolling
    for attrs in scrolling:
        assert attrs.get("tabindex") == "0"
        assert attrs.get("role") == "region"
        assert "aria-label" in attrs or "aria-labelledby" in attrs


def test_drawings_have_a_text_or_are_skipped_by_screen_readers(page: Parsed):
    drawings = [attrs for tag, attrs in page.elements if tag == "svg"]
    assert drawings
    assert all("aria-label" in attrs or attrs.get("aria-hidden") == "true" for attrs in drawings)


def test_the_score_and_every_verdict_are_told_in_words(page: Parsed):
    assert "16 of 67.5 points" in page.words
    for word in ("passed", "failed", "crashed", "timed out", "out of memory", "not graded", "undecided"):
        assert word in page.words


def test_a_failed_check_says_what_why_and_what_next_with_the_line(page: Parsed):
    assert "sample_walk uses the same key 2 times (line 26); the first use is on line 25." in page.words
    assert "A key does not change when it is used" in page.words
    assert "Split once for each draw" in page.words
    assert "k1, k2 = jax.random.split(key)" in page.words
    assert "#f0-L26" in page.attributes("href")
    assert "lesson.html#prng-keys" in page.attributes("href")


def test_what_cost_points_comes_first_and_leads_to_its_check(page: Parsed):
    start = page.words.index("What cost points")
    assert start < page.words.index("At a glance")
    shown = page.words[start : page.words.index("At a glance")]
    assert "A key is used more than once in sample_walk, line 26, 4 of 4 points" in shown
    assert "The speed could not be decided" not in shown
    assert "Not graded" not in shown


def test_the_whole_source_is_there_with_every_line_once(page: Parsed):
    lines = [name for name in page.attributes("id") if name.startswith("f0-L")]
    assert lines == [f"f0-L{number}" for number in range(1, 45)]
    assert "Homework 1, handed in at the last minute." in page.words


def test_timing_can_be_read_without_seeing_the_plot(page: Parsed):
    label = next(value for value in page.attributes("aria-label") if value.startswith("Medians"))
    assert label == "Medians: yours 11.2 ms, baseline 21.4 ms, reference 210 µs. asked for: 1.07 ms."


@pytest.mark.parametrize("kind", EvidenceKind)
def test_every_kind_of_evidence_has_a_place_on_the_page(kind: EvidenceKind):
    check = a_check(verdict=Verdict.FAILED, evidence=(evidence(kind),))
    Parsed(rendered(an_attempt(check)))


@settings(max_examples=40)
@given(kind=st.sampled_from(EvidenceKind), data=st.dictionaries(KEYS_IN_USE, JSON, max_size=8))
def test_no_evidence_can_break_the_page(kind: EvidenceKind, data: dict[str, object]):
    check = a_check(verdict=Verdict.FAILED, evidence=(Evidence(kind=kind, data=data),))  # type: ignore[arg-type]
    Parsed(rendered(an_attempt(check))).words.encode()


def test_hostile_text_stays_text():
    result, source = hostile()
    heading = Heading(title=HOSTILE, student=HOSTILE, lesson_url="javascript:alert(1)")
    document = render_report(view_of(result, STAFF, source=source), source=source, heading=heading)
    page = Parsed(document)
    assert not [tag for tag, _ in page.elements if tag == "script"]
    assert all(href.startswith("#") for href in page.attributes("href"))
    assert "<script>alert('x')</script>&amp;\\x1b[31m\\u202eevil\\x00 {{ 7*7 }}" in page.words
    assert not set(document) & {"\x1b", "\u202e", "\x00", "\udc80"}
    document.encode()


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "http://[bad", ""])
def test_a_lesson_address_that_could_act_is_no_link(url: str):
    heading = Heading(title="x", lesson_url=url)
    page = Parsed(render_report(view_of(everything(), STAFF), source=submitted(), heading=heading))
    assert all(href.startswith("#") for href in page.attributes("href"))
    assert "Lesson: PRNG keys" in page.words


def test_what_a_student_may_not_see_is_not_in_the_page():
    document = rendered(everything(), STUDENT)
    assert "secretly" not in document
    assert everything().seed not in document
    assert "source_and_run_disagree" not in document
    assert "2 more checks, worth 8 points, are not shown" in Parsed(document).words
    assert "It is shown when all checks are open" in Parsed(document).words


def test_a_perfect_attempt_is_a_short_and_friendly_page():
    page = Parsed(rendered(an_attempt(a_check(), a_check("smooth.jit.fast")), STUDENT))
    assert "8 of 8 points" in page.words
    assert "2 passed" in page.words
    assert "What to try next" not in page.words
    assert "What cost points" not in page.words
    assert "not shown" not in page.words


def test_an_attempt_without_checks_or_source_has_a_page():
    empty = SubmittedFiles(entry="submission.py", files=())
    assert (
        "0 of 0 points"
        in Parsed(rendered(an_attempt(a_check(visibility=Visibility.HIDDEN)), STUDENT, source=empty)).words
    )


def test_a_hidden_check_is_told_in_general_words_after_release():
    words = Parsed(rendered(everything(), Reader(audience=Audience.STUDENT, released=True))).words
    assert "A check that stays hidden" in words
    assert "The result does not have the data type the task asks for." in words


def test_helper_files_follow_the_main_one():
    source = submitted("import aa\n", entry="main.py", aa="x = 1\n")
    check = a_check(verdict=Verdict.FAILED, code="values.returns_none", line=1, file="aa.py")
    page = Parsed(rendered(an_attempt(check), source=source))
    assert "line 1 of aa.py" in page.words
    assert "#f1-L1" in page.attributes("href")


def test_an_index_links_to_its_reports():
    row = IndexRow(
        href="a.html", name=HOSTILE, about="`x`", score=Fraction(7, 2), max_score=Fraction(4), graded=False,
        lost=("one", "two"),
    )  # fmt: skip
    page = Parsed(render_index([row], title="Reports", intro="From one run."))
    assert "a.html" in page.attributes("href")
    assert "3.5 / 4" in page.words
    assert "not fully graded" in page.words


@pytest.mark.parametrize(
    "text,markup",
    [
        ("a `b` c", "a <code>b</code> c"),
        ("a ` b", "a ` b"),
        ("`a` ` b", "<code>a</code> ` b"),
        ("<`<`", "&lt;<code>&lt;</code>"),
        ("", ""),
    ],
)
def test_backticks_become_code_and_nothing_else_becomes_markup(text: str, markup: str):
    assert str(prose(text)) == markup


def a_file_that_does_not_parse() -> AttemptResult:
    names = ("normalize.values.rows", "normalize.purity.pure", "smooth.values.steps", "smooth.jit.traced")
    hidden = {"smooth.jit.traced": Visibility.HIDDEN}
    return an_attempt(
        *(
            a_check(
                name,
                Verdict.FAILED,
                code="submission.syntax_error",
                params={"text": "expected ':'"},
                line=2,
                visibility=hidden.get(name, Visibility.VISIBLE),
            )
            for name in names
        )
    )


def test_a_finding_that_cost_several_checks_is_said_once():
    reader = Reader(audience=Audience.STUDENT, released=True, past_due=True)
    source = submitted("x = 1\ndef f(x)\n")
    view = view_of(a_file_that_does_not_parse(), reader, source=source)
    html = render_report(view, source=source, heading=Heading(title="T"))
    assert html.count("Why it matters") == 1
    assert html.count("Said in full above.") == 3
    [lost] = re.findall(r'<ul class="lost">(.*?)</ul>', html, re.DOTALL)
    assert lost.count("<li>") == 1
    assert "in 2 functions, line 2, 16 of 16 points in 4 checks" in re.sub(r"<[^>]+>|\s+(?=\s)", "", lost)


def test_findings_that_differ_in_a_word_are_both_said():
    checks = [
        a_check(name, Verdict.FAILED, code="values.differ", params={"count": count, "size": 9}, line=2)
        for name, count in (("normalize.values.rows", 3), ("normalize.values.columns", 4))
    ]
    view = view_of(an_attempt(*checks), STAFF, source=submitted())
    html = render_report(view, source=submitted(), heading=Heading(title="T"))
    assert "Said in full above." not in html


def test_every_line_of_a_notebook_is_told_by_its_cell():
    text = "# %% cell 1\nimport jax\n# %% cell 2\nkey = jax.random.key(0)\na = f(key)\n"
    notebook = SubmittedFiles(entry="hw.ipynb", files=(SourceFile(name="hw.ipynb", text=text),))
    told = (
        evidence(EvidenceKind.KEYS, rows=[{"use": "draw", "key": "aa", "line": 5}]),
        evidence(EvidenceKind.ERROR, type="ValueError", frames=[{"line": 5, "function": "f", "text": "x"}]),
        evidence(EvidenceKind.SOURCE, line=5, text="a = f(key)"),
    )
    check = a_check("walk.prng.keys", Verdict.FAILED, code="values.differ", line=5, evidence=told)
    words = Parsed(rendered(an_attempt(check), source=notebook)).words
    assert "line 5" not in words.lower()
    assert words.lower().count("cell 2, line 2") >= len(told) + 1


def changed_page(*changes: Change, adjusted: int | None = None, requests: tuple[Request, ...] = ()) -> Parsed:
    """A report of a check worth 4 that failed, and of one that passed, with what staff changed."""
    checks = (
        a_check("normalize.values.rows", Verdict.FAILED, code="values.differ", line=2),
        a_check("f.jit.b"),
    )
    view = view_of(an_attempt(*checks), STAFF, source=submitted())
    heading = Heading(title="T", adjusted=None if adjusted is None else Fraction(adjusted))
    return Parsed(
        render_report(view, source=submitted(), heading=heading, changes=changes, requests=requests)
    )


def a_change(points: int, *, check_id: str | None = "normalize.values.rows", ended: str = "") -> Change:
    return Change(
        about="Rows.", points=Fraction(points), reason="Half right.", byline="course staff", sets=True,
        check_id=check_id, ended=ended,
    )  # fmt: skip


def test_a_check_that_staff_set_shows_their_points_beside_what_was_found():
    words = changed_page(a_change(3), adjusted=7).words
    assert "7 of 8 points" in words
    assert "4 found by the checks, +3 by course staff" in words
    assert words.count("3 / 4, set by staff (found: 0)") == 2
    assert "Points changed by staff" in words
    assert "set to 3. Half right. course staff" in words


def test_a_check_that_staff_gave_in_full_costs_nothing_any_more():
    assert "What cost points" in changed_page(a_change(3)).words
    assert "What cost points" not in changed_page(a_change(4)).words


@pytest.mark.parametrize("change", [a_change(3, ended="taken back"), a_change(3, check_id=None)])
def test_a_change_that_does_not_hold_here_is_told_and_not_counted(change: Change):
    words = changed_page(change).words
    assert "set by staff (found" not in words
    assert "Half right." in words


def test_a_kept_report_has_the_answer_to_a_request():
    asked = Request(about="", text="Please look.", state="declined", answer="I did.", answered_by="Tom")
    words = changed_page(requests=(asked,)).words
    assert "The whole submission: declined Please look. Answer by Tom: I did." in words


def lost_items(html: str) -> list[str]:
    [lost] = re.findall(r'<ul class="lost">(.*?)</ul>', html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", item).split()) for item in lost.split("<li>")[1:]]


def test_the_same_hang_under_other_limits_is_one_finding_and_each_limit_is_told():
    checks = [
        a_check(name, Verdict.TIMED_OUT, code="call.timed_out", params={"seconds": seconds}, line=2)
        for name, seconds in (("smooth.values.rows", 5), ("smooth.jit.fast", 10))
    ]
    html = rendered(an_attempt(*checks))
    [item] = lost_items(html)
    assert "8 of 8 points in 2 checks" in item
    assert html.count("Said in full above.") == 1
    assert "after 5 seconds" in html
    assert "after 10 seconds" in html


def test_one_fault_of_a_line_is_listed_once_and_marked_once_however_many_checks_find_it():
    checks = [
        a_check(name, Verdict.FAILED, code="values.differ", params={"count": count, "size": 9}, line=2)
        for name, count in (("normalize.values.rows", 3), ("normalize.values.columns", 4))
    ]
    html = rendered(an_attempt(*checks))
    [item] = lost_items(html)
    assert "8 of 8 points in 2 checks" in item
    assert Parsed(html).words.count("↑ Some values are not right (in 2 checks)") == 1
    assert Parsed(html).words.count("↑") == 1


def test_findings_with_one_title_are_told_apart_where_points_are_lost():
    checks = [
        a_check(name, Verdict.FAILED, code="values.differ", params={"count": count, "size": 9}, line=2)
        for name, count in (("normalize.values.rows", 3), ("smooth.values.columns", 4))
    ]
    items = lost_items(rendered(an_attempt(*checks)))
    assert [("3" in item, "9" in item) for item in items] == [(True, True), (False, True)]


def said(text: str = "Look at the axis.", **place: object) -> Remark:
    return Remark(text=text, byline="Grace, 2026-11-30", **place)  # type: ignore[arg-type]


def page_with(*remarks: Remark) -> str:
    source = submitted()
    view = view_of(everything(), STUDENT, source=source)
    return render_report(view, source=source, heading=HEADING, remarks=remarks)


def test_a_remark_stands_beside_its_line_its_check_or_above_everything():
    document = page_with(
        said("on a line", file="submission.py", line=13),
        said("on a failed check", check_id="normalize.jit.traces_once"),
        said("on a passed check", check_id="smooth.values.zero_steps"),
        said("on the whole"),
    )
    at = {text: document.index(text) for text in ("on a line", "on a failed check", "on a passed check")}
    line = document.index('id="f0-L13"')
    assert line < at["on a line"] < document.index('id="f0-L14"')
    assert document.index("Traced once for equal shapes.") < at["on a failed check"]
    assert document.index("No step gives the input back.") < at["on a passed check"]
    assert (
        document.index("What course staff say") < document.index("on the whole") < document.index("What cost")
    )
    Parsed(document)


@pytest.mark.parametrize(
    "place",
    [
        {"file": "gone.py", "line": 1},
        {"file": "submission.py", "line": 9_999},
        {"check_id": "no.values.such"},
    ],
)
def test_a_remark_without_a_place_on_the_page_is_not_lost(place: dict[str, object]):
    document = page_with(said("still here", **place))
    assert document.index("What course staff say") < document.index("still here")


def test_a_hostile_remark_is_shown_and_does_nothing():
    parsed = Parsed(
        page_with(Remark(text=HOSTILE + "\n\nsecond", byline=HOSTILE, file="submission.py", line=1))
    )
    assert "script" not in {tag for tag, _ in parsed.elements}
    assert "<script>alert('x')</script>&amp;" in parsed.words
    assert "\u202e" not in parsed.words


def test_a_report_in_pieces_says_what_the_document_says():
    source = submitted()
    view = view_of(everything(), STUDENT, source=source)
    remarks = (said(file="submission.py", line=3),)
    parts = report_parts(view, source=source, heading=HEADING, remarks=remarks)
    document = render_report(view, source=source, heading=HEADING, remarks=remarks)
    for piece in (parts.masthead, parts.results, parts.code, parts.how):
        assert piece.strip() in document
