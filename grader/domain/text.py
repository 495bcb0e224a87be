r"""Text written by strangers, made safe to show: in a terminal, on a page, in a log, in a spreadsheet.

Whatever a student wrote or printed may hold escape sequences, direction overrides, NUL bytes or lone
surrogates. Every such character is shown as Python would write it (``\x1b``, ``\u202e``), so nothing acts and
nothing is lost. Markup is not escaped here: that is the renderer's job, and depends on where the text goes.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable

ELLIPSIS = "…"

_ORDINARY = re.compile(r"[ -~\n\t]*")
_SUSPECT = re.compile(r"[^ -~\n\t]")
_JOINERS = "\u200c\u200d"
"""Invisible, but Persian and emoji cannot be written without them, and they change nothing else."""

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - full-width on purpose
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(/\d+)?([eE][+-]?\d+)?")


def printable(text: str, *, limit: int | None = None) -> str:
    r"""Text in which nothing acts: every character that is not plainly visible becomes its Python escape.

    Newline and tab stay, and the two characters of a Windows line end count as one newline. With `limit` the
    result has at most that many characters and ends in an ellipsis where something was cut off.

    >>> printable("\x1b[31mred\x00")
    '\\x1b[31mred\\x00'
    """
    text = text.replace("\r\n", "\n")
    if limit is not None and len(text) > limit:
        return _cut(_escaped(text[: max(limit, 0)]) + ELLIPSIS, limit)
    escaped = _escaped(text)
    return escaped if limit is None else _cut(escaped, limit)


def mid_sentence(title: str) -> str:
    """A title as it stands inside a sentence; a word in capitals keeps them.

    >>> mid_sentence("Tracing and speed"), mid_sentence("PRNG keys")
    ('tracing and speed', 'PRNG keys')
    """
    first = title.partition(" ")[0]
    return title if len(first) > 1 and first.isupper() else title[:1].lower() + title[1:]


def one_line(text: str, limit: int = 200) -> str:
    r"""Printable text on one line, runs of blanks made single, at most `limit` characters.

    >>> one_line("  a\n\n b  ")
    'a b'
    """
    # What is cut here cannot show: an escape only makes text longer, and blanks are dropped again below.
    head = text[: 8 * limit + 1]
    cut = len(head) < len(text)
    words = " ".join(printable(head).split())
    return _cut(words + ELLIPSIS, limit) if cut else _cut(words, limit)


def head_and_tail(text: str, limit: int) -> str:
    """The first and the last lines of a long text, with a line between them that says how much is left out.

    The result has at most `limit` characters; a text that fits is returned as it is. Cuts fall on line ends
    where that costs less than half of a part.
    """
    if len(text) <= limit:
        return text
    marker = f"\n{ELLIPSIS} {{:,}} characters left out {ELLIPSIS}\n"
    room = limit - len(marker.format(len(text)))
    if room < 2:  # noqa: PLR2004 - one character for each side
        return _cut(text, limit)
    head = _up_to_last_line_end(text[: room - room // 2])
    tail = _from_first_line_start(text[len(text) - room // 2 :])
    return head + marker.format(len(text) - len(head) - len(tail)) + tail


def csv_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula. Plain numbers, negative ones too, stay numbers.

    >>> csv_cell("=1+1"), csv_cell("-3.5")
    ("'=1+1", '-3.5')
    """
    if _PLAIN_NUMBER.fullmatch(text):
        return text
    shown = printable(text)
    acts = text.startswith(_FORMULA_STARTS) or text.lstrip().startswith(_FORMULA_STARTS)
    return f"'{shown}" if acts else shown


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """A sentence that names the closest of `choices`, or an empty text when none is close.

    >>> did_you_mean("titles", ["title", "slug"])
    "Did you mean 'title'?"
    """
    close = difflib.get_close_matches(word, list(choices), n=1, cutoff=0.6)
    return f"Did you mean {close[0]!r}?" if close else ""


def listing(names: Iterable[str], *, at_most: int = 5, each: int = 60) -> str:
    """Names in one readable phrase, each printable and bounded, the rest counted.

    >>> listing(["a.py", "b.py", "c.py"], at_most=2)
    'a.py, b.py and 1 more'
    """
    shown = [one_line(name, each) for name in names]
    head, rest = shown[:at_most], len(shown) - at_most
    return f"{', '.join(head)} and {rest:,} more" if rest > 0 else ", ".join(head)


def has_hidden_characters(text: str) -> bool:
    """Whether `printable` would show some character of the text as an escape."""
    return _escaped(text) != text


def _escaped(text: str) -> str:
    if _ORDINARY.fullmatch(text):
        return text
    return _SUSPECT.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character.isprintable() or character in _JOINERS or unicodedata.category(character) == "Zs":
        return character
    return character.encode("unicode_escape").decode("ascii")


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: max(limit - 1, 0)] + ELLIPSIS[: max(limit, 0)]


def _up_to_last_line_end(part: str) -> str:
    at = part.rfind("\n")
    return part[:at] if at > len(part) // 2 else part


def _from_first_line_start(part: str) -> str:
    at = part.find("\n")
    return part[at + 1 :] if 0 <= at < len(part) // 2 else part
