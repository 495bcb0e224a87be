"""Where a text names somebody, and the text with that covered.

People write their names in many ways: José Müller also as jose_mueller, JoseMueller and muller2, and with the
marks apart from their letters. So accents are taken off name and text alike before they are compared, and
umlauts count with an e, too. Words of the language stay: somebody called Max must not make `max` unreadable.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable

COVER = "•••"

SHORTEST_PART = 3
"""Letters from which a part of a name is covered by itself."""
_SHORTEST_INSIDE = 4
"""Letters from which that is so next to digits and inside of words in humps, too: Ada leaves AdaGrad."""

_LANGUAGE = frozenset({*dir(builtins), *keyword.kwlist, *keyword.softkwlist})

_PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d"}
    | {"Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "\u0131": "i"}
)
"""Letters that Unicode does not take apart."""
_WITH_E = {"ä": "a", "ö": "o", "ü": "u", "ø": "o"}

_BETWEEN = r"(?:[^\w\r\n]|_){0,3}"
"""What may stand between the parts of a name: on one line, since lines stay lines."""
_NO_WORD_BEFORE, _NO_WORD_AFTER = r"(?<![^\W_])", r"(?![^\W_])"
_NO_LETTER_BEFORE = r"(?:(?<![^\W\d_])|(?=(?-i:[A-Z][a-z])))"
_NO_LETTER_AFTER = r"(?:(?![^\W\d_])|(?<=(?-i:[a-z]))(?=(?-i:[A-Z])))"


def naming(name: str, *, words: Iterable[str]) -> re.Pattern[str] | None:
    """What finds a name, whole and in parts, and other words for one person, in a text made plain.

    None where there is nothing to find. Parts of one or two letters name nobody by themselves.
    """
    parts = [part for part in re.split(r"[\W_]+", unicodedata.normalize("NFC", name)) if part]
    found = [_spelled(word.strip()) for word in words if word.strip()]
    if len(parts) > 1:
        found += [_BETWEEN.join(map(_spelled, order)) for order in (parts, parts[::-1])]
    whole = [_spelled(part) for part in parts if len(part) >= SHORTEST_PART or len(parts) == 1]
    inside = [_spelled(part) for part in parts if len(part) >= _SHORTEST_INSIDE]
    alone = _either([*found, *whole], _NO_WORD_BEFORE, _NO_WORD_AFTER)
    among = _either(inside, _NO_LETTER_BEFORE, _NO_LETTER_AFTER)
    both = "|".join(filter(None, (alone, among)))
    return re.compile(both, re.IGNORECASE) if both else None


def covered(text: str, pattern: re.Pattern[str]) -> str:
    """The text with what the pattern finds covered.

    >>> covered("# Zoë, ZOE, zoe_1", re.compile("zoe", re.IGNORECASE))
    '# •••, •••, •••_1'
    """
    if text.isascii():
        return pattern.sub(_cover, text)
    plain, origins = _made_plain(text)
    shown, after = [], 0
    for match in pattern.finditer(plain):
        first, end = origins[match.start()], origins[match.end()]
        if match.start() < match.end() and first >= after:
            shown += [text[after:first], COVER if _names(match.group()) else text[first:end]]
            after = end
    return "".join([*shown, text[after:]])


def _either(words: Iterable[str], before: str, after: str) -> str:
    """A pattern for any of the words, the longest first; empty where there are none."""
    longest_first = "|".join(sorted(dict.fromkeys(filter(None, words)), key=len, reverse=True))
    return f"{before}(?:{longest_first}){after}" if longest_first else ""


def _spelled(word: str) -> str:
    """A pattern for the spellings of a word, in plain letters."""
    return "".join(_letter(letter) for letter in unicodedata.normalize("NFC", word))


def _letter(letter: str) -> str:
    plain = re.escape(_plain(letter))
    return f"{plain}e?" if letter.lower() in _WITH_E else plain


def _made_plain(text: str) -> tuple[str, list[int]]:
    """The text in plain letters; for each of them, and for the end, where in the text it comes from.

    Marks belong to the letter before them, so that what follows a name begins after its last mark.
    """
    plain: list[str] = []
    origins: list[int] = []
    for index, letter in enumerate(text):
        letters = letter if letter.isascii() else _plain(letter)
        plain.append(letters)
        origins += [index] * len(letters)
    return "".join(plain), [*origins, len(text)]


def _plain(letter: str) -> str:
    apart = unicodedata.normalize("NFKD", letter.translate(_PLAIN))
    return "".join(each for each in apart if not unicodedata.combining(each))


def _cover(match: re.Match[str]) -> str:
    return COVER if _names(match.group()) else match.group()


def _names(word: str) -> bool:
    return word not in _LANGUAGE
