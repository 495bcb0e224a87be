from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.services.accounts.secrets import new_secret
from grader.web.assets import asset_url, assets
from tests.web import SITE, Browser, Page, WebWorld, web_world

VENDOR = Path("grader/web/static/vendor")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    """One for all: what is refused here changes nothing."""
    with web_world(tmp_path_factory.mktemp("security")) as world:
        yield world


@pytest.fixture
def ada(world: WebWorld) -> Browser:
    return world.browser("ada")


def session_cookie(browser: Browser) -> str:
    """The header that a client does not send by itself, since the cookie is for TLS alone."""
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies.jar)


def code(answer: object) -> str:
    return answer.json()["error"]["code"]  # type: ignore[attr-defined]


# --- headers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/login", "/account", "/nowhere", "/api/v1/me", "/api/v1/nowhere", "/health"]
)
def test_every_answer_is_protected_and_numbered(ada: Browser, path: str) -> None:
    headers = ada.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "strict-transport-security" in headers
    assert re.fullmatch(r"[0-9a-f]{12}", headers["x-request-id"])
    assert "server" not in headers


@pytest.mark.parametrize("path", ["/login", "/account", "/nowhere"])
def test_no_page_needs_what_the_policy_forbids(ada: Browser, path: str) -> None:
    html = ada.get(path).text
    page = Page(html)
    for tag, attributes in page.elements:
        assert "style" not in attributes, tag
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("src", "href", "action"):
            assert not re.match(r"(?i)(https?:)?//|javascript:|data:", attributes.get(name) or "")
    assert all("src" in script for script in page.all("script"))
    assert not page.all("style")


def test_another_site_is_given_no_leave_to_read(ada: Browser) -> None:
    answer = ada.get("/api/v1/me", headers={"origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]
    preflight = ada.options(
        "/api/v1/me", headers={"origin": "https://evil.example", "access-control-request-method": "PUT"}
    )
    assert preflight.status_code == 405


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json", "/metrics", "/.env", "/.git/config"])
def test_nothing_of_the_inside_is_served(ada: Browser, path: str) -> None:
    assert ada.get(path).status_code == 404


# --- hosts and addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "grader.example.edu.evil.example", "", "grader.example.edu:81"]
)
def test_another_host_is_not_answered_for(ada: Browser, host: str) -> None:
    answer = ada.get("/login", headers={"host": host})
    assert answer.status_code == 421
    assert host not in answer.text or not host


def test_only_whether_the_server_is_well_is_told_under_any_name(ada: Browser) -> None:
    assert ada.get("/health", headers={"host": "127.0.0.1:8000"}).text == "fine\n"


def test_the_host_in_capitals_is_the_same(ada: Browser) -> None:
    assert ada.get("/api/v1/me", headers={"host": "GRADER.example.edu"}).status_code == 200


@pytest.mark.parametrize(
    "path, status",
    [
        ("/api/v1/me%00", 404),
        ("/account?x=%00", 400),
        ("/static/%2e%2e%2fsecret/x", 404),
        ("/static/x/app.js", 404),
        ("/account//profile", 404),
        ("/account/", 404),
        ("/account;x=1", 404),
        ("/api/v1/me/tokens/1e3", 405),
        ("/join/short", 404),
        ("/join/" + "a" * 40, 404),
    ],
)
def test_a_strange_address_is_an_answer_and_no_failure(ada: Browser, path: str, status: int) -> None:
    assert ada.get(path).status_code == status


# --- forgery ------------------------------------------------------------------------------------------------


def test_a_form_without_the_pages_token_changes_nothing(ada: Browser) -> None:
    answer = ada.post("/account/profile", data={"name": "Eve"})
    assert answer.status_code == 403
    assert "nothing was changed" in Page(answer.text).text
    assert ada.get("/api/v1/me").json()["name"] == "Ada"


@pytest.mark.parametrize("whose", ["another session", "made up", "empty"])
def test_anothers_token_is_no_better(world: WebWorld, ada: Browser, whose: str) -> None:
    ada.csrf = {"another session": world.browser("ben").csrf, "made up": new_secret(), "empty": ""}[whose]
    assert ada.send_form("/account/profile", {"name": "Eve"}).status_code == 403


def test_the_token_works_as_a_field_and_as_a_header(ada: Browser) -> None:
    try:
        assert ada.send_form("/account/profile", {"name": "Ada L."}).status_code == 303
        assert ada.get("/api/v1/me").json()["name"] == "Ada L."
    finally:
        headers = {"x-csrf-token": ada.csrf}
        assert ada.post("/account/profile", data={"name": "Ada"}, headers=headers).status_code == 303
    assert ada.get("/api/v1/me").json()["name"] == "Ada"


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://grader.example.edu",
        "https://grader.example.edu:444",
        "https://grader.example.edu.evil.example",
        "https://evil.example/https://grader.example.edu",
        "grader.example.edu",
        "https://x:1",
    ],
)
def test_a_page_of_another_site_is_refused_even_with_the_token(ada: Browser, origin: str) -> None:
    answer = ada.send_form("/account/profile", {"name": "Eve"}, headers={"origin": origin})
    assert answer.status_code == 403
    assert ada.get("/api/v1/me").json()["name"] == "Ada"


