from pathlib import Path

import pytest

from grader.domain.catalogue import CODES
from grader.domain.lessons import pointing_into
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Verdict
from grader.domain.view import Audience, Reader, view_of
from grader.presentation.headings import anchors_in
from grader.presentation.html import Heading, render_report
from grader.presentation.lesson import lesson_body, render_lesson
from tests.builders import a_check, an_attempt
from tests.unit.presentation.test_html import Parsed

STUDENT = Reader(audience=Audience.STUDENT)
NOTHING = SubmittedFiles(entry="submission.py", files=())


def test_headings_get_the_anchors_that_feedback_links_to():
    page = Parsed(render_lesson("# Core\n\n## PRNG keys\n\n## Tracing and `jit`\n", title="Core"))
    assert {"prng-keys", "tracing-and-jit"} <= set(page.attributes("id"))


def shipped(root: Path) -> list[Path]:
    return sorted((root / "assignments").glob("*/lesson.md"))


def test_a_report_links_into_each_shipped_lesson_where_it_has_the_heading_and_nowhere_else(
    project_root: Path,
):
    codes = [entry.code for entry in CODES.values() if entry.lesson]
    checks = [a_check(f"f.values.c{n}", Verdict.FAILED, code=code) for n, code in enumerate(codes)]
    view = view_of(an_attempt(*checks), STUDENT)
    assert len(shipped(project_root)) == 2
    for path in shipped(project_root):
        text = path.read_text(encoding="utf-8")
        there = {f"#{name}" for name in Parsed(render_lesson(text, title="x")).attributes("id")}
        heading = Heading(title="x", lesson_url="lesson.html")
        report = render_report(pointing_into(view, anchors_in(text)), source=NOTHING, heading=heading)
        links = [href for href in Parsed(report).attributes("href") if href.startswith("lesson.html")]
        taught = [CODES[code].lesson for code in codes if CODES[code].lesson in there]
        assert links == [f"lesson.html{anchor}" for anchor in taught]
        assert report.count("Lesson: ") == len(taught)


def test_the_first_lesson_teaches_every_topic_of_the_catalogue(project_root: Path):
    text = (project_root / "assignments/functional-core/lesson.md").read_text(encoding="utf-8")
    assert {entry.lesson for entry in CODES.values() if entry.lesson} <= anchors_in(text)


def test_tables_and_code_are_rendered():
    page = Parsed(render_lesson("| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```\n", title="x"))
    assert {"table", "pre", "code"} <= {tag for tag, _ in page.elements}


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "[x](javascript:alert(1))", "![x](http://a/b.png)"]
)
def test_a_lesson_cannot_bring_scripts(text: str):
    page = Parsed(render_lesson(text, title="<script>"))
    assert not [tag for tag, _ in page.elements if tag == "script"]
    assert not [href for href in page.attributes("href") if href.startswith("javascript")]


def test_inside_a_page_with_a_title_the_headings_are_one_level_lower():
    body = lesson_body("# Core\n\n###### Deep\n", under=1)
    assert '<h2 id="core">' in body
    assert "<h1" not in body
    assert '<h6 id="deep">' in body


def test_wide_things_scroll_in_boxes_that_the_keyboard_reaches():
    body = lesson_body("```py\nx\n```\n\n    y\n\n| a |\n|---|\n| 1 |\n")
    assert body.count('<pre tabindex="0">') == 2
    assert '<div class="scroll" tabindex="0">\n<table>' in body
    assert body.count("</table>\n</div>") == 1
