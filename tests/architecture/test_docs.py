"""The documentation points at things that exist: files, headings, and commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.modules import ROOT
from tests.architecture.test_deployment import command_words

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "assignments").rglob("*.md")]

LINK = re.compile(r"\[[^\]]*\]\((?!https?://|mailto:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^|`|\$ |bin/)grader ((?:[a-z]+ ?){1,2})", re.MULTILINE)


def slug(heading: str) -> str:
    """The anchor that Markdown renderers give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE)}


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_leads_somewhere_in(page: Path) -> None:
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = []
    for link in LINK.finditer(prose):
        target = (page.parent / link["path"]).resolve() if link["path"] else page
        if not target.exists() or (link["anchor"] and link["anchor"] not in anchors(target)):
            broken.append(link[0])
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_grader_command_exists_in(page: Path) -> None:
    words = command_words()
    groups = {word.split()[0] for word in words}
    named = {match[1].strip() for match in COMMAND.finditer(page.read_text(encoding="utf-8"))}
    assert {name for name in named if name not in words | groups and name.split()[0] not in words} == set()
