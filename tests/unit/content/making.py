"""Uploads for tests: archives with hostile members, notebooks, and an honest submission to put into them."""

from __future__ import annotations

import io
import json
import stat
import struct
import warnings
import zipfile
from collections.abc import Sequence

HONEST = b"""import jax.numpy as jnp


def normalize(x):
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
"""

Entry = tuple[str | zipfile.ZipInfo, bytes]


def zipped(*entries: Entry, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of these members, duplicates and all."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", method) as archive:
        warnings.simplefilter("ignore")  # duplicate names are the point of some tests
        for name, data in entries:
            archive.writestr(name, data)
    return buffer.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    """The head of a member that is not a regular file, such as `stat.S_IFLNK`."""
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (mode | 0o777) << 16
    return info


def link(name: str, target: str = "/etc/passwd") -> Entry:
    return special(name, stat.S_IFLNK), target.encode()


def with_directory_field(data: bytes, *, offset: int, value: int, width: str = "<I") -> bytes:
    """The archive with one field of its last directory entry overwritten, counted from its signature."""
    patched = bytearray(data)
    at = data.rfind(b"PK\x01\x02") + offset
    patched[at : at + struct.calcsize(width)] = struct.pack(width, value)
    return bytes(patched)


def code_cell(source: str | list[str], run_as: int | None = None) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "execution_count": run_as, "outputs": []}


def markdown_cell(source: str = "Some words.") -> dict[str, object]:
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def notebook(*cells: dict[str, object] | str, language: str | None = "python") -> bytes:
    """A notebook in format 4; a text stands for a code cell that holds it."""
    metadata = {"kernelspec": {"language": language}} if language else {}
    whole: Sequence[dict[str, object]] = [code_cell(c) if isinstance(c, str) else c for c in cells]
    return json.dumps({"cells": whole, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()
