"""Files too large for memory, and what happens where they cannot be made or nobody waits for them."""

from __future__ import annotations

import asyncio
import errno
import io
import zipfile
from collections.abc import Callable
from typing import IO, Any

import pytest
from starlette.requests import ClientDisconnect

from grader.domain.errors import NotAllowed, ServiceUnavailable
from grader.services.accounts.tokens import create_token
from grader.web.downloads import written
from tests.large import hand_in_much, most_memory
from tests.web import SITE, WebWorld

FILE_BYTES, SUBMISSIONS = 500_000, 48


class Reader:
    """Asks a server by ASGI, as uvicorn does, and keeps of a body only how long it and its parts are."""

    def __init__(self, app: Callable[..., Any], *, leaves: bool = False) -> None:
        self._app, self._leaves = app, leaves
        self.status, self.headers = 0, dict[str, str]()
        self.total, self.largest = 0, 0

    def get(self, path: str, *, token: str = "") -> None:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "https",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [
                (b"host", SITE.removeprefix("https://").encode()),
                (b"authorization", f"Bearer {token}".encode()),
            ],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 443),
        }
        asyncio.run(self._app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {key.decode(): value.decode() for key, value in message["headers"]}
            return
        if self._leaves:
            raise OSError("the connection is gone")
        size = len(message.get("body", b""))
        self.total, self.largest = self.total + size, max(self.largest, size)


def token(world: WebWorld, login: str) -> str:
    return create_token(world.database, actor=world.people[login], name="test", days=1).secret


def test_an_archive_is_sent_piece_by_piece_and_never_whole_in_memory(world: WebWorld) -> None:
    path, secret = "/api/v1/courses/jax/archive", token(world, "ines")
    world.graded("ada")
    Reader(world.app).get(path, token=secret)  # what is made once and kept is not the archive's
    hand_in_much(world.course, submissions=SUBMISSIONS, file_bytes=FILE_BYTES)
    reader = Reader(world.app)
    most = most_memory(lambda: reader.get(path, token=secret))
    assert reader.status == 200
    assert reader.total == int(reader.headers["content-length"]) > SUBMISSIONS * FILE_BYTES * 2 // 3
    assert reader.largest <= 1 << 16
    assert most < reader.total / 2


def test_an_archive_comes_whole_and_under_its_name(world: WebWorld) -> None:
    world.graded("ada")
    for answer in (
        world.script("ines").get("/api/v1/courses/jax/archive"),
        world.browser("ines").get("/courses/jax/exports/archive"),
    ):
        assert answer.status_code == 200
        assert 'filename="jax-archive.zip"' in answer.headers["content-disposition"]
        assert answer.headers["content-type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(answer.content)) as found:
            assert found.testzip() is None
            assert "manifest.json" in found.namelist()


def test_who_may_not_have_an_archive_is_told_so_and_gets_no_file(world: WebWorld) -> None:
    answer = world.script("tom").get("/api/v1/courses/jax/archive")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed")
    assert "content-disposition" not in answer.headers


@pytest.mark.parametrize(
    "problem, told",
    [
        (OSError(errno.ENOSPC, "No space left on device"), ServiceUnavailable),
        (OSError(errno.EIO, "Input/output error"), OSError),
        (NotAllowed("no."), NotAllowed),
    ],
)
def test_what_goes_wrong_is_told_before_anything_is_sent_and_leaves_no_file(
    problem: Exception, told: type[Exception]
) -> None:
    files: list[IO[bytes]] = []

    def write(out: IO[bytes]) -> str:
        files.append(out)
        out.write(b"half of it")
        raise problem

    with pytest.raises(told):
        written(write, media_type="application/zip")
    assert files[0].closed


def test_the_file_is_gone_also_where_nobody_reads_to_the_end() -> None:
    files: list[IO[bytes]] = []

    def write(out: IO[bytes]) -> str:
        files.append(out)
        out.write(bytes(1 << 20))
        return "a.zip"

    response = written(write, media_type="application/zip")
    assert not files[0].closed
    with pytest.raises(ClientDisconnect):
        Reader(response, leaves=True).get("/")
    assert files[0].closed
