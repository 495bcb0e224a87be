"""Receipts that prove themselves: what was handed in, by whom and when, signed by the server.

The signature is Ed25519 (RFC 8032) over the receipt as canonical JSON: keys sorted, no blanks, ASCII. The key
is derived from the server's secret by HKDF-SHA256 (RFC 5869), so it is the same for as long as the secret is,
and nothing more has to be kept. Verifying needs the public key and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from grader.domain.errors import InvalidInput, ReceiptInvalid
from grader.domain.strict_json import JsonObject
from grader.domain.text import one_line

FORMAT = "grader-receipt/1"
KEY_BYTES = 32
LONGEST_DOCUMENT = 1 << 20
"""Bytes of a receipt that are read at most; it names a hundred files, and holds none of them."""

_PURPOSE = b"grader receipt key, version 1"
_SIGNED = b"grader receipt, version 1\0"
_KEY_ID_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """The server's key for receipts."""

    private: Ed25519PrivateKey

    @property
    def public(self) -> PublicKey:
        return PublicKey(raw=self.private.public_key().public_bytes_raw())


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """What receipts are verified with: 32 bytes."""

    raw: bytes

    @property
    def text(self) -> str:
        """The key as people pass it on: 64 hexadecimal digits."""
        return self.raw.hex()

    @property
    def id(self) -> str:
        """A short name of the key."""
        return hashlib.sha256(self.raw).hexdigest()[:_KEY_ID_DIGITS]


def signing_key(secret: bytes) -> SigningKey:
    """The key that belongs to a server's secret."""
    seed = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=_PURPOSE).derive(secret)
    return SigningKey(private=Ed25519PrivateKey.from_private_bytes(seed))


def public_key(text: str) -> PublicKey:
    """A key from its hexadecimal digits; InvalidInput if it is none."""
    try:
        raw = bytes.fromhex(text.strip())
    except ValueError:
        raw = b""
    if len(raw) != KEY_BYTES:
        raise InvalidInput(
            "key",
            f"{one_line(text, 80)!r} is no receipt key.",
            "It has 64 hexadecimal digits; the server shows it at /.well-known/grader-receipt-key.",
        )
    return PublicKey(raw=raw)


def sign(receipt: JsonObject, *, key: SigningKey) -> JsonObject:
    """The receipt with its signature and the name of the key."""
    signature = key.private.sign(_canonical(receipt))
    return {
        "format": FORMAT,
        "receipt": receipt,
        "key_id": key.public.id,
        "signature": base64.b64encode(signature).decode("ascii"),
    }


def file_name(document: Mapping[str, Any]) -> str:
    """What a receipt is called as a file, wherever it is downloaded: `functional-core-2-receipt.json`."""
    receipt = document.get("receipt")
    said = receipt if isinstance(receipt, dict) else {}
    return f"{said.get('assignment', 'submission')}-{said.get('number', 1)}-receipt.json"


def parse(data: bytes) -> JsonObject:
    """A signed receipt as it lies in a file; ReceiptInvalid if it is none."""
    if len(data) > LONGEST_DOCUMENT:
        raise ReceiptInvalid("this is no receipt: it is much too large.")
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ReceiptInvalid("this is no receipt: it is not JSON.") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ReceiptInvalid(f"this is no receipt: it does not say {FORMAT!r}.")
    if not isinstance(document.get("receipt"), dict) or not isinstance(document.get("signature"), str):
        raise ReceiptInvalid("this is no complete receipt: its contents or its signature is missing.")
    return document


def verify(document: Mapping[str, Any], *, key: PublicKey) -> Mapping[str, Any]:
    """What the receipt says, once its signature has been found good; ReceiptInvalid says why it is not."""
    try:
        signature = base64.b64decode(document["signature"], validate=True)
        Ed25519PublicKey.from_public_bytes(key.raw).verify(signature, _canonical(document["receipt"]))
    except (InvalidSignature, ValueError) as error:
        raise ReceiptInvalid(_why_not(document, key)) from error
    receipt: Mapping[str, Any] = document["receipt"]
    return receipt


def require_file(receipt: Mapping[str, Any], *, name: str, data: bytes) -> str:
    """The name under which exactly these bytes were handed in; ReceiptInvalid if they were not."""
    digest = hashlib.sha256(data).hexdigest()
    files = receipt["files"]
    matching = [file["name"] for file in files if file["sha256"] == digest]
    if matching:
        return str(matching[0])
    named = next((file for file in files if file["name"] == name), None)
    shown = one_line(name, 80)
    if named is not None:
        raise ReceiptInvalid(
            f"{shown} is not what was handed in under that name: its SHA-256 is {digest}, the receipt's "
            f"{named['sha256']}."
        )
    raise ReceiptInvalid(
        f"{shown} is none of the files of this receipt: none of them has the SHA-256 {digest}."
    )


def _why_not(document: Mapping[str, Any], key: PublicKey) -> str:
    """Why a signature does not fit: another server's receipt, or one that was changed."""
    named = one_line(str(document.get("key_id")), 40)
    if named != key.id:
        return (
            f"it was signed with another key ({named}) than the one given ({key.id}). It was made by another "
            "server, or the server's secret has changed since."
        )
    return "its signature does not fit: something in it was changed after the server signed it."


def _canonical(receipt: Mapping[str, Any]) -> bytes:
    text = json.dumps(receipt, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return _SIGNED + text.encode("ascii")
