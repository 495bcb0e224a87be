"""Finding a Chromium, and starting it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Playwright, sync_playwright

VARIABLE = "GRADER_TEST_CHROMIUM"
"""Names a Chromium for these tests, before any other that could be found."""

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
MISSING = (
    "no Chromium was found. Install one (Debian: apt-get install chromium; anywhere: "
    f".venv/bin/python -m playwright install chromium), or name one in {VARIABLE}."
)


def find_chromium(playwright: Playwright) -> Path | None:
    """The one that is named, on the PATH, or that Playwright has fetched; None where there is none."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    for name in _NAMES:
        if found := shutil.which(name):
            return Path(found)
    fetched = Path(playwright.chromium.executable_path)
    return fetched if fetched.is_file() else None


@contextmanager
def chromium() -> Iterator[Browser | None]:
    """A running Chromium; None where there is none."""
    with sync_playwright() as playwright:
        path = find_chromium(playwright)
        if path is None:
            yield None
            return
        browser = playwright.chromium.launch(executable_path=path, args=_arguments())
        try:
            yield browser
        finally:
            browser.close()


def _arguments() -> list[str]:
    # Chromium refuses to seal itself off for root, who tests often are in containers; it sees our pages only.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return ["--no-sandbox"] if root else []
