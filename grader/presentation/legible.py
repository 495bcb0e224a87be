"""Output that can be read wherever it goes: terminals without Unicode, files, logs, pipes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

STAND_INS = str.maketrans(
    {"✓": "+", "✗": "x", "○": "-", "≈": "~", "…": "~", "·": "-", "─": "-", "╷": " ", "µ": "u", "≠": "!"}
    | {"\N{MINUS SIGN}": "-"}
)
"""One ASCII character for each sign of ours, so that columns stay aligned."""


class Legible:
    """A renderable whose signs fit the output's encoding, and whose lines carry no blanks at their ends.

    On a terminal nothing is changed but characters that it cannot show.
    """

    def __init__(self, renderable: RenderableType) -> None:
        self.renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        segments: Iterable[Segment] = console.render(self.renderable, options)
        if not options.encoding.lower().replace("-", "").startswith("utf"):
            segments = (_encodable(segment, options.encoding) for segment in segments)
        if console.is_terminal:
            yield from segments
            return
        for line in Segment.split_lines(segments):
            yield from _without_trailing_blanks(line)
            yield Segment.line()


def _encodable(segment: Segment, encoding: str) -> Segment:
    if segment.control:
        return segment
    text = segment.text.translate(STAND_INS).encode(encoding, "replace").decode(encoding)
    return Segment(text, segment.style)


def _without_trailing_blanks(line: list[Segment]) -> list[Segment]:
    kept = list(line)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(), kept[-1].style, kept[-1].control)
    return kept
