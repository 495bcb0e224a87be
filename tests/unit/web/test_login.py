from __future__ import annotations

from pathlib import Path

import pytest

from grader.db import models
from grader.services.accounts.sessions import end_sessions_of
from tests.web import PASSWORD, SITE, Page, WebWorld, web_world

COOKIE = "__Host-grader-session"
DEVICE = "__Host-grader-device"


def log_in(world: WebWorld, name: str = "ada", password: str = PASSWORD, then: str = "/account"):
    browser = world.visitor()
    browser.open("/login")
    answer = browser.send_form("/login", {"name": name, "password": password, "next": then})
    return browser, answer


@pytest.mark.parametrize("name", ["ada", "ADA", " ada@example.edu", "Ada@Example.edu"])
def test_name_or_address_and_password_let_somebody_in(world: WebWorld, name: str) -> None:
    browser, answer = log_in(world, name)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    page = Page(browser.get("/account").text)
    assert "You log in as ada" in page.text


def test_the_cookie_is_out_of_reach_of_scripts_other_sites_and_plain_http(world: WebWorld) -> None:
    _, answer = log_in(world)
    cookie = next(value for value in answer.headers.get_list("set-cookie") if value.startswith(f"{COOKIE}="))
    attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "secure", "samesite=lax", "path=/"} <= attributes
    assert not any(part.startswith("domain") for part in attributes)


def test_without_tls_the_cookie_needs_none(tmp_path: Path) -> None:
    with web_world(tmp_path, url="http://127.0.0.1:8000") as world:
        browser = world.visitor()
        browser.base_url = "http://127.0.0.1:8000"
        browser.open("/login")
        answer = browser.send_form("/login", {"name": "ada", "password": PASSWORD})
        assert "grader-session=" in answer.headers["set-cookie"]
        assert "secure" not in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize("name", ["ada", "nobody-at-all", "ada\u202e", "'; DROP TABLE account --"])
def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(world: WebWorld, name: str) -> None:
    _, answer = log_in(world, name, "not the password")
    assert answer.status_code == 401
    assert COOKIE not in answer.headers.get("set-cookie", "")
    assert "This name and password do not belong together" in Page(answer.text).text
    assert "not the password" not in answer.text


def test_the_tenth_wrong_password_is_a_strangers_last_for_a_while(world: WebWorld) -> None:
    for _ in range(10):
        assert log_in(world, "ada", "wrong")[1].status_code == 401
    _, answer = log_in(world)
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 15 * 60
    assert log_in(world, "ben")[1].status_code == 303


def test_a_browser_that_logged_in_before_is_not_held_up_by_somebody_elses_wrong_passwords(
    world: WebWorld,
) -> None:
    browser, _ = log_in(world)
    browser.open("/account")
    browser.send_form("/logout")
    while log_in(world, "ada", "wrong")[1].status_code != 429:
        pass
    browser.open("/login")
    assert browser.send_form("/login", {"name": "ada", "password": PASSWORD}).status_code == 303


def test_a_new_password_does_not_make_the_browser_a_strangers(world: WebWorld) -> None:
    browser, _ = log_in(world)
    browser.open("/account")
    new = "another good password"
    assert browser.send_form("/account/password", {"current": PASSWORD, "new": new}).status_code == 303
    while log_in(world, "ada", "wrong")[1].status_code != 429:
        pass
    browser.open("/account")
    browser.send_form("/logout")
    browser.open("/login")
    assert browser.send_form("/login", {"name": "ada", "password": new}).status_code == 303


def test_who_came_in_by_a_link_is_known_there_too(world: WebWorld) -> None:
    ben, new = world.people["ben"].user_id, "a new long password"
    made = world.script("ines").post(f"/api/v1/courses/jax/members/{ben}/password-link").json()
    path = made["link"].removeprefix(SITE)
    browser = world.visitor()
    browser.open(path)
    browser.send_form(path, {"password": new})
    while log_in(world, "ben", "wrong")[1].status_code != 429:
        pass
    browser.open("/account")
    browser.send_form("/logout")
    browser.open("/login")
    assert browser.send_form("/login", {"name": "ben", "password": new}).status_code == 303


