"""What is asked of every page: no barriers, controls by keyboard, no sideways scroll, light, stillness."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

MOST_BYTES = 100_000
"""Of a page and everything it loads, images aside, as transferred to an empty cache."""
MOST_SHIFT = 0.02
"""Cumulative layout shift; browsers' makers call 0.1 good."""

_CONTROLS = """() => {
    const wanted = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
    const shown = { visibilityProperty: true, contentVisibilityAuto: true };
    const controls = [...document.querySelectorAll(wanted)].filter(
        (control) => !control.disabled && control.checkVisibility(shown));
    const name = (control) => control.outerHTML.slice(0, 160);
    window.unreached = new Set(controls);
    window.unseen = [];
    window.look = (event) => {
        window.unreached.delete(event.target);
        const style = getComputedStyle(event.target);
        const seen = style.outlineStyle !== "none" && style.outlineWidth !== "0px";
        if (!seen) window.unseen.push(name(event.target));
    };
    document.addEventListener("focusin", window.look);
    window.names = (found) => [...found].map(name);
    document.activeElement?.blur();
    // Each part of a date is a stop of its own: day, month, year, hour, minute, half, calendar.
    return controls.length + 7 * document.querySelectorAll("input[type=datetime-local]").length;
}"""
"""Makes ready for a walk by Tab; the number of stops."""


def barriers(page: Page, *, only: str = "") -> list[str]:
    """What axe-core objects to: rule, what it says, where. `only` names the one rule that is asked for."""
    page.evaluate(_axe())
    chosen: dict[str, Any] = {"resultTypes": ["violations"]}
    if only:
        chosen["runOnly"] = {"type": "rule", "values": [only]}
    found = page.evaluate(f"axe.run(document, {json.dumps(chosen)})")
    return [
        f"{item['id']}: {item['help']}: {node['html'][:200]} ({node['failureSummary']})"
        for item in found["violations"]
        for node in item["nodes"][:4]
    ]


def beyond_the_edge(page: Page) -> list[str]:
    """The elements that make a page scroll sideways; empty where it does not."""
    return list(
        page.evaluate(
            """() => {
                const width = document.documentElement.clientWidth;
                if (document.documentElement.scrollWidth <= width) return [];
                return [...document.body.querySelectorAll("*")]
                    .filter((element) => element.getBoundingClientRect().right > width + 1)
                    .filter((element) => !element.parentElement.closest(".scroll"))
                    .slice(0, 5).map((element) => element.outerHTML.slice(0, 160));
            }"""
        )
    )


def keyboard_troubles(page: Page) -> list[str]:
    """Controls that Tab never comes to, and those whose focus cannot be seen."""
    count = page.evaluate(_CONTROLS)
    for _ in range(count + 3):
        page.keyboard.press("Tab")
    unreached = page.evaluate("window.names(window.unreached)")
    unseen = page.evaluate("window.unseen")
    return [f"never reached: {name}" for name in unreached] + [f"focus not seen: {name}" for name in unseen]


def shift(page: Page) -> float:
    """How far the page has moved by itself since it was opened; no unit."""
    return float(page.evaluate("window.shifts.reduce((sum, one) => sum + one, 0)"))


@contextmanager
def weighed(page: Page) -> Iterator[dict[str, int]]:
    """Bytes by address of everything that is loaded meanwhile, images and streams aside, past the cache."""
    weights: dict[str, int] = {}
    kinds: dict[str, tuple[str, str]] = {}
    session = page.context.new_cdp_session(page)
    session.on(
        "Network.responseReceived",
        lambda event: kinds.update({event["requestId"]: (event["type"], event["response"]["url"])}),
    )

    def finished(event: dict[str, Any]) -> None:
        kind, url = kinds.get(event["requestId"], ("Other", "?"))
        if kind != "Image":
            weights[url] = int(event["encodedDataLength"])

    session.on("Network.loadingFinished", finished)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    yield weights
    session.detach()


@cache
def _axe() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
