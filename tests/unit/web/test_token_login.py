from __future__ import annotations

import pytest

from tests.web import PASSWORD, WebWorld

LAPTOP = {"name": "laptop", "days": 30}


def test_a_password_brings_a_token_that_works(world: WebWorld) -> None:
    visitor = world.visitor()
    made = visitor.post("/api/v1/tokens", json={"login": "ada", "password": PASSWORD, **LAPTOP})
    assert made.status_code == 201
    assert not visitor.cookies
    visitor.headers["authorization"] = f"Bearer {made.json()['secret']}"
    assert visitor.get("/api/v1/me").json()["login"] == "ada"
    (mine,) = visitor.get("/api/v1/me/tokens").json()
    assert (mine["name"], mine["id"]) == ("laptop", made.json()["id"])


@pytest.mark.parametrize("login, password", [("ada", "wrong"), ("nobody", PASSWORD)])
def test_whatever_is_wrong_is_answered_alike(world: WebWorld, login: str, password: str) -> None:
    answer = world.visitor().post("/api/v1/tokens", json={"login": login, "password": password, **LAPTOP})
    assert answer.status_code == 401
    assert answer.json()["error"]["message"].startswith("this name and password do not belong together")


def test_guessing_here_counts_as_guessing_at_the_log_in_page(world: WebWorld) -> None:
    visitor = world.visitor()
    guess = {"login": "ada", "password": "wrong", **LAPTOP}
    statuses = [visitor.post("/api/v1/tokens", json=guess).status_code for _ in range(30)]
    assert statuses[0] == 401
    assert statuses[-1] == 429
    visitor.open("/login")
    assert visitor.send_form("/login", {"name": "ada", "password": PASSWORD}).status_code == 429


def test_no_session_is_left_open(world: WebWorld) -> None:
    world.visitor().post("/api/v1/tokens", json={"login": "ada", "password": PASSWORD, **LAPTOP})
    page = world.browser("ada").get("/account").text
    assert "this one" in page
    assert "/account/sessions/" not in page
