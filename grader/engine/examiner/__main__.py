"""The examiner's main loop: requests in on standard input, progress and results out on standard output.

The engine holds the other end of standard input. When it is gone, however it went, the examiner ends at once,
and with it the zygote, the bench and every candidate.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import traceback
from typing import BinaryIO, cast

from grader.domain.errors import EngineFault, GraderError
from grader.engine.examiner.examining import Examiner
from grader.engine.protocol import Channel, ChannelClosed, Message
from grader.engine.wire import refusal


def main(arguments: list[str]) -> None:
    """Serve until standard input ends. ``--sealed``, ``--unsealed`` or neither picks how candidates run."""
    channel = _take_channel()
    sealed = True if "--sealed" in arguments else False if "--unsealed" in arguments else None
    try:
        examiner = Examiner(sealed=sealed, send=channel.send)
    except GraderError as exc:
        channel.send(refusal(exc))
        return
    channel.send(Message(kind="ready", data=examiner.description()))
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(channel, requests), daemon=True).start()
    while True:
        request = requests.get()
        try:
            examiner.handle(request)
        except GraderError as exc:
            channel.send(refusal(exc))
        except Exception as exc:  # noqa: BLE001 - boundary of the process: told to the engine, and logged
            traceback.print_exc()
            channel.send(refusal(EngineFault(f"{type(exc).__name__}: {exc}"[:2000])))


def _listen(channel: Channel, requests: queue.SimpleQueue[Message]) -> None:
    try:
        while True:
            requests.put(channel.receive())
    except (ChannelClosed, GraderError):
        os._exit(0)


def _take_channel() -> Channel:
    """Keep standard input and output for the channel alone; what pytest prints goes to standard error."""
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return Channel(cast("BinaryIO", os.fdopen(reading, "rb", buffering=0)), os.fdopen(writing, "wb"))


if __name__ == "__main__":
    main(sys.argv[1:])
