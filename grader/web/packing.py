"""A file carried by a page from one form to the next: nothing is kept of what nobody has confirmed."""

from __future__ import annotations

import base64
import binascii
import zlib

from grader.domain.errors import InvalidInput


def pack(data: bytes) -> str:
    """Bytes as a text for a hidden field."""
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def unpack(text: str, *, most: int, field: str) -> bytes:
    """What `pack` packed; InvalidInput for anything else, and for more than `most` bytes."""
    try:
        packed = base64.b64decode(text, validate=True)
        worker = zlib.decompressobj()
        data = worker.decompress(packed, most)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise InvalidInput(field, "it did not come back whole.", "Choose the file again.") from error
    if worker.unconsumed_tail or not worker.eof:
        raise InvalidInput(field, "it did not come back whole.", "Choose the file again.")
    return data
