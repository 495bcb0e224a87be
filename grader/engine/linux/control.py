"""The line between launcher and zygote, both trusted: JSON packets with descriptors beside them."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

_LIMIT = 64 << 10
_MAX_DESCRIPTORS = 8


class Control:
    """One end of a packet socket."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, message: Mapping[str, Any], descriptors: tuple[int, ...] = ()) -> None:
        """Send one packet; OSError if the other end is gone."""
        socket.send_fds(self._socket, [json.dumps(message).encode()], list(descriptors))

    def receive(self) -> tuple[dict[str, Any], tuple[int, ...]]:
        """The next packet and its descriptors, which the caller owns; EOFError if the other end is gone."""
        try:
            data, descriptors, _, _ = socket.recv_fds(
                self._socket, _LIMIT, _MAX_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
            )
        except ConnectionResetError as exc:
            raise EOFError from exc
        if not data:
            raise EOFError
        return json.loads(data), tuple(descriptors)

    def shut(self) -> None:
        """End the conversation: the other end, and whoever waits at this one, read its end."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()


def pair() -> tuple[Control, Control]:
    """Two connected ends; packets keep their borders."""
    mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    return Control(mine), Control(theirs)


def close_all(descriptors: tuple[int, ...]) -> None:
    """Close each of them."""
    for descriptor in descriptors:
        os.close(descriptor)
