from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import select

from grader.db import models
from grader.services.accounts.oidc import OidcProvider
from grader.web.app import create_app
from tests.provider import Provider, oidc_provider
from tests.web import PASSWORD, SITE, Browser, Page, WebWorld, web_world


@pytest.fixture
def provider() -> Iterator[Provider]:
    with oidc_provider() as provider:
        yield provider


@pytest.fixture
def world(provider: Provider, tmp_path: Path) -> Iterator[WebWorld]:
    with web_world(tmp_path) as world:
        use(world, provider, new_people=True)
        yield world


def use(world: WebWorld, provider: Provider, **changes: object) -> None:
    """Let the world's server trust the provider."""
    world.context = replace(world.context, sso=OidcProvider(provider.settings(**changes)))
    world.app = create_app(world.context)


def come_by(provider: Provider, browser: Browser, wanted: str = "/account") -> httpx.Response:
    """Log in through the provider, as a browser does."""
    away = browser.get("/login/sso", params={"next": wanted})
    assert away.status_code == 303
    assert away.headers["location"].startswith(f"{provider.issuer}/authorize?")
    back = provider.log_in(away.headers["location"])
    assert back.startswith(f"{SITE}/login/sso/back?")
    return browser.get(back)


def name_in(browser: Browser) -> str:
    return browser.get("/api/v1/me").json()["login"]


def test_somebody_new_gets_an_account_and_comes_back_to_it(world: WebWorld, provider: Provider) -> None:
    browser = world.visitor()
    answer = come_by(provider, browser)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    assert name_in(browser) == "carla"
    provider.person["email"], provider.person["preferred_username"] = "carla@elsewhere.example", "c2"
    again = world.visitor()
    come_by(provider, again)
    assert name_in(again) == "carla"


def test_the_log_in_page_offers_it(world: WebWorld) -> None:
    links = Page(world.visitor().get("/login?next=/account").text).all("a")
    assert "/login/sso?next=/account" in [link.get("href") for link in links]


def test_a_member_is_known_by_a_verified_address(world: WebWorld, provider: Provider) -> None:
    provider.person["email"] = "Ada@Example.edu"
    browser = world.visitor()
    come_by(provider, browser)
    assert name_in(browser) == "ada"


def test_who_typed_the_address_of_another_is_shut_out_when_its_owner_comes(
    world: WebWorld, provider: Provider
) -> None:
    squatter, script = world.browser("ben"), world.script("ben")
    provider.person["email"] = "ben@example.edu"
    owner = world.visitor()
    come_by(provider, owner)
    assert name_in(owner) == "ben"
    assert squatter.get("/api/v1/me").status_code == 401
    assert script.get("/api/v1/me").status_code == 401
    again = world.visitor()
    again.open("/login")
    assert again.send_form("/login", {"name": "ben", "password": PASSWORD}).status_code == 401


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_address_that_is_not_verified_leads_into_nobodys_account(
    world: WebWorld, provider: Provider, verified: object
) -> None:
    provider.person |= {"email": "ada@example.edu", "email_verified": verified}
    browser = world.visitor()
    come_by(provider, browser)
    assert name_in(browser) == "carla"


def test_without_leave_for_new_people_only_those_of_a_course_come_in(
    world: WebWorld, provider: Provider
) -> None:
    use(world, provider, new_people=False)
    answer = come_by(provider, world.visitor())
    assert answer.status_code == 403
    assert "No course knows your address" in Page(answer.text).text
    provider.person["email"] = "ada@example.edu"
    assert come_by(provider, world.visitor()).status_code == 303


def test_only_the_domains_that_are_allowed_come_in(world: WebWorld, provider: Provider) -> None:
    use(world, provider, new_people=True, domains=frozenset({"example.edu"}))
    assert come_by(provider, world.visitor()).status_code == 303
    for email in ("x@evil.example", "x@example.edu.evil.example", "x@sub.example.edu"):
        provider.person |= {"email": email, "sub": email}
        assert come_by(provider, world.visitor()).status_code == 403


def test_a_name_that_is_taken_is_numbered(world: WebWorld, provider: Provider) -> None:
    provider.person |= {"preferred_username": "Ada", "email": "x@example.org"}
    browser = world.visitor()
    come_by(provider, browser)
    assert name_in(browser) == "ada2"


