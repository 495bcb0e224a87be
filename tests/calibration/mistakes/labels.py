"""What is said of each mistake, read from the comments beside it.

In a file of `submissions/`, a comment such as ``# values.differ`` names the feedback code that its line must
get; ``# m19: ...`` outside of functions says which mistake the line belongs to. A function without such a
comment is right, or right as far as a suite that does not forbid it can say: nothing may be lost for it.
The docstring names the public report that the mistake comes from.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
COURSE = HERE / "course"
SUBMISSIONS = HERE / "submissions"

_LABEL = re.compile(r"# (?:(?P<number>[a-z]\d\d): )?(?P<codes>[a-z]+\.[a-z_]+(?:, [a-z]+\.[a-z_]+)*)$")

Said = frozenset[tuple[str, int | None]]
"""Feedback codes with their lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A function, the file it is submitted in, and all that should be said about it."""

    function: str
    path: Path
    source: str
    expected: Said

    @property
    def number(self) -> str:
        return self.function.partition("_")[0]


@cache
def mistakes() -> tuple[Mistake, ...]:
    """All of them, by number."""
    found = [mistake for path in sorted(SUBMISSIONS.glob("*.py")) for mistake in _of_file(path)]
    return tuple(sorted(found, key=lambda mistake: mistake.function))


def _of_file(path: Path) -> list[Mistake]:
    text = path.read_text(encoding="utf-8")
    functions = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and re.match(r"m\d\d_", node.name)
    ]
    return [
        Mistake(
            function=node.name,
            path=path,
            source=(ast.get_docstring(node) or "").rstrip("."),
            expected=frozenset((code, line) for line, code in labels_of(text, node)),
        )
        for node in functions
    ]


def labels_of(text: str, node: ast.FunctionDef) -> list[tuple[int, str]]:
    """(line, code) of everything that a text says of one of its functions."""
    return [
        (line, code)
        for line, number, codes in _labels(text)
        for code in codes
        if _belongs(node, line=line, number=number)
    ]


def _belongs(node: ast.FunctionDef, *, line: int, number: str | None) -> bool:
    if number is not None:
        return node.name.startswith(f"{number}_")
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _labels(text: str) -> list[tuple[int, str | None, list[str]]]:
    """(line, number of the mistake or None, codes) of each comment that is a label."""
    comments = (
        token
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    )
    return [
        (token.start[0], found["number"], found["codes"].split(", "))
        for token in comments
        if (found := _LABEL.match(token.string)) is not None
    ]
