"""The shape of a line of code: what stays of it when its author's own words are taken out.

Lines that went wrong in the same way can then be found, whatever their variables are called.
"""

from __future__ import annotations

import keyword
import re

from grader.domain.submission import SubmittedFiles
from grader.domain.text import printable

SHAPE_LIMIT = 160

_TOKEN = re.compile(
    r"""(?P<comment>\#.*)
    |(?P<string>[A-Za-z]{0,2}(?:"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?))
    |(?P<number>\d[\w.]*)
    |(?P<attribute>\.\s*[^\W\d]\w*)
    |(?P<name>[^\W\d]\w*)
    |(?P<blank>\s+)
    |(?P<sign>.)""",
    re.VERBOSE,
)


def line_shape(line: str) -> str:
    """The line without names, numbers, texts, comments and blanks; attributes of modules and objects stay.

    >>> line_shape("    out = jnp.zeros((n, 3))  # room"), line_shape("y=np.zeros((rows, 128))")
    ('_=_.zeros((_,0))', '_=_.zeros((_,0))')
    >>> line_shape("for i in range(a.shape[0]):")
    'for _ in _(_.shape[0]):'
    """
    parts: list[str] = []
    for match in _TOKEN.finditer(line[: 8 * SHAPE_LIMIT]):
        part = _stand_in(match.lastgroup or "", match.group())
        if not part:
            continue
        if parts and _wordy(parts[-1][-1]) and _wordy(part[0]):
            parts.append(" ")
        parts.append(part)
    return printable("".join(parts), limit=SHAPE_LIMIT)


def shape_at(source: SubmittedFiles, line: int | None, *, file: str | None = None) -> str | None:
    """The shape of a 1-based line of a submitted file, by default of the main one; None if there is none."""
    texts = {item.name: item.text for item in source.files}
    text = texts.get(file or source.entry)
    lines = [] if text is None else text.split("\n")
    return line_shape(lines[line - 1]) if line is not None and 1 <= line <= len(lines) else None


def _stand_in(kind: str, text: str) -> str:
    match kind:
        case "comment" | "blank":
            return ""
        case "string":
            return "''"
        case "number":
            return "0"
        case "name":
            return text if keyword.iskeyword(text) else "_"
        case "attribute":
            return "".join(text.split())
        case _:
            return text


def _wordy(character: str) -> bool:
    return character.isalnum() or character in "_'"