def test_a_closed_account_stays_closed(world: WebWorld, provider: Provider) -> None:
    provider.person["email"] = "ada@example.edu"
    come_by(provider, world.visitor())
    with world.database.writing() as session:
        account = session.get_one(models.Account, world.people["ada"].user_id)
        account.disabled_at = world.database.now(session)
    assert come_by(provider, world.visitor()).status_code == 403


LIES: dict[str, dict[str, object]] = {
    "another log-in's nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "another audience": {"aud": "somebody-else"},
    "no audience": {"aud": None},
    "several audiences and the other one's party": {"aud": ["grader", "other"], "azp": "other"},
    "another issuer": {"iss": "https://evil.example"},
    "expired": {"exp": int(time.time()) - 3600},
    "no end": {"exp": None},
    "issued in the future": {"iat": int(time.time()) + 3600},
    "nobody": {"sub": None},
    "a number for a name": {"sub": 7},
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_token_that_is_not_for_this_log_in_opens_nothing(
    world: WebWorld, provider: Provider, lie: dict[str, object]
) -> None:
    provider.spoil = lie
    browser = world.visitor()
    answer = come_by(provider, browser)
    assert answer.status_code == 401
    assert browser.get("/api/v1/me").status_code == 401


SIGNERS: dict[str, Callable[[Provider], object]] = {
    "nobody": lambda provider: provider.unsigned,
    "another key": lambda provider: provider.signed_by_another,
    "the client's secret": lambda provider: provider.signed_with_the_client_secret,
    "no token at all": lambda _: lambda _claims: "",
    "not a token": lambda _: lambda _claims: "a.b.c",
}


@pytest.mark.parametrize("signer", SIGNERS.values(), ids=SIGNERS)
def test_a_token_signed_by_anybody_else_opens_nothing(
    world: WebWorld, provider: Provider, signer: Callable[[Provider], object]
) -> None:
    provider.sign = signer(provider)  # type: ignore[assignment]
    assert come_by(provider, world.visitor()).status_code == 401


def test_a_provider_may_change_its_keys(world: WebWorld, provider: Provider) -> None:
    come_by(provider, world.visitor())
    provider.change_keys()
    assert come_by(provider, world.visitor()).status_code == 303


def test_an_answer_works_in_the_browser_that_asked_and_once(world: WebWorld, provider: Provider) -> None:
    victim, attacker = world.visitor(), world.visitor()
    back = provider.log_in(attacker.get("/login/sso").headers["location"])
    assert victim.get(back).status_code == 401, "somebody else's answer must not log a victim in"
    assert attacker.get(back.replace("state=", "state=x")).status_code == 401
    back = provider.log_in(attacker.get("/login/sso").headers["location"])
    assert attacker.get(back).status_code == 303
    attacker.get("/login/sso")
    assert attacker.get(back).status_code == 401


def test_an_answer_without_a_code_says_to_begin_again(world: WebWorld, provider: Provider) -> None:
    browser = world.visitor()
    state = urlsplit(browser.get("/login/sso").headers["location"]).query.split("state=")[1].split("&")[0]
    answer = browser.get("/login/sso/back", params={"state": state, "error": "access_denied"})
    assert answer.status_code == 401
    assert "Begin again" in answer.text
    assert provider.issuer


def test_a_provider_that_is_away_or_another_is_said_so(world: WebWorld, provider: Provider) -> None:
    use(world, provider, issuer="http://127.0.0.1:9")
    assert world.visitor().get("/login/sso").status_code == 503
    use(world, provider, issuer=provider.issuer + "/")
    assert "by another name" in world.visitor().get("/login/sso").text


def test_nobody_is_led_elsewhere_afterwards(world: WebWorld, provider: Provider) -> None:
    for evil in ("//evil.example", "https://evil.example"):
        assert come_by(provider, world.visitor(), evil).headers["location"] == "/"


def test_without_a_provider_there_is_no_such_page(tmp_path: Path) -> None:
    with web_world(tmp_path / "other") as world:
        assert world.visitor().get("/login/sso").status_code == 404
        assert world.visitor().get("/login/sso/back").status_code == 404


def test_secrets_of_the_log_in_are_nowhere_in_the_database(world: WebWorld, provider: Provider) -> None:
    come_by(provider, world.visitor())
    with world.database.reading() as session:
        identities = list(session.scalars(select(models.Identity)))
    assert [(one.issuer, one.subject) for one in identities] == [(provider.issuer, "u-1")]
