"""People before browsers of their own, which keep whatever a page complains about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.web import PASSWORD

PATIENCE_MS = 60_000
"""For whatever only needs a page to load; machines that test are busy."""
GRADED_MS = 240_000
"""For whatever waits for a worker."""

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}

WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });
"""
"""Every page keeps how far it moves by itself."""

expect.set_options(timeout=PATIENCE_MS)


@dataclass(kw_only=True)
class Person:
    """Somebody with a browser. `troubles` are of pages: of scripts, of the policy, of missing files."""

    login: str
    name: str
    context: BrowserContext
    page: Page
    troubles: list[str] = field(default_factory=list)
    _expected: bool = False

    def open(self, path: str) -> Page:
        """Go to an address of the site and wait until it is all there."""
        self.page.goto(path, wait_until="load")
        return self.page

    def fill(self, **values: str) -> None:
        """Write into fields by their names."""
        for name, value in values.items():
            self.page.locator(f"[name={name}]:visible").fill(value)

    def press(self, words: str) -> None:
        """Press the button with exactly these words, and wait for the page that follows."""
        with self.page.expect_navigation(wait_until="load"):
            self.page.get_by_role("button", name=words, exact=True).click()

    def follow(self, words: str) -> None:
        """Follow the link with exactly these words."""
        with self.page.expect_navigation(wait_until="load"):
            self.page.get_by_role("link", name=words, exact=True).click()

    def log_in(self, password: str = PASSWORD) -> None:
        """Log in by the form."""
        self.open("/login")
        self.fill(name=self.login, password=password)
        self.press("Log in")

    @contextmanager
    def a_refusal(self) -> Iterator[None]:
        """While it lasts, the site is expected to answer that something is wrong."""
        self._expected = True
        yield
        self._expected = False

    def heard(self, message: ConsoleMessage) -> None:
        """Keep what the console says, unless it repeats a refusal that is wanted."""
        refused = "Failed to load resource" in message.text and self._expected
        if message.type in ("error", "warning") and not refused:
            self.troubles.append(f"{self.page.url}: {message.text}")

    def broke(self, error: Any) -> None:  # noqa: ANN401 - Playwright's error
        """Keep what a script has thrown."""
        self.troubles.append(f"{self.page.url}: {error}")


def sit_down(browser: Browser, url: str, *, login: str, name: str, **options: Any) -> Person:  # noqa: ANN401
    """Somebody with a fresh browser; `options` are those of its context."""
    settings = {"base_url": url, "viewport": DESKTOP, "locale": "en-GB", "timezone_id": "Europe/Zurich"}
    context = browser.new_context(**{**settings, **options})
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(WATCH_SHIFTS)
    page = context.new_page()
    person = Person(login=login, name=name, context=context, page=page)
    page.on("console", person.heard)
    page.on("pageerror", person.broke)
    return person
