"""Pictures of every page: ``python -m tests.browser.screenshots [FOLDER] [--only NAME..] [--docs]``.

The story is told first, by the same chapters as in the tests; then each page is taken whole, light and dark,
wide and narrow. Pictures of the same names are replaced.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.chromium import MISSING, chromium
from tests.browser.pages import PAGES
from tests.browser.people import DESKTOP, PHONE
from tests.browser.server import running_server
from tests.browser.stage import Stage, Story
from tests.browser.story import CHAPTERS
from tests.browser.terminals import shoot_check

FOLDER = Path("build/screenshots")
DOCS = Path("docs/images")
IN_DOCS = ("student-assignment", "student-report", "review", "results", "regrade")
"""Pages of which the documentation shows the upper part, wide and light."""

SCHEMES = ("light", "dark")
WIDTHS = {"wide": DESKTOP, "narrow": PHONE}


def main(arguments: list[str]) -> int:
    """Return 0 when the pictures are taken, 1 when there is no Chromium."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help=f"by default {FOLDER}")
    parser.add_argument("--only", nargs="+", choices=PAGES, metavar="NAME", help="some pages instead of all")
    parser.add_argument("--docs", action="store_true", help=f"those of the documentation, into {DOCS}")
    chosen = parser.parse_args(arguments)
    folder = DOCS if chosen.docs else chosen.folder
    with chromium() as browser:
        if browser is None:
            print(f"No pictures: {MISSING}", file=sys.stderr)
            return 1
        folder.mkdir(parents=True, exist_ok=True)
        with told(browser) as stage:
            if chosen.docs:
                count = sum(_shoot_for_docs(stage, name) for name in IN_DOCS) + 1
                shoot_check(DOCS / "check.svg")
            else:
                count = sum(_shoot(stage, name, folder=folder) for name in chosen.only or PAGES)
    print(f"{count} pictures are in {folder}.")
    return 0


@contextmanager
def told(browser: Browser) -> Iterator[Stage]:
    """The story, all of it, on a server of its own."""
    with tempfile.TemporaryDirectory() as home, running_server(Path(home)) as server:
        print("Telling the story of a course ...")
        yield Story(Stage(server=server, browser=browser), CHAPTERS).tell()


def _shoot_for_docs(stage: Stage, name: str) -> int:
    page = _opened(stage, name)
    page.screenshot(path=DOCS / f"{name}.png")
    return 1


def _shoot(stage: Stage, name: str, *, folder: Path) -> int:
    page = _opened(stage, name)
    for width, size in WIDTHS.items():
        page.set_viewport_size(size)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
    _as_before(page)
    print(f"  {name}")
    return len(WIDTHS) * len(SCHEMES)


def _opened(stage: Stage, name: str) -> Page:
    shown = PAGES[name]
    page = shown.person(stage).open(shown.path(stage))
    shown.prepare(page)
    return page


def _as_before(page: Page) -> None:
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
