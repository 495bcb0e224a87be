"""The application behind a real server and real sockets: what a test client's shortcuts would hide."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select

from grader.db import models
from grader.services.accounts.secrets import hash_of
from grader.web.security.bodies import BodyGuard, BodyLimits
from grader.web.security.forgery import FIELD
from tests.served import served
from tests.web import Page

QUICK = BodyLimits(seconds=0.5, seconds_per_mib=0.0)


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Where the application is served for real, with little patience."""
    with served(tmp_path, change=impatient) as (_, number):
        yield number


def impatient(app: FastAPI) -> None:
    for middleware in app.user_middleware:
        if middleware.cls is BodyGuard:
            middleware.kwargs["limits"] = QUICK


def talk(port: int, *parts: bytes, pause_s: float = 0.0) -> bytes:
    """Send the parts one by one and return everything that is answered."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        for part in parts:
            try:
                connection.sendall(part)
            except (BrokenPipeError, ConnectionResetError):
                break  # the server has had enough
            time.sleep(pause_s)
        answer = b""
        while chunk := receive(connection):
            answer += chunk
        return answer


def receive(connection: socket.socket) -> bytes:
    try:
        return connection.recv(1 << 16)
    except ConnectionResetError:
        return b""


def head(port: int, line: str, **headers: str) -> bytes:
    lines = [line, f"host: 127.0.0.1:{port}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_a_body_that_drips_is_given_up(port: int) -> None:
    request = head(port, "POST /login HTTP/1.1", content_type="application/json", content_length="100")
    answer = talk(port, request, *[b"x"] * 8, pause_s=0.2)
    assert status(answer) == 408


def test_an_upload_that_drips_is_given_up_too(port: int) -> None:
    request = head(
        port,
        "POST /account/profile HTTP/1.1",
        content_type="multipart/form-data; boundary=x",
        content_length="10000",
        cookie="a=b",
    )
    begin = b'--x\r\ncontent-disposition: form-data; name="name"\r\n\r\n'
    answer = talk(port, request + begin, *[b"y"] * 8, pause_s=0.2)
    assert status(answer) == 408


def test_an_announced_giant_is_refused_before_it_is_sent(port: int) -> None:
    answer = talk(port, head(port, "POST /login HTTP/1.1", content_length=str(10 << 30)))
    assert status(answer) == 413


def test_chunks_without_end_are_cut_off(port: int) -> None:
    request = head(port, "POST /login HTTP/1.1", content_type="text/plain", transfer_encoding="chunked")
    answer = talk(port, request, *[b"10000\r\n" + b"x" * 65536 + b"\r\n"] * 40)
    assert not answer or status(answer) == 413


@pytest.mark.parametrize(
    "line", ["GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1", "GET /static/..%2f..%2fx HTTP/1.1", "GET //x HTTP/1.1"]
)
def test_no_address_leads_out_of_the_site(port: int, line: str) -> None:
    assert status(talk(port, head(port, line))) == 404


def test_two_hosts_are_no_host(port: int) -> None:
    request = head(port, "GET /login HTTP/1.1").replace(b"connection", b"host: evil.example\r\nconnection")
    assert status(talk(port, request)) in (400, 421)


def test_the_server_does_not_say_what_it_is(port: int) -> None:
    answer = talk(port, head(port, "GET /health HTTP/1.1"))
    assert status(answer) == 200
    assert b"uvicorn" not in answer.lower()


@pytest.mark.parametrize(
    "proxies, ours",
    [((), "http"), (("192.0.2.1",), "http"), (("127.0.0.1",), "https")],
    ids=["no proxy", "another proxy", "the proxy"],
)
def test_only_the_proxy_that_is_named_says_that_a_page_came_through_tls(
    tmp_path: Path, proxies: tuple[str, ...], ours: str
) -> None:
    with (
        served(tmp_path, trusted_proxies=proxies) as (_, number),
        httpx.Client(base_url=f"http://127.0.0.1:{number}") as browser,
    ):
        form = Page(browser.get("/login").text).all("input")
        token = next(field["value"] for field in form if field.get("name") == FIELD)
        for scheme in ("http", "https"):
            answer = browser.post(
                "/login",
                data={FIELD: token, "name": "ada", "password": "wrong"},
                headers={
                    "origin": f"{scheme}://127.0.0.1:{number}",
                    "x-forwarded-for": "203.0.113.7",
                    "x-forwarded-proto": "https",
                },
            )
            assert answer.status_code == (401 if scheme == ours else 403)


@pytest.mark.parametrize(
    "proxies, counted",
    [((), "127.0.0.1"), (("192.0.2.1",), "127.0.0.1"), (("127.0.0.1",), "203.0.113.7")],
    ids=["no proxy", "another proxy", "the proxy"],
)
def test_only_the_proxy_that_is_named_says_where_somebody_comes_from(
    tmp_path: Path, proxies: tuple[str, ...], counted: str
) -> None:
    with served(tmp_path, trusted_proxies=proxies) as (world, number):
        with httpx.Client(base_url=f"http://127.0.0.1:{number}") as browser:
            form = Page(browser.get("/login").text).all("input")
            token = next(field["value"] for field in form if field.get("name") == FIELD)
            answer = browser.post(
                "/login",
                data={FIELD: token, "name": "ada", "password": "wrong"},
                headers={"x-forwarded-for": "198.51.100.9, 203.0.113.7"},
            )
        assert answer.status_code == 401
        with world.database.reading() as session:
            keys = set(session.scalars(select(models.LoginFailure.key)))
    assert hash_of(f"address\0{counted}") in keys