@pytest.mark.parametrize("origin", ["https://grader.example.edu", "HTTPS://Grader.Example.Edu", "null"])
def test_a_page_of_our_own_site_is_let_in(ada: Browser, origin: str) -> None:
    # The name it sends is the one that she has.
    assert ada.send_form("/account/profile", {"name": "Ada"}, headers={"origin": origin}).status_code == 303


def test_with_tls_a_page_without_is_another_site_although_the_proxy_says_nothing(ada: Browser) -> None:
    ada.base_url = SITE.replace("https", "http")
    for origin, status in ((SITE, 303), (SITE.replace("https", "http"), 403)):
        answer = ada.send_form(
            f"{SITE.replace('https', 'http')}/account/profile",
            {"name": "Ada"},
            headers={"origin": origin, "cookie": session_cookie(ada)},
        )
        assert answer.status_code == status


def test_without_tls_a_page_without_is_our_own(tmp_path: Path) -> None:
    url = "http://127.0.0.1:8000"
    with web_world(tmp_path, url=url) as world:
        browser = world.browser("ada")
        browser.base_url = url
        for origin, status in ((url, 303), ("https://127.0.0.1:8000", 403), ("http://localhost:8000", 403)):
            answer = browser.send_form("/account/profile", {"name": "Ada"}, headers={"origin": origin})
            assert answer.status_code == status


def test_logging_in_is_guarded_too(world: WebWorld) -> None:
    stranger = world.visitor()
    answer = stranger.post("/login", data={"name": "sam", "password": "x"})
    assert answer.status_code == 403
    stranger.open("/login")
    assert stranger.send_form("/login", {"name": "sam", "password": "x"}).status_code == 401


def test_a_browser_that_uses_the_api_needs_the_header(ada: Browser) -> None:
    wanted = {"name": "laptop", "days": 3}
    assert ada.post("/api/v1/me/tokens", json=wanted).status_code == 403
    made = ada.post("/api/v1/me/tokens", json=wanted, headers={"x-csrf-token": ada.csrf})
    assert made.status_code == 201


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/x-yaml", ""]
)
def test_the_api_takes_nothing_but_json(world: WebWorld, kind: str) -> None:
    script = world.script("ada")
    body = json.dumps({"name": "laptop", "days": 3})
    answer = script.post("/api/v1/me/tokens", content=body, headers={"content-type": kind})
    assert (answer.status_code, code(answer)) == (415, "unsupported_media_type")


# --- tokens -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        "Bearer jgt_" + "a" * 43,
        "Bearer ",
        "Bearer",
        "Basic YWRhOng=",
        "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.",
        "Bearer \x00",
    ],
)
def test_what_is_no_token_of_ours_is_refused_even_beside_a_good_cookie(ada: Browser, header: str) -> None:
    answer = ada.get("/api/v1/me", headers={"authorization": header.encode("latin-1")})
    assert (answer.status_code, code(answer)) == (401, "not_logged_in")


def test_a_token_in_the_address_is_no_token(world: WebWorld) -> None:
    secret = world.script("ada").headers["authorization"].removeprefix("Bearer ")
    for name in ("token", "access_token", "authorization"):
        assert world.visitor().get("/api/v1/me", params={name: secret}).status_code == 401


def test_a_token_opens_no_page(world: WebWorld) -> None:
    assert world.script("ada").get("/account").headers["location"].startswith("/login")


# --- bodies -------------------------------------------------------------------------------------------------

BAD_JSON = {
    "deep": b"[" * 100_000,
    "deep objects": b'{"a":' * 50 + b"1" + b"}" * 50,
    "a huge number": b'{"name": "x", "days": ' + b"1" * 1_000_000 + b"}",
    "a long number": b'{"name": "x", "days": ' + b"1" * 5000 + b"}",
    "not a number": b'{"name": "x", "days": NaN}',
    "infinity": b'{"name": "x", "days": -Infinity}',
    "beyond floats": b'{"name": "x", "days": 1e999}',
    "a key twice": b'{"name": "x", "days": 1, "days": 2}',
    "not UTF-8": b'{"name": "\xff\xfe", "days": 1}',
    "a byte order mark": b'\xef\xbb\xbf{"name": "x", "days": 1}',
    "NUL": b'{"name": "\\u0000", "days": 1}',
    "half a character": b'{"name": "\\ud800", "days": 1}',
    "cut short": b'{"name": "x"',
    "two documents": b"{} {}",
}


