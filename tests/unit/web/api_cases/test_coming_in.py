"""Sessions, passwords, tokens, and what other sites can make a browser send."""

from __future__ import annotations

import base64
import json
import logging
import time

import httpx
import pytest
from sqlalchemy import func, select

from grader.db import models
from tests.courses import SOLUTION
from tests.scene import Scene, Standing
from tests.served import served
from tests.web import FIELD, PASSWORD, SITE, Page, WebWorld

COOKIE = "__Host-grader-session"
EVIL = "https://evil.example"


# --- sessions -----------------------------------------------------------------------------------------------


def test_g9_session_fixation_logging_in_gives_a_new_session_and_ends_the_planted_one(world: WebWorld) -> None:
    attacker = world.browser("sam")
    victim = world.visitor()
    victim.cookies.set(COOKIE, attacker.cookies[COOKIE])
    victim.csrf = attacker.csrf
    answer = victim.send_form("/login", {"name": "ada", "password": PASSWORD})
    assert attacker.cookies[COOKIE] not in answer.headers["set-cookie"]
    assert attacker.get("/api/v1/me").status_code == 401


def test_g9_session_fixation_a_new_password_ends_every_other_session(world: WebWorld) -> None:
    stolen = world.browser("ada")
    world.log_in_anew("ada")
    ada = world.browser("ada")
    assert stolen.get("/api/v1/me").status_code == 200
    new = "a better horse battery staple"
    assert ada.send_form("/account/password", {"current": PASSWORD, "new": new}).status_code == 303
    assert stolen.get("/api/v1/me").status_code == 401


def test_g9_session_fixation_a_role_is_looked_up_at_each_request(world: WebWorld) -> None:
    """So that an old session of somebody with a new role is worth what the new role is."""
    tom = world.browser("tom")
    assert tom.get("/courses/jax/gradebook").status_code == 200
    world.script("ines").put("/api/v1/courses/jax/members/tom", json={"version": 1, "role": "student"})
    assert tom.get("/courses/jax/gradebook").status_code == 403


# --- other sites --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_g9_csrf_submit_a_form_of_another_site_changes_nothing(stage: Scene, kind: str) -> None:
    headers = {"origin": EVIL, "content-type": f"{kind}; boundary=x", "referer": f"{EVIL}/form"}
    body = (
        b'--x\r\ncontent-disposition: form-data; name="text"\r\n\r\nx\r\n--x--\r\n'
        if kind.startswith("multipart")
        else b"text=x&email=eve@evil.example&points=0&reason=x&seen=1"
    )
    before = count(stage)
    for standing, path in (
        (Standing.OWNER, "/courses/jax/assignments/doubling/submit"),
        (Standing.OWNER, "/account/profile"),
        (Standing.TA, f"/review/{stage.mine}/adjustments"),
        (Standing.INSTRUCTOR, "/courses/jax/assignments/doubling/edit/release"),
    ):
        answer = stage.browser(standing).post(path, content=body, headers=headers)
        assert answer.status_code == 403, path
    assert count(stage) == before


def test_g9_csrf_submit_cookies_are_not_sent_along_with_forms_of_other_sites(world: WebWorld) -> None:
    browser = world.visitor()
    browser.open("/login")
    answer = browser.send_form("/login", {"name": "ada", "password": PASSWORD})
    for cookie in answer.headers.get_list("set-cookie"):
        assert "samesite=lax" in cookie.lower()


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/json", ""])
def test_g9_csrf_submit_the_api_takes_no_kind_of_body_that_a_form_sends(stage: Scene, kind: str) -> None:
    body = json.dumps({"files": [{"name": "a.py", "text": "x"}]}).encode()
    answer = stage.browser(Standing.OWNER).post(
        "/api/v1/courses/jax/assignments/doubling/submissions", content=body, headers={"content-type": kind}
    )
    assert answer.status_code == 415


def count(stage: Scene) -> int | None:
    with stage.world.database.reading() as session:
        return session.scalar(select(func.count()).select_from(models.Submission))


