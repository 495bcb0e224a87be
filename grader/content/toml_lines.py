"""Where a key of a TOML text stands: `tomllib` tells what a text holds, not on which line."""

from __future__ import annotations

import re
from collections import Counter

_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(#.*)?")


def line_of_key(text: str, *, table: str, key: str) -> int | None:
    r"""The 1-based line of a key, else of its table's header; None if neither is found.

    `table` is written as in messages: empty for the top, ``mutants[2]`` for the second of a list.

    >>> line_of_key("a = 1\n[[m]]\nb = 1\n[[m]]\nb = 2\n", table="m[2]", key="b")
    5
    """
    wanted = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]""")
    here, header_line = "", None
    seen: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.fullmatch(line):
            brackets, name = header.group(1), header.group(2)
            seen[name] += 1
            here = f"{name}[{seen[name]}]" if brackets == "[[" else name
            opens = here == table or (not table and name == key)
            header_line = number if opens and header_line is None else header_line
        elif here == table and wanted.match(line):
            return number
    return header_line