@pytest.mark.parametrize("body", BAD_JSON.values(), ids=BAD_JSON)
def test_json_that_parsers_differ_about_or_choke_on_is_refused(world: WebWorld, body: bytes) -> None:
    answer = world.script("ada").post(
        "/api/v1/me/tokens", content=body, headers={"content-type": "application/json"}
    )
    assert (answer.status_code, code(answer)) == (400, "invalid_json")


def test_a_million_keys_are_too_large(world: WebWorld) -> None:
    body = json.dumps({f"key{number}": number for number in range(100_000)}).encode()
    answer = world.script("ada").post(
        "/api/v1/me/tokens", content=body, headers={"content-type": "application/json"}
    )
    assert (answer.status_code, code(answer)) == (413, "too_large")


def test_a_field_that_nobody_knows_is_refused_and_named(world: WebWorld) -> None:
    answer = world.script("ada").put(
        "/api/v1/me", json={"name": "Ada", "email": None, "timezone": None, "role": "instructor"}
    )
    assert (answer.status_code, code(answer)) == (422, "invalid_input")
    assert [field["field"] for field in answer.json()["error"]["fields"]] == ["role"]


def test_a_body_without_end_is_cut_off(world: WebWorld) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(10_000):
            sent += 1 << 16
            yield b"x" * (1 << 16)

    answer = world.script("ada").post(
        "/api/v1/me/tokens", content=endless(), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 413


@pytest.mark.parametrize("length", ["10737418240", "-1", "1e3", "٣", "0x10", ""])
def test_an_announced_length_is_believed_only_to_refuse(world: WebWorld, length: str) -> None:
    answer = world.visitor().post(
        "/login", content=b"x", headers={"content-length": length.encode(), "content-type": "text/plain"}
    )
    assert answer.status_code == 413


def test_ten_thousand_fields_are_refused(ada: Browser) -> None:
    body = "&".join(f"f{number}=1" for number in range(10_000))
    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert ada.post("/account/profile", content=body, headers=headers).status_code == 400


def test_nul_in_a_form_is_named_and_not_stored(ada: Browser) -> None:
    answer = ada.send_form("/account/profile", {"name": "A\0da"})
    assert answer.status_code == 422
    assert "NUL" in answer.text


# --- failures -----------------------------------------------------------------------------------------------


def test_a_failure_of_ours_is_told_without_its_details(
    world: WebWorld, ada: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the secret inside")

    monkeypatch.setattr("grader.web.api.accounts.profile_of", fail)
    monkeypatch.setattr("grader.web.pages.accounts.profile_of", fail)
    for path in ("/api/v1/me", "/account"):
        answer = ada.get(path)
        assert answer.status_code == 500
        assert "secret inside" not in answer.text
        assert "Traceback" not in answer.text
        number = answer.headers["x-request-id"]
        assert number in answer.text
        assert any(number in record.getMessage() for record in caplog.records)
    assert world.visitor().get("/health").status_code == 200


@pytest.mark.parametrize(
    "path", ["/account/profile", "/api/v1/me/tokens/00000000-0000-0000-0000-000000000000"]
)
def test_a_method_that_an_address_does_not_take_is_said_so(ada: Browser, path: str) -> None:
    assert ada.get(path).status_code == 405


# --- static files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(assets()))
def test_static_files_are_kept_for_ever_under_their_content(ada: Browser, name: str) -> None:
    for encoding in ("gzip", "identity"):
        answer = ada.get(asset_url(name), headers={"accept-encoding": encoding})
        assert answer.status_code == 200
        assert answer.content == assets()[name].body
        assert "immutable" in answer.headers["cache-control"]
        assert "set-cookie" not in answer.headers


def test_a_page_weighs_less_than_a_hundred_kilobytes() -> None:
    assert sum(len(asset.body) for asset in assets().values()) < 100_000


def test_scripts_of_others_are_what_their_note_says(project_root: Path) -> None:
    note = (project_root / VENDOR / "README.md").read_text("utf-8")
    scripts = list((project_root / VENDOR).glob("*.js"))
    assert len(scripts) == 2
    for script in scripts:
        assert hashlib.sha256(script.read_bytes()).hexdigest() in note


def test_the_site_is_only_reached_by_its_own_address(world: WebWorld) -> None:
    assert world.context.web.url == SITE
