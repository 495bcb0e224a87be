"""The door to a server: what it does with every kind of answer, without one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from grader.cli.remote import client as module
from grader.cli.remote.client import Client
from grader.domain.errors import GraderError, NotLoggedIn, ServerFailed, ServerRefused

SERVER = "https://grader.example.edu"
Answer = Callable[[httpx.Request], httpx.Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    name: str
    count: int | None


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited; nobody waits in fact."""
    waited: list[float] = []
    monkeypatch.setattr(module.time, "sleep", waited.append)
    return waited


def client(*answers: Answer | httpx.Response | Exception, token: str | None = "jgt_secret") -> Client:  # noqa: S107
    """A client whose server gives these answers, one after the other, the last again and again."""
    left = list(answers)

    def handle(request: httpx.Request) -> httpx.Response:
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else answer(request)

    made = Client(SERVER, token=token)
    made._http = httpx.Client(headers=made._http.headers, transport=httpx.MockTransport(handle))
    return made


def error(status: int, code: str = "x", message: str = "no.", **more: Any) -> httpx.Response:  # noqa: ANN401
    headers = more.pop("headers", {})
    told = {"code": code, "message": message, "request_id": "abc", **more}
    return httpx.Response(status, json={"error": told}, headers=headers)


def failure(of: Client, status: type[GraderError]) -> str:
    with of, pytest.raises(status) as found:
        of.get("things")
    return str(found.value)


def test_an_answer_is_read_as_what_it_should_be_and_more_does_no_harm() -> None:
    reply = client(httpx.Response(200, json={"name": "a", "count": None, "new": [1]})).get("things")
    assert reply.of(Thing) == Thing(name="a", count=None)


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"name": 3, "count": 1}', b"<html>", b"\xff"])
def test_an_answer_that_makes_no_sense_is_the_servers_fault(body: bytes) -> None:
    reply = client(httpx.Response(200, content=body)).get("things")
    with pytest.raises(ServerFailed, match="makes no sense to this version"):
        reply.of(Thing)


def test_any_text_may_be_part_of_an_address() -> None:
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.raw_path.decode())
        return httpx.Response(200, json={})

    client(handle).get("members", "a/../b?c=d#e", section=None, sort="name")
    assert asked == ["/api/v1/members/a%2F..%2Fb%3Fc%3Dd%23e?sort=name"]


def test_the_token_is_sent_to_the_server_and_never_along_a_redirect() -> None:
    seen: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(f"{request.url.host} {request.headers.get('authorization')}")
        return httpx.Response(307, headers={"location": "https://evil.example.org/"})

    assert "points to https://evil.example.org/" in failure(client(handle), ServerFailed)
    assert seen == ["grader.example.edu Bearer jgt_secret"]


def test_a_refusal_is_told_in_the_servers_words_with_the_way_out_once() -> None:
    assert failure(client(error(409, message="It is closed.")), ServerRefused) == "It is closed."
    refused = error(404, message="no course. Did you mean a?", remedy="Did you mean a?")
    assert failure(client(refused), ServerRefused) == "no course. Did you mean a?"
    refused = error(422, message="it is empty.", remedy="Say why.", fields=[])
    assert failure(client(refused), ServerRefused) == "it is empty. Say why."


def test_a_field_that_cannot_be_used_is_named() -> None:
    fields = [{"field": "due", "problem": "it is no time."}]
    refused = error(422, message="it is no time.", fields=fields)
    assert failure(client(refused), ServerRefused) == "due: it is no time."


def test_nothing_that_a_server_says_acts_on_the_terminal() -> None:
    said = failure(client(error(409, message="\x1b[2Jgone\u202e")), ServerRefused)
    assert said == "\\x1b[2Jgone\\u202e"


def test_a_token_that_does_not_work_says_how_to_come_back() -> None:
    assert f"grader login {SERVER}" in failure(client(error(401)), NotLoggedIn)


def test_a_wrong_password_is_told_in_the_servers_words() -> None:
    said = failure(client(error(401, message="they do not fit."), token=None), ServerRefused)
    assert said == "they do not fit."


def test_the_servers_own_failures_carry_the_number_in_its_log() -> None:
    assert failure(client(error(500, message="Failed.")), ServerFailed).endswith("Number abc.")


@pytest.mark.parametrize("status", [404, 502])
def test_what_is_no_grader_is_said_to_be_none(status: int) -> None:
    said = failure(client(httpx.Response(status, text="<h1>nginx</h1>")), ServerFailed)
    assert f"status {status}, and not as a grader does" in said
    assert "nginx" not in said


def test_reading_waits_as_long_as_the_server_says(pauses: list[float]) -> None:
    later = error(429, headers={"retry-after": "7"})
    found = client(later, later, httpx.Response(200, json={"name": "a", "count": 1})).get("things")
    assert found.of(Thing).count == 1
    assert pauses == [7.0, 7.0]


@pytest.mark.parametrize("headers", [{"retry-after": "3600"}, {"retry-after": "soon"}, {}])
def test_reading_does_not_wait_for_ever_or_for_nothing(pauses: list[float], headers: dict[str, str]) -> None:
    failure(client(error(429, headers=headers)), ServerRefused)
    assert pauses == []


def test_reading_tries_again_where_the_connection_broke_but_not_for_ever(pauses: list[float]) -> None:
    broken = httpx.ConnectError("refused")
    assert client(broken, broken, httpx.Response(200, json=[])).get("things").value == []
    assert "cannot be reached (refused)" in failure(client(broken), ServerFailed)
    assert len(pauses) == 2 + 2


def test_a_change_is_sent_once_unless_it_may_be_repeated() -> None:
    sent: list[bytes] = []

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(request.read())
        raise httpx.ReadTimeout("late")

    with pytest.raises(ServerFailed):
        client(handle).post("things", body={"a": 1})
    assert [json.loads(body) for body in sent] == [{"a": 1}]
    sent.clear()
    with pytest.raises(ServerFailed):
        client(handle).upload("things", files=[("files", ("a.py", b"x"))], form={"key": "k"}, repeatable=True)
    assert len(sent) == 3
    assert all(b'name="key"' in body for body in sent)