@pytest.mark.parametrize("method", ["GET", "OPTIONS", "POST"])
@pytest.mark.parametrize("origin", [EVIL, "null", f"{SITE}.evil.example"])
def test_g9_cors_reflection_no_other_site_may_read_an_answer(stage: Scene, origin: str, method: str) -> None:
    for path in ("/api/v1/me", "/", f"/api/v1/submissions/{stage.mine}", "/api/v1/nowhere"):
        headers = {"origin": origin, "access-control-request-method": "PUT"}
        answer = stage.browser(Standing.OWNER).request(method, path, headers=headers)
        assert not [name for name in answer.headers if name.startswith("access-control-")]
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


# --- tokens -------------------------------------------------------------------------------------------------


def jwt(header: dict[str, object], claims: dict[str, object], signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(claims).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


CLAIMS = {"sub": "ines", "role": "instructor", "exp": 4_000_000_000, "aud": SITE}


@pytest.mark.parametrize(
    "token",
    [
        jwt({"alg": "none", "typ": "JWT"}, CLAIMS),
        jwt({"alg": "None"}, CLAIMS),
        jwt({"alg": "HS256"}, CLAIMS, b"x" * 32),
        jwt({"alg": "HS256"}, {**CLAIMS, "exp": 1}, b"x" * 32),
        jwt({"alg": "RS256", "jku": "https://evil.example/keys"}, {**CLAIMS, "aud": "other"}, b"x" * 256),
        jwt({"alg": "HS256", "kid": "../../../dev/null"}, CLAIMS, b""),
    ],
    ids=["none", "None", "wrong key", "expired", "other audience", "key of its own"],
)
def test_g9_jwt_none_no_token_says_itself_who_somebody_is(stage: Scene, token: str) -> None:
    """Tokens here are random and looked up; whatever is written into one is not read."""
    for scheme in ("Bearer", "bearer", "JWT"):
        headers = {"authorization": f"{scheme} {token}"}
        for client in (stage.world.visitor(), stage.browser(Standing.INSTRUCTOR)):
            assert client.get("/api/v1/me", headers=headers).status_code == 401


def test_g9_jwt_none_a_token_that_expired_or_was_revoked_is_none(world: WebWorld) -> None:
    script = world.script("ada")
    (row,) = script.get("/api/v1/me/tokens").json()
    with world.database.writing() as session:
        token = session.scalars(select(models.ApiToken)).one()
        kept, token.expires_at = token.expires_at, token.created_at
    assert script.get("/api/v1/me").status_code == 401
    with world.database.writing() as session:
        session.scalars(select(models.ApiToken)).one().expires_at = kept
    assert script.delete(f"/api/v1/me/tokens/{row['id']}").status_code == 204
    assert script.get("/api/v1/me").status_code == 401


def test_g9_token_in_url_is_refused_and_in_no_log(world: WebWorld, caplog: pytest.LogCaptureFixture) -> None:
    secret = world.script("ada").headers["authorization"].removeprefix("Bearer ")
    with caplog.at_level(logging.DEBUG, logger="grader"):
        for name in ("token", "access_token", "api_key", "authorization"):
            for path in ("/api/v1/me", "/api/v1/courses/jax", "/courses/jax", "/nowhere"):
                answer = world.visitor().get(path, params={name: secret})
                assert answer.status_code in (303, 401, 404)
    assert secret not in caplog.text
    with world.database.reading() as session:
        stored = [
            repr(row) for row in session.execute(select(models.ApiToken.token_hash, models.ApiToken.hint))
        ]
    assert not any(secret in row for row in stored)


# --- guessing -----------------------------------------------------------------------------------------------


def wrong(world: WebWorld, name: str) -> httpx.Response:
    wanted = {"login": name, "password": "wrong", "name": "x", "days": 1}
    return world.visitor().post("/api/v1/tokens", json=wanted)


def test_g9_password_login_bruteforce_one_account_is_closed_to_guesses(world: WebWorld) -> None:
    statuses = [wrong(world, "ada").status_code for _ in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    last = wrong(world, "ada")
    assert int(last.headers["retry-after"]) > 0
    # The right password is a guess as well, and the page's form counts with the API's.
    right = {"login": "ada", "password": PASSWORD, "name": "x", "days": 1}
    assert world.visitor().post("/api/v1/tokens", json=right).status_code == 429


def test_g9_password_login_bruteforce_many_accounts_from_one_address_are_too(world: WebWorld) -> None:
    begun, tries = time.monotonic(), 0
    while (answer := wrong(world, f"somebody{tries}")).status_code == 401:
        tries += 1
        assert tries <= 1000, "a thousand guesses from one address were all answered"
    assert answer.status_code == 429
    assert tries < 1000 or time.monotonic() - begun > 60
    assert wrong(world, "somebody-else").status_code == 429


@pytest.mark.parametrize(
    "header", ["x-forwarded-for", "x-real-ip", "forwarded", "client-ip", "cf-connecting-ip"]
)
def test_g9_rate_limit_bypass_a_claimed_address_does_not_start_the_count_anew(
    world: WebWorld, header: str
) -> None:
    statuses = []
    for number in range(11):
        wanted = {"login": "ada", "password": "wrong", "name": "x", "days": 1}
        headers = {header: f"203.0.113.{number}"}
        statuses.append(world.visitor().post("/api/v1/tokens", json=wanted, headers=headers).status_code)
    assert statuses[-1] == 429
    with world.database.reading() as session:
        keys = set(session.scalars(select(models.LoginFailure.key)))
    # The name and its account, each from this network and from anywhere; and one network.
    assert len(keys) == 5


# --- where links lead ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "evil",
    [
        "//evil.example",
        "///evil.example/x",
        "\\\\evil",
        "/\\evil.example",
        "javascript:alert(1)",
        "https:evil.example",
        "/%09/evil.example",
        "/\t/evil.example",
        "data:text/html,x",
        "@evil.example",
    ],
)
def test_g9_open_redirect_nobody_is_sent_to_another_site(world: WebWorld, evil: str) -> None:
    browser = world.visitor()
    browser.open("/login", params={"next": evil})
    answer = browser.send_form("/login", {"name": "ada", "password": PASSWORD, "next": evil})
    target = httpx.URL(SITE).join(answer.headers["location"])
    assert target.host == httpx.URL(SITE).host
    assert target.scheme == "https"
    assert not answer.headers["location"].startswith(("//", "/\\", "\\"))


@pytest.mark.parametrize("header", ["host", "x-forwarded-host", "x-original-host", "forwarded"])
def test_g9_host_header_links_are_made_from_the_setting(stage: Scene, header: str) -> None:
    ines, ada = stage.script(Standing.INSTRUCTOR), stage.script(Standing.OWNER)
    evil = {header: "host=evil.example" if header == "forwarded" else "evil.example"}
    asked = [
        ines.post("/api/v1/courses/jax/invitations", json={"role": "student"}, headers=evil),
        ada.get(f"/api/v1/submissions/{stage.mine}/receipt", headers=evil),
        stage.browser(Standing.INSTRUCTOR).get("/courses/jax/roster", headers=evil),
    ]
    for answer in asked:
        assert "evil.example" not in answer.text + str(answer.headers)
        assert answer.status_code == (421 if header == "host" else answer.status_code)
    if header != "host":
        assert asked[0].json()["link"].startswith(SITE)


def test_g9_host_header_a_real_server_refuses_another_name(tmp_path) -> None:
    with served(tmp_path) as (_, port), httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        assert client.get("/login", headers={"host": "evil.example"}).status_code == 421
        page = Page(client.get("/login").text)
        assert [field for field in page.all("input") if field.get("name") == FIELD]
        assert client.post("/login", content=SOLUTION, headers={"host": "evil.example"}).status_code == 421
