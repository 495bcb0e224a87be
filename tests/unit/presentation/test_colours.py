"""Every colour of text is readable on every ground it stands on, in light and in dark (WCAG AA: 4.5 to 1)."""

import re
from importlib.resources import files

import pytest

CSS = files("grader.presentation").joinpath("static/report.css").read_text(encoding="utf-8")
PAIRS = [
    *((text, ground) for text in ("text", "soft", "link") for ground in ("page", "card", "sunk")),
    *((text, "mark") for text in ("text", "link", "keyword", "string", "comment", "number", "name")),
    *((text, "sunk") for text in ("keyword", "string", "comment", "number", "name")),
    ("good", "good-wash"),
    ("bad", "bad-wash"),
    ("calm", "calm-wash"),
    ("text", "bad-wash"),
    ("bad", "card"),
    ("bad", "sunk"),
]


def palettes() -> dict[str, dict[str, str]]:
    blocks = re.findall(r":root\s*\{(.*?)\}", CSS, re.DOTALL)
    colours = [dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", block)) for block in blocks]
    return dict(zip(("light", "dark", "print"), colours, strict=True))


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize("text,ground", PAIRS)
def test_text_has_enough_contrast(theme: str, text: str, ground: str):
    palette = palettes()[theme]
    light, dark = sorted((luminance(palette[text]), luminance(palette[ground])), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_all_themes_define_the_same_colours():
    light, dark, printed = palettes().values()
    assert light.keys() == dark.keys() == printed.keys()
    assert set(re.findall(r"var\(--([\w-]+)\)", CSS)) <= light.keys()
