from pathlib import Path

import pytest

from grader.domain.catalogue import CODES
from grader.presentation.lesson import lesson_body, render_lesson
from tests.unit.presentation.test_html import Parsed


def test_headings_get_the_anchors_that_feedback_links_to():
    page = Parsed(render_lesson("# Core\n\n## PRNG keys\n\n## Tracing and `jit`\n", title="Core"))
    assert {"prng-keys", "tracing-and-jit"} <= set(page.attributes("id"))


def test_the_shipped_lesson_has_every_anchor_of_the_catalogue(project_root: Path):
    text = (project_root / "assignments/functional-core/lesson.md").read_text(encoding="utf-8")
    anchors = {f"#{name}" for name in Parsed(render_lesson(text, title="Core")).attributes("id")}
    assert {entry.lesson for entry in CODES.values() if entry.lesson} <= anchors


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
