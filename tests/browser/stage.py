"""Where a story is told: the server, the people, and what earlier chapters leave for later ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser

from tests.browser.people import Person, sit_down
from tests.browser.server import Server


@dataclass(kw_only=True)
class Stage:
    """The world of one story."""

    server: Server
    browser: Browser
    people: dict[str, Person] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    """By login: the address by which somebody comes in."""
    submissions: dict[str, str] = field(default_factory=dict)
    """By login: the path of the newest submission; of others with what they are."""
    plan: str = ""
    """The path of the regrade."""

    def arrives(self, login: str, name: str, **options: Any) -> Person:  # noqa: ANN401 - of a browser context
        """Somebody sits down before a fresh browser."""
        person = sit_down(self.browser, self.server.url, login=login, name=name, **options)
        self.people[login] = person
        return person

    def troubles(self) -> list[str]:
        """What pages complained about since this was last asked."""
        found = [f"{person.login}: {text}" for person in self.people.values() for text in person.troubles]
        for person in self.people.values():
            person.troubles.clear()
        return found


Chapter = Callable[[Stage], None]


class Story:
    """Chapters, each told once, and never before those that it goes on from."""

    def __init__(self, stage: Stage, chapters: Sequence[Chapter]) -> None:
        self.stage = stage
        self._chapters = chapters
        self._ends: dict[Chapter, BaseException | None] = {}

    def tell(self, until: Chapter | None = None) -> Stage:
        """Tell what has not been told yet, up to and with one chapter; of what went wrong, say so again."""
        for chapter in self._chapters:
            if chapter not in self._ends:
                self._ends[chapter] = self._try(chapter)
            if (error := self._ends[chapter]) is not None:
                raise error
            if chapter is until:
                break
        return self.stage

    def _try(self, chapter: Chapter) -> BaseException | None:
        try:
            chapter(self.stage)
            troubles = self.stage.troubles()
            assert troubles == [], f"pages complained: {troubles}"
        except Exception as error:  # noqa: BLE001 - whatever it is, later chapters have to say it, too
            return error
        return None


def by_title(chapters: Sequence[Chapter]) -> Mapping[str, Chapter]:
    """Chapters by the sentences that their docstrings begin with."""
    return {(chapter.__doc__ or "").splitlines()[0].rstrip("."): chapter for chapter in chapters}
