"""What sits in a box during tests of the seal: it runs the code it is sent and tells what came of it."""

from __future__ import annotations

import jax  # noqa: F401 - so that boxes are forked from a process like the real one

from grader.engine.protocol import Channel, ChannelClosed, Message


def serve(channel: Channel, *, world: int = 0) -> None:
    """Run each message's ``code`` in one namespace; answer its ``result``, or the error it ended in."""
    space = {"world": world, "channel": channel}
    while True:
        try:
            code = channel.receive().data["code"]
        except ChannelClosed:
            return
        space["result"] = None
        try:
            exec(code, space)  # noqa: S102 - that is what it is for
            data = {"result": space["result"]}
        except Exception as exc:  # noqa: BLE001 - whatever it is, the test decides
            data = {"error": type(exc).__name__, "errno": getattr(exc, "errno", None), "text": str(exc)}
        channel.send(Message(kind="ran", data=data))
