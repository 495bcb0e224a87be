"""Our own modules, out of the reach of an `import`: no work needs them, and to patch them hides what it does.

Whoever searches the interpreter's objects finds them all the same, and is pointed out to staff for it.
"""

from __future__ import annotations

import importlib.abc
import sys
import types

OURS = "grader"

hidden: dict[str, types.ModuleType] = {}
"""What was hidden, by name."""


class _Absent(importlib.abc.MetaPathFinder):
    """Says that there is no such package, as on a machine that has none."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Nothing; ModuleNotFoundError for what is ours."""
        del path, target
        if fullname.partition(".")[0] == OURS:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def hide() -> None:
    """Hide our modules, and the one that this process began with, from what is imported from now on."""
    for name in [name for name in sys.modules if name.partition(".")[0] == OURS]:
        hidden[name] = sys.modules.pop(name)
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.meta_path.insert(0, _Absent())
