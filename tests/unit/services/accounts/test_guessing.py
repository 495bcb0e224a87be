"""Who can keep whom out, with passwords typed for real; the clock is the test's."""

from __future__ import annotations

from datetime import timedelta

import pytest

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotLoggedIn, TooManyRequests
from grader.services.access import Actor
from grader.services.accounts.devices import remember_device
from grader.services.accounts.guessing import Limits, network_of
from grader.services.accounts.logging_in import Credentials, log_in, require_password
from grader.services.accounts.passwords import hash_password
from grader.services.accounts.profile import set_password
from grader.services.websettings import WebSettings
from tests.courses import SECRET
from tests.unit.services.accounts.conftest import PASSWORD, Clock, MakePerson

FEW = Limits(source=3, account=5, account_pause=timedelta(seconds=30), address=8)
HALL = "192.0.2.1"
HOME = "198.51.100.7"

pytestmark = pytest.mark.usefixtures("ada")


@pytest.fixture(autouse=True)
def _time_stands_still(clock: Clock) -> None:
    """Passwords take real time to look at; none of it passes here."""


@pytest.fixture
def ada(person: MakePerson) -> Actor:
    return person("ada")


def enter(
    database: Database, name: str = "ada", password: str = PASSWORD, *, address: str = HALL, device: str = ""
) -> str:
    given = Credentials(name=name, password=password, address=address, device=device)
    return log_in(database, given, settings=WebSettings(), secret=SECRET, limits=FEW)


def device_after(database: Database, token: str, cookie: str = "") -> str:
    found = remember_device(database, session_token=token, cookie=cookie, secret=SECRET)
    assert found is not None
    return found


def guess(database: Database, name: str = "ada", *, address: str = HALL, device: str = "") -> str:
    """What a wrong password is answered with, in one word."""
    try:
        enter(database, name, "not the password", address=address, device=device)
    except TooManyRequests:
        return "wait"
    except NotLoggedIn:
        return "wrong"
    return "in"


def test_a_name_has_so_many_tries_from_one_network(database: Database) -> None:
    assert [guess(database) for _ in range(4)] == ["wrong"] * 3 + ["wait"]
    with pytest.raises(TooManyRequests):
        enter(database)


def test_a_classmate_cannot_keep_the_owner_out_of_a_browser_they_know(database: Database) -> None:
    device = device_after(database, enter(database))
    while guess(database) != "wait":
        pass
    while guess(database, "nobody") != "wait":
        pass
    assert enter(database, device=device)
    assert enter(database, "ada@example.edu", device=device)


def test_a_classmate_cannot_keep_the_owner_out_elsewhere(database: Database) -> None:
    while guess(database) != "wait":
        pass
    assert enter(database, address=HOME)


def test_many_networks_together_only_slow_an_account_down(database: Database, clock: Clock) -> None:
    answers = [guess(database, address=f"203.0.113.{number}") for number in range(8)]
    assert answers == ["wrong"] * 5 + ["wait"] * 3
    with pytest.raises(TooManyRequests) as refused:
        enter(database, address=HOME)
    assert refused.value.retry_after_s == 30
    clock.forward(seconds=30)
    assert enter(database, address=HOME)


def test_one_network_has_so_many_tries_at_all_accounts(database: Database) -> None:
    answers = [guess(database, f"student{number}") for number in range(9)]
    assert answers == ["wrong"] * 8 + ["wait"]
    assert guess(database, "student9", address=HOME) == "wrong"


def test_a_known_browser_has_its_own_tries_and_no_more(database: Database, clock: Clock) -> None:
    device = device_after(database, enter(database))
    answers = [guess(database, device=device, address=f"203.0.113.{number}") for number in range(4)]
    assert answers == ["wrong"] * 3 + ["wait"]
    assert enter(database)
    clock.forward(minutes=15)
    assert enter(database, device=device)


def test_a_right_password_leaves_room_for_mistakes_again(database: Database) -> None:
    for _ in range(2):
        assert [guess(database), guess(database)] == ["wrong", "wrong"]
        assert enter(database)


