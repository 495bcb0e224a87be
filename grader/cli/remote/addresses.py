"""The address of a server as people type it."""

from __future__ import annotations

from urllib.parse import urlsplit

from grader.domain.errors import ConfigurationInvalid
from grader.domain.text import one_line
from grader.services.websettings import is_loopback


def server_address(typed: str, *, option: str) -> str:
    """The address as receipts and our notes write it; the rest of a page's address is dropped.

    Plain HTTP is for this machine only: on the way to another, anybody could read a token or change a key.

    >>> server_address("https://Grader.example.edu/courses/jax", option="--server")
    'https://grader.example.edu'
    """
    try:
        parts = urlsplit(typed.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    plain = parts.scheme == "http" and host is not None and is_loopback(host) if host else False
    if not host or (parts.scheme != "https" and not plain) or port == 0 or "@" in parts.netloc:
        problem = f"{one_line(typed, 80)!r} is not the https address of a server."
        raise ConfigurationInvalid(option, problem, "Write https://grader.example.edu.")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def on_this_machine(server: str) -> bool:
    """Whether a server's address is this machine's own."""
    return is_loopback(urlsplit(server).hostname or "")
