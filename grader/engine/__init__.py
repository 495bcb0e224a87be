"""Grades one submission on this machine; knows no database and no queue."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.engine.supervisor import Engine

__all__ = ["Engine"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attribute
    # Importing any part of this package runs this file, also in the candidate, which must load the
    # protocol alone.
    if name == "Engine":
        from grader.engine.supervisor import Engine  # noqa: PLC0415 - as above

        return Engine
    raise AttributeError(name)