def test_the_cookie_of_a_known_browser_stays_lets_nobody_in_and_is_as_hidden_as_the_sessions(
    world: WebWorld,
) -> None:
    browser, answer = log_in(world)
    cookie = next(value for value in answer.headers.get_list("set-cookie") if DEVICE in value)
    attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "secure", "samesite=lax", "path=/", "max-age=31536000"} <= attributes
    browser.open("/account")
    browser.send_form("/logout")
    assert DEVICE in browser.cookies
    assert COOKIE not in browser.cookies
    assert browser.get("/api/v1/me").status_code == 401


def test_whoever_wanted_a_page_gets_it_after_logging_in(world: WebWorld) -> None:
    asked = world.visitor().get("/account?x=1&y=2")
    assert (asked.status_code, asked.headers["location"]) == (303, "/login?next=%2Faccount%3Fx%3D1%26y%3D2")
    form = Page(world.visitor().get(asked.headers["location"]).text)
    (wanted,) = [field for field in form.all("input") if field.get("name") == "next"]
    assert wanted["value"] == "/account?x=1&y=2"


@pytest.mark.parametrize(
    "evil",
    [
        "//evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "\\\\evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        " //evil.example",
        "http:evil.example",
        "///evil.example",
    ],
)
def test_nobody_is_led_to_another_site(world: WebWorld, evil: str) -> None:
    assert log_in(world, then=evil)[1].headers["location"] == "/"
    assert world.browser("ada").get("/login", params={"next": evil}).headers["location"] == "/"


def test_a_cookie_that_was_put_there_before_is_worth_nothing_after_logging_in(world: WebWorld) -> None:
    attacker = world.browser("sam")
    planted = attacker.cookies[COOKIE]
    victim = world.visitor()
    victim.cookies.set(COOKIE, planted)
    victim.csrf = attacker.csrf
    answer = victim.send_form("/login", {"name": "ada", "password": PASSWORD})
    assert answer.status_code == 303
    assert planted not in answer.headers["set-cookie"]
    assert attacker.get("/api/v1/me").status_code == 401


def test_after_logging_out_the_cookie_opens_nothing(world: WebWorld) -> None:
    browser, _ = log_in(world)
    token = browser.cookies[COOKIE]
    browser.open("/account")
    assert browser.send_form("/logout").headers["location"] == "/login"
    thief = world.visitor()
    thief.cookies.set(COOKIE, token)
    assert thief.get("/api/v1/me").status_code == 401
    assert "You are logged out." in browser.get("/login").text
    assert "You are logged out." not in browser.get("/login").text


def test_a_closed_account_is_out_at_the_next_request_and_cannot_come_back(world: WebWorld) -> None:
    browser, _ = log_in(world)
    script = world.script("ada")
    with world.database.writing() as session:
        account = session.get_one(models.Account, world.people["ada"].user_id)
        account.disabled_at = world.database.now(session)
    assert browser.get("/api/v1/me").status_code == 401
    assert script.get("/api/v1/me").status_code == 401
    assert log_in(world)[1].status_code == 401


def test_a_session_that_was_ended_is_over_at_the_next_request(world: WebWorld) -> None:
    browser, _ = log_in(world)
    with world.database.writing() as session:
        end_sessions_of(session, user_id=world.people["ada"].user_id)
    assert browser.get("/account").headers["location"].startswith("/login")


def test_a_session_ends_when_it_is_idle_or_old(tmp_path: Path) -> None:
    with web_world(tmp_path) as world:
        browser = world.browser("ada")
        assert browser.get("/api/v1/me").status_code == 200
        settings = world.context.web
        for field, age in (
            ("last_seen_at", settings.session_idle),
            ("expires_at", settings.session_longest),
        ):
            with world.database.writing() as session:
                (row,) = session.query(models.LoginSession).all()
                kept = getattr(row, field)
                setattr(row, field, kept - age)
            assert browser.get("/api/v1/me").status_code == 401, field
            with world.database.writing() as session:
                (row,) = session.query(models.LoginSession).all()
                setattr(row, field, kept)
            assert browser.get("/api/v1/me").status_code == 200, field


def test_the_site_is_where_its_setting_says(world: WebWorld) -> None:
    assert world.context.link("/join/x") == f"{SITE}/join/x"
