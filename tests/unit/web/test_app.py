from __future__ import annotations

from grader.services.reading import attempt
from tests.web import WebWorld


def test_the_api_says_who_i_am(world: WebWorld) -> None:
    assert world.script("ada").get("/api/v1/me").json()["login"] == "ada"
    assert world.browser("ben").get("/api/v1/me").json()["login"] == "ben"


def test_a_program_without_a_token_is_told_to_log_in(world: WebWorld) -> None:
    answer = world.visitor().get("/api/v1/me")
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "not_logged_in"
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_an_address_without_anything_is_a_page_and_for_programs_json(world: WebWorld) -> None:
    page = world.visitor().get("/nowhere")
    assert (page.status_code, "Not found" in page.text) == (404, True)
    assert 'href="/login?next=%2Fnowhere"' in page.text
    answer = world.visitor().get("/api/v1/nowhere")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_the_server_says_that_it_is_well(world: WebWorld) -> None:
    assert world.visitor().get("/health").text == "fine\n"


def test_work_can_be_handed_in_and_graded(world: WebWorld) -> None:
    receipt = world.graded("ada")
    assert attempt(world.database, receipt.attempt_id).score == 5
