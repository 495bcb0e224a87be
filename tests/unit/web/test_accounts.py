from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from grader.services.accounts.setup import setup_code
from grader.web.app import create_app
from tests.builders import HOSTILE
from tests.courses import SECRET
from tests.storage import open_database
from tests.web import PASSWORD, SITE, Browser, Page, WebWorld, web_context


def test_a_person_changes_how_they_are_called_and_shown_the_time(world: WebWorld) -> None:
    ada = world.browser("ada")
    form = {"name": "Ada Lovelace", "email": "countess@example.org", "timezone": "Europe/London"}
    assert ada.send_form("/account/profile", form).headers["location"] == "/account"
    page = ada.get("/account").text
    assert "Saved." in page
    mine = ada.get("/api/v1/me").json()
    assert {key: mine[key] for key in form} == form
    assert "GMT" in page or "BST" in page


@pytest.mark.parametrize(
    "field, value, said",
    [
        ("name", "", "it is empty"),
        ("name", "x" * 121, "longer than 120"),
        ("name", "a\u202eb", "cannot be seen"),
        ("email", "nowhere", "not an e-mail address"),
        ("email", "ben@example.edu", "somebody else has"),
        ("email", "BEN", "not an e-mail address"),
        ("timezone", "Mars/Olympus", "it is no time zone"),
    ],
)
def test_what_cannot_be_used_is_said_beside_its_field_and_nothing_is_lost(
    world: WebWorld, field: str, value: str, said: str
) -> None:
    ada = world.browser("ada")
    form = {"name": "Ada L.", "email": "ada@example.edu", "timezone": "", field: value}
    answer = ada.send_form("/account/profile", form)
    assert answer.status_code in (409, 422)
    assert said in Page(answer.text).text.lower()
    assert ada.get("/api/v1/me").json()["name"] == "Ada"


def test_a_form_with_an_error_ties_it_to_its_field(world: WebWorld) -> None:
    answer = world.browser("ada").send_form("/account/profile", {"name": "Ada", "email": "nowhere"})
    page = Page(answer.text)
    (field,) = [one for one in page.all("input") if one.get("id") == "f-email"]
    assert field["aria-invalid"] == "true"
    assert field["value"] == "nowhere"
    ids = {one.get("id") for _, one in page.elements}
    assert set((field["aria-describedby"] or "").split()) <= ids


def test_changing_the_password_logs_out_everywhere_else(world: WebWorld) -> None:
    here = world.browser("ada")
    elsewhere = world.visitor()
    elsewhere.open("/login")
    elsewhere.send_form("/login", {"name": "ada", "password": PASSWORD})
    answer = here.send_form("/account/password", {"current": "wrong", "new": "a new long password"})
    assert answer.status_code == 401
    assert elsewhere.get("/api/v1/me").status_code == 200
    form = {"current": PASSWORD, "new": "a new long password"}
    assert here.send_form("/account/password", form).status_code == 303
    assert here.get("/api/v1/me").status_code == 200
    assert elsewhere.get("/api/v1/me").status_code == 401


def test_the_old_password_cannot_be_guessed_from_an_open_session(world: WebWorld) -> None:
    ada = world.browser("ada")
    form = {"current": "wrong", "new": "a new long password"}
    said = [ada.send_form("/account/password", form).status_code for _ in range(11)]
    assert said == [401] * 10 + [429]


def test_sessions_are_listed_and_ended_by_their_owner_alone(world: WebWorld) -> None:
    elsewhere = world.visitor(headers={"user-agent": "Old phone <script>alert('x')</script>"})
    elsewhere.open("/login")
    elsewhere.send_form("/login", {"name": "ada", "password": PASSWORD})
    ada, ben = world.browser("ada"), world.browser("ben")
    page = ada.get("/account").text
    assert "Old phone" in page
    assert "<script>alert" not in page
    (end,) = {
        form["action"]
        for form in Page(page).all("form")
        if (form.get("action") or "").startswith("/account/sessions/")
    }
    assert ben.send_form(end).status_code == 404
    assert elsewhere.get("/api/v1/me").status_code == 200
    assert ada.send_form(end).status_code == 303
    assert elsewhere.get("/api/v1/me").status_code == 401


def token_in(page: str) -> str:
    return next(word for word in Page(page).text.split() if word.startswith("jgt_"))


def test_a_token_is_shown_once_works_and_is_revoked(world: WebWorld) -> None:
    ada = world.browser("ada")
    made = ada.send_form(
        "/account/tokens", {"name": f"laptop {HOSTILE[:30]}".replace("\0", ""), "days": "30"}
    )
    secret = token_in(made.text)
    assert "<script>alert" not in made.text
    assert secret not in ada.get("/account").text
    script = world.visitor()
    script.headers["authorization"] = f"Bearer {secret}"
    assert script.get("/api/v1/me").json()["login"] == "ada"
    (revoke,) = {
        form["action"]
        for form in Page(made.text).all("form")
        if (form.get("action") or "").endswith("/revoke")
    }
    assert world.browser("ben").send_form(revoke).status_code == 404
    assert ada.send_form(revoke).status_code == 303
    assert script.get("/api/v1/me").status_code == 401


