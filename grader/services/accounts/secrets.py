"""Random secrets, and what the server's own secret is good for besides seeds."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from enum import StrEnum

_BYTES = 32


class Purpose(StrEnum):
    """What a value derived from a secret is for; two purposes never share a value."""

    CSRF = "csrf"
    DEVICE = "device"
    FLASH = "flash"
    SETUP = "setup"
    SINGLE_SIGN_ON = "single sign-on"


def new_secret() -> str:
    """256 random bits as 43 characters that fit into a URL and a cookie."""
    return secrets.token_urlsafe(_BYTES)


def hash_of(secret: str) -> str:
    """What the database keeps of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def derived(secret: bytes, purpose: Purpose, text: str = "") -> str:
    """A value that only who holds the secret can make: 43 URL-safe characters."""
    message = f"grader {purpose.value}, version 1\0{text}".encode("utf-8", "surrogatepass")
    digest = hmac.new(secret, message, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def equal(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))
