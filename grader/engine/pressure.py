"""How busy the machine is, as the kernel tells it. A sealed box cannot ask: whoever judges does."""

from __future__ import annotations

from pathlib import Path

_CPU = Path("/proc/pressure/cpu")


def cpu_pressure(told_by: Path = _CPU) -> float | None:
    """Share of the last ten seconds in which something waited for a CPU; None where it is not told."""
    try:
        fields = told_by.read_text(encoding="ascii").split()
        share = next(field for field in fields if field.startswith("avg10="))
        return float(share.removeprefix("avg10=")) / 100
    except (OSError, StopIteration, ValueError):
        return None