def test_a_program_manages_its_owners_tokens(world: WebWorld) -> None:
    script = world.script("ada")
    made = script.post("/api/v1/me/tokens", json={"name": "robot", "days": 7})
    assert made.status_code == 201
    listed = script.get("/api/v1/me/tokens").json()
    assert {token["name"] for token in listed} == {"robot", "test"}
    assert made.json()["secret"] not in str(listed)
    assert script.delete(f"/api/v1/me/tokens/{made.json()['id']}").status_code == 204
    assert script.delete(f"/api/v1/me/tokens/{made.json()['id']}").status_code == 404
    for wrong in ({"name": "x", "days": 0}, {"name": "x", "days": 10**6}, {"name": " ", "days": 1}):
        assert script.post("/api/v1/me/tokens", json=wrong).status_code == 422


def test_a_link_is_made_by_a_program_and_used_in_a_browser(world: WebWorld) -> None:
    made = world.script("ines").post("/api/v1/courses/jax/invitations", json={"role": "ta"}).json()
    assert made["link"].startswith(f"{SITE}/join/")
    path = made["link"].removeprefix(SITE)
    carla = world.visitor()
    assert "You are invited as a TA" in Page(carla.open(path).text).text
    form = {"login": "carla", "name": "Carla", "email": "", "password": PASSWORD}
    short = carla.send_form(path, {**form, "password": "short"})
    assert (short.status_code, "at least 10 are needed" in short.text) == (422, True)
    assert 'value="Carla"' in short.text
    joined = carla.send_form(path, form)
    assert (joined.status_code, joined.headers["location"]) == (303, "/courses/jax")
    assert carla.get("/api/v1/me").json()["login"] == "carla"
    assert world.visitor().get(path).status_code == 404


def test_who_is_logged_in_joins_with_one_press(world: WebWorld) -> None:
    made = world.script("ines").post("/api/v1/courses/jax/invitations", json={"role": "student"}).json()
    path = made["link"].removeprefix(SITE)
    sam = world.browser("sam")
    assert "Join as Sam" in Page(sam.get(path).text).text
    assert sam.send_form(f"{path}/as-me").headers["location"] == "/courses/jax"
    assert world.visitor().post(f"{path}/as-me").status_code == 403


def test_a_lost_password_is_replaced_through_a_link(world: WebWorld) -> None:
    ben = world.people["ben"].user_id
    made = world.script("ines").post(f"/api/v1/courses/jax/members/{ben}/password-link").json()
    path = made["link"].removeprefix(SITE)
    stranger = world.visitor()
    stranger.open(path)
    answer = stranger.send_form(path, {"password": "a new long password"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert stranger.get("/api/v1/me").json()["login"] == "ben"


@pytest.mark.parametrize("login, status", [("tom", 403), ("ada", 403), ("sam", 404)])
def test_nobody_but_the_courses_instructors_makes_links(world: WebWorld, login: str, status: int) -> None:
    script = world.script(login)
    ines = world.people["ines"].user_id
    for method, path, body in (
        ("GET", "/api/v1/courses/jax/invitations", None),
        ("POST", "/api/v1/courses/jax/invitations", {"role": "instructor"}),
        ("POST", "/api/v1/courses/jax/invitations/people", {"user_ids": [str(ines)]}),
        ("DELETE", f"/api/v1/courses/jax/invitations/{uuid4()}", None),
        ("POST", f"/api/v1/courses/jax/members/{ines}/password-link", None),
    ):
        assert script.request(method, path, json=body).status_code == status, path


def test_links_are_listed_and_taken_back(world: WebWorld) -> None:
    script = world.script("ines")
    made = script.post("/api/v1/courses/jax/invitations", json={"role": "student", "days": 3}).json()
    (listed,) = script.get("/api/v1/courses/jax/invitations").json()
    assert (listed["id"], listed["made_by"]) == (made["id"], "Ines")
    assert made["link"].rsplit("/", 1)[1] not in str(listed)
    assert script.delete(f"/api/v1/courses/jax/invitations/{made['id']}").status_code == 204
    assert script.get("/api/v1/courses/jax/invitations").json() == []


def test_the_first_person_sets_the_server_up(tmp_path: Path) -> None:
    with open_database("sqlite") as database:
        context = web_context(database, tmp_path)
        browser = Browser(create_app(context), base_url=SITE, follow_redirects=False)
        assert browser.get("/login").headers["location"] == "/setup"
        assert "Set up this server" in browser.open("/setup").text
        form = {"login": "ines", "name": "Ines", "email": "", "password": PASSWORD}
        wrong = browser.send_form("/setup", {**form, "code": "aaaa-bbbb-cccc-dddd"})
        assert (wrong.status_code, setup_code(SECRET) in wrong.text) == (422, False)
        done = browser.send_form("/setup", {**form, "code": setup_code(SECRET)})
        assert (done.status_code, done.headers["location"]) == (303, "/")
        mine = browser.get("/api/v1/me").json()
        assert (mine["login"], mine["may_create_courses"]) == ("ines", True)
        assert browser.get("/setup").headers["location"] == "/login"
