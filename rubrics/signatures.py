"""Whether a function as found can be called as its assignment says."""

from __future__ import annotations

from typing import Any

from grader.engine.session import FunctionFound


def arity_problem(found: FunctionFound, positional: int, names: tuple[str, ...]) -> str | None:
    """The signature as found, if it cannot take this call; None if it can, or cannot be told."""
    if found.parameters is None:
        return None
    by_position = [
        entry for entry in found.parameters if entry[1] in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")
    ]
    kinds: set[Any] = {kind for _, kind, _ in found.parameters}
    too_many = positional > len(by_position) and "VAR_POSITIONAL" not in kinds
    missing = [
        name
        for index, (name, kind, has_default) in enumerate(found.parameters)
        if not has_default
        and not kind.startswith("VAR_")
        and not (index < positional and kind != "KEYWORD_ONLY")
        and name not in names
    ]
    known = {name for name, _, _ in found.parameters}
    unknown = [name for name in names if name not in known and "VAR_KEYWORD" not in kinds]
    if not (too_many or missing or unknown):
        return None
    return f"({', '.join(name for name, _, _ in found.parameters)})"
