"""Pictures of every page: ``python -m tests.browser.screenshots [FOLDER] [--only NAME..]``.

The story is told first, by the same chapters as in the tests; then each page is taken whole, light and dark,
wide and narrow. Pictures of the same names are replaced.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.chromium import MISSING, chromium
from tests.browser.pages import PAGES
from tests.browser.people import DESKTOP, PHONE
from tests.browser.server import running_server
from tests.browser.stage import Stage, Story
from tests.browser.story import CHAPTERS

FOLDER = Path("build/screenshots")
SCHEMES = ("light", "dark")
WIDTHS = {"wide": DESKTOP, "narrow": PHONE}


def main(arguments: list[str]) -> int:
    """Return 0 when the pictures are taken, 1 when there is no Chromium."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help=f"by default {FOLDER}")
    parser.add_argument("--only", nargs="+", choices=PAGES, metavar="NAME", help="some pages instead of all")
    chosen = parser.parse_args(arguments)
    with chromium() as browser:
        if browser is None:
            print(f"No pictures: {MISSING}", file=sys.stderr)
            return 1
        count = take(browser, folder=chosen.folder, names=chosen.only or list(PAGES))
    print(f"{count} pictures are in {chosen.folder}.")
    return 0


def take(browser: Browser, *, folder: Path, names: list[str]) -> int:
    """Tell the story and take the pictures; how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, running_server(Path(home)) as server:
        print("Telling the story of a course ...")
        stage = Story(Stage(server=server, browser=browser), CHAPTERS).tell()
        return sum(_shoot(stage, name, folder=folder) for name in names)


def _shoot(stage: Stage, name: str, *, folder: Path) -> int:
    shown = PAGES[name]
    page = shown.person(stage).open(shown.path(stage))
    shown.prepare(page)
    for width, size in WIDTHS.items():
        page.set_viewport_size(size)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
    _as_before(page)
    print(f"  {name}")
    return len(WIDTHS) * len(SCHEMES)


def _as_before(page: Page) -> None:
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
