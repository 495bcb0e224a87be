"""Text that a program brought along, made harmless before it leaves the bench."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""`text` as printable ASCII: other characters escaped, control characters as spaces.

    >>> printable("caf\u00e9 \x1b[31m")
    'caf\\xe9  [31m'
    """
    ascii_only = text.encode("ascii", "backslashreplace").decode("ascii")
    return "".join(char if char.isprintable() else " " for char in ascii_only)
