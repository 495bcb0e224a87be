"""Finding a Chromium, fetching one where there is none, and starting it.

``python -m tests.browser.chromium`` fetches one. Where that fails, it says so, and tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


def main() -> int:
    """Fetch a Chromium unless there is one; 0 in any case, for tests say themselves what they lack."""
    with sync_playwright() as playwright:
        found = find_chromium(playwright)
    if found is None:
        print("No Chromium is here; fetching one ...", flush=True)
        done = subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
        if done.returncode:
            print(f"It could not be fetched: {MISSING}", file=sys.stderr)
    return 0


def _arguments() -> list[str]:
    # Chromium refuses to seal itself off for root, who tests often are in containers; it sees our pages only.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return ["--no-sandbox"] if root else []


if __name__ == "__main__":
    sys.exit(main())
