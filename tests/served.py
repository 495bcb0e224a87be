"""The application behind a real server and real sockets, in a thread of the test."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from grader.web.app import create_app
from grader.web.serve import options
from tests.web import WebWorld, web_world


@contextmanager
def served(
    folder: Path,
    *,
    change: Callable[[FastAPI], None] = lambda _: None,
    **web: Any,  # noqa: ANN401 - fields of its WebSettings
) -> Iterator[tuple[WebWorld, int]]:
    """The application on a port of its own, and the world behind it; `change` adapts it before it starts."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        number = listener.getsockname()[1]
        with web_world(folder, url=f"http://127.0.0.1:{number}", **web) as world:
            app = create_app(world.context)
            change(app)
            server = uvicorn.Server(uvicorn.Config(app, **options(world.context.web)))
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
            thread.start()
            while not server.started:
                time.sleep(0.01)
            try:
                yield world, number
            finally:
                server.should_exit = True
                thread.join(10)
                assert not thread.is_alive()