@pytest.mark.parametrize("names", [("ada", "ada@example.edu"), ("nobody", "nobody@example.edu")])
def test_two_names_of_one_account_are_answered_like_two_that_nobody_has(
    database: Database, names: tuple[str, str]
) -> None:
    answers = [guess(database, names[number % 2]) for number in range(8)]
    assert answers == ["wrong"] * 6 + ["wait"] * 2


def test_two_names_of_one_account_have_its_tries_together(database: Database) -> None:
    for name in ("ada", "ada@example.edu", "ADA "):
        guess(database, name)
    with pytest.raises(NotLoggedIn):
        enter(database, "ada@example.edu")


def test_slowing_an_account_down_tells_nothing_of_its_other_name(database: Database) -> None:
    for number in range(5):
        guess(database, "ada", address=f"203.0.113.{number}")
    assert guess(database, "ada@example.edu", address=HOME) == "wrong"
    with pytest.raises(NotLoggedIn):
        enter(database, "ada@example.edu", address=HOME)


def test_guesses_from_outside_do_not_keep_the_owner_from_a_new_password(
    database: Database, ada: Actor
) -> None:
    while guess(database) != "wait":
        pass
    require_password(database, user_id=ada.user_id, password=PASSWORD)


def test_a_stolen_session_cannot_guess_the_password(database: Database, ada: Actor) -> None:
    for _ in range(10):
        with pytest.raises(NotLoggedIn):
            require_password(database, user_id=ada.user_id, password="not the password")
    with pytest.raises(TooManyRequests):
        require_password(database, user_id=ada.user_id, password=PASSWORD)


def test_anothers_browser_is_a_strangers(database: Database, person: MakePerson) -> None:
    person("ben")
    device = device_after(database, enter(database, "ben"))
    while guess(database) != "wait":
        pass
    assert guess(database, device=device) == "wait"


@pytest.mark.parametrize("change", ["a letter", "cut", "empty", "noise", "other secret"])
def test_a_cookie_that_we_did_not_make_is_a_strangers(database: Database, change: str) -> None:
    token = enter(database)
    device = device_after(database, token)
    other = remember_device(database, session_token=token, cookie="", secret=SECRET[::-1])
    forged = {
        "a letter": ("B" if device[0] == "A" else "A") + device[1:],
        "cut": device[:-1],
        "empty": "",
        "noise": "." * 4000,
        "other secret": other,
    }[change]
    while guess(database) != "wait":
        pass
    assert guess(database, device=forged or "") == "wait"


def test_a_new_password_makes_browsers_strangers(database: Database, ada: Actor) -> None:
    device = device_after(database, enter(database))
    with database.writing() as session:
        set_password(session, user_id=ada.user_id, password_hash=hash_password("another good password"))
    while guess(database) != "wait":
        pass
    assert guess(database, device=device) == "wait"


def test_one_browser_is_known_by_several_accounts_and_the_last_stay(
    database: Database, person: MakePerson
) -> None:
    logins = ["ada", *(person(f"student{number}").login for number in range(5))]
    cookie = ""
    for login in logins:
        cookie = device_after(database, enter(database, login), cookie)
    assert len(cookie) < 400
    while guess(database, "nobody") != "wait":
        pass
    while guess(database, "somebody") != "wait":
        pass
    while guess(database, "anybody") != "wait":
        pass
    assert [guess(database, login, device=cookie) for login in logins] == ["wait"] + ["wrong"] * 5


def test_logging_in_again_does_not_fill_the_cookie(database: Database) -> None:
    cookie = device_after(database, enter(database))
    again = device_after(database, enter(database), cookie)
    assert len(again) == len(cookie)
    assert again != cookie


def test_who_has_no_password_needs_no_cookie(database: Database, ada: Actor) -> None:
    token = enter(database)
    with database.writing() as session:
        session.get_one(models.Account, ada.user_id).password_hash = None
    assert remember_device(database, session_token=token, cookie="", secret=SECRET) is None


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("testclient", "testclient", True),
    ],
)
def test_a_network_of_free_addresses_counts_as_one(one: str, other: str, *, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same
