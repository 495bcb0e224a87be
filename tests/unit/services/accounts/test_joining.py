from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from sqlalchemy import select

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import (
    Conflict,
    InvalidInput,
    LinkUnusable,
    NotAllowed,
    NotFound,
    NotLoggedIn,
)
from grader.domain.people import Role
from grader.services.access import Actor, seats_of
from grader.services.accounts.invitations import (
    invitations_of,
    invite,
    invite_people,
    reset_password,
    reset_password_by_operator,
    revoke_invitation,
)
from grader.services.accounts.joining import (
    LinkKind,
    join_as,
    join_as_new,
    join_with_password,
    open_link,
)
from grader.services.accounts.logging_in import Credentials, log_in
from grader.services.accounts.members import NewPerson
from grader.services.accounts.sessions import resume_session
from grader.services.accounts.tokens import create_token, resume_token
from grader.services.people import enrol, ensure_course
from grader.services.roster.members import remove_member
from grader.services.websettings import WebSettings
from tests.courses import SECRET, SampleCourse
from tests.unit.services.accounts.conftest import PASSWORD, Clock, MakePerson

WEB = WebSettings()


@pytest.fixture
def ines(person: MakePerson) -> Actor:
    return person("ines", Role.INSTRUCTOR)


def link(database: Database, ines: Actor, role: Role = Role.STUDENT) -> str:
    return invite(database, actor=ines, course="jax", role=role).secret


def newcomer(login: str = "carla", **changes: str) -> NewPerson:
    details = {"name": "Carla", "email": f"{login}@example.edu", "password": PASSWORD, **changes}
    return NewPerson(login=login, **details)


def let_in(database: Database, name: str, password: str = PASSWORD) -> str:
    given = Credentials(name=name, password=password, address="192.0.2.1")
    return log_in(database, given, settings=WEB, secret=SECRET)


def role_of(database: Database, login: str) -> Role | None:
    with database.reading() as session:
        user = session.scalars(select(models.User).where(models.User.login == login)).one()
        seats = {seat.course_slug: seat.role for seat in seats_of(session, user_id=user.id)}
        return seats.get("jax")


@pytest.mark.parametrize("role", list(Role))
def test_a_newcomer_joins_with_the_role_of_the_link_and_can_log_in(
    database: Database, ines: Actor, role: Role
) -> None:
    secret = link(database, ines, role)
    shown = open_link(database, secret=secret)
    assert (shown.kind, shown.course_title, shown.role) == (LinkKind.NEW_PERSON, "JAX", role)
    joined = join_as_new(database, newcomer(), secret=secret)
    assert joined.course_slug == "jax"
    assert role_of(database, "carla") is role
    let_in(database, "carla")


def test_a_link_works_once(database: Database, ines: Actor) -> None:
    secret = link(database, ines)
    join_as_new(database, newcomer(), secret=secret)
    with pytest.raises(LinkUnusable, match="used already"):
        join_as_new(database, newcomer("dan"), secret=secret)
    with pytest.raises(LinkUnusable):
        open_link(database, secret=secret)


def test_of_two_presses_at_once_one_joins(database: Database, ines: Actor) -> None:
    secret = link(database, ines)

    def press(number: int) -> bool:
        try:
            join_as_new(database, newcomer(f"person{number}"), secret=secret)
        except LinkUnusable:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(press, range(4))) == 1


def test_a_refused_form_leaves_the_link_as_it_was(database: Database, ines: Actor) -> None:
    secret = link(database, ines)
    for person, kind in (
        (newcomer(password="short"), InvalidInput),
        (newcomer("INES"), Conflict),
        (newcomer(email="Ines@Example.EDU"), Conflict),
        (newcomer("a b"), InvalidInput),
        (newcomer(email="nowhere"), InvalidInput),
        (newcomer(name="\u202eevil"), InvalidInput),
    ):
        with pytest.raises(kind):
            join_as_new(database, person, secret=secret)
    join_as_new(database, newcomer(), secret=secret)


def test_no_name_may_be_anothers_address(database: Database, ines: Actor) -> None:
    with database.writing() as session:
        session.get_one(models.User, ines.user_id).login = "boss"
        session.get_one(models.User, ines.user_id).email = "carla@example.edu"
    with pytest.raises(Conflict, match="e-mail address"):
        join_as_new(database, newcomer(), secret=link(database, ines))


def test_links_end_by_their_date_and_by_being_taken_back(
    database: Database, ines: Actor, clock: Clock
) -> None:
    late = link(database, ines)
    clock.forward(days=15)
    with pytest.raises(LinkUnusable):
        open_link(database, secret=late)
    made = invite(database, actor=ines, course="jax", role=Role.TA)
    (listed,) = invitations_of(database, actor=ines, course="jax")
    assert (listed.id, listed.role, listed.made_by) == (made.id, Role.TA, "ines")
    revoke_invitation(database, actor=ines, course="jax", invitation_id=made.id)
    assert invitations_of(database, actor=ines, course="jax") == ()
    with pytest.raises(LinkUnusable):
        open_link(database, secret=made.secret)


@pytest.mark.parametrize("role", [Role.STUDENT, Role.TA, None])
def test_only_instructors_of_the_course_make_see_and_take_back_links(
    database: Database, ines: Actor, person: MakePerson, role: Role | None
) -> None:
    made = invite(database, actor=ines, course="jax", role=Role.STUDENT)
    other = person("other", role or Role.STUDENT)
    if role is None:
        with database.writing() as session:
            member = session.query(models.Membership).where(models.Membership.user_id == other.user_id).one()
            session.delete(member)
    for act in (
        lambda: invite(database, actor=other, course="jax", role=Role.INSTRUCTOR),
        lambda: invitations_of(database, actor=other, course="jax"),
        lambda: invite_people(database, actor=other, course="jax", user_ids=[ines.user_id]),
        lambda: reset_password(database, actor=other, course="jax", user_id=ines.user_id),
        lambda: revoke_invitation(database, actor=other, course="jax", invitation_id=made.id),
    ):
        with pytest.raises(NotAllowed if role else NotFound):
            act()


def test_a_links_secret_is_not_in_the_database(database: Database, ines: Actor) -> None:
    secret = link(database, ines)
    with database.reading() as session:
        (row,) = session.scalars(select(models.Invitation))
    assert secret not in row.token_hash
    assert len(secret) >= 43


def test_who_is_logged_in_joins_as_they_are(
    database: Database, ines: Actor, person: MakePerson, course: SampleCourse
) -> None:
    ben = person("ben")
    ensure_course(database, slug="other", title="Other")
    with database.writing() as session:
        other = session.scalars(select(models.Course).where(models.Course.slug == "other")).one()
    enrol(database, course_id=other.id, user_id=ines.user_id, role=Role.INSTRUCTOR)
    secret = invite(database, actor=ines, course="other", role=Role.TA).secret
    assert join_as(database, actor=ben, secret=secret).course_slug == "other"
    with database.reading() as session:
        assert {seat.course_slug: seat.role for seat in seats_of(session, user_id=ben.user_id)} == {
            "jax": Role.STUDENT,
            "other": Role.TA,
        }
    assert course.course_id != other.id


def test_a_students_link_does_not_demote_a_ta(database: Database, ines: Actor, person: MakePerson) -> None:
    tom = person("tom", Role.TA)
    join_as(database, actor=tom, secret=link(database, ines))
    assert role_of(database, "tom") is Role.TA


def test_a_member_without_an_account_sets_a_first_password(
    database: Database, ines: Actor, person: MakePerson
) -> None:
    ada, ben = person("ada", account=False), person("ben")
    made = invite_people(database, actor=ines, course="jax", user_ids=[ada.user_id, ben.user_id, uuid4()])
    assert [one.user_id for one in made] == [ada.user_id]
    shown = open_link(database, secret=made[0].secret)
    assert (shown.kind, shown.login) == (LinkKind.FIRST_PASSWORD, "ada")
    with pytest.raises(Conflict):
        join_as(database, actor=ben, secret=made[0].secret)
    with pytest.raises(Conflict):
        join_as_new(database, newcomer(), secret=made[0].secret)
    join_with_password(database, secret=made[0].secret, password=PASSWORD)
    let_in(database, "ada")


def test_of_two_letters_the_newer_holds(database: Database, ines: Actor, person: MakePerson) -> None:
    ada = person("ada", account=False)
    old, new = (
        invite_people(database, actor=ines, course="jax", user_ids=[ada.user_id])[0].secret for _ in "12"
    )
    with pytest.raises(LinkUnusable):
        open_link(database, secret=old)
    join_with_password(database, secret=new, password=PASSWORD)


def test_whoever_was_removed_does_not_come_back_by_an_old_letter(
    database: Database, ines: Actor, person: MakePerson
) -> None:
    eve = person("eve", Role.TA, account=False)
    (made,) = invite_people(database, actor=ines, course="jax", user_ids=[eve.user_id])
    remove_member(database, actor=ines, course="jax", login="eve")
    with pytest.raises(LinkUnusable):
        join_with_password(database, secret=made.secret, password=PASSWORD)
    assert role_of(database, "eve") is None


def test_an_old_first_link_takes_no_account_over(database: Database, ines: Actor, person: MakePerson) -> None:
    ada = person("ada", account=False)
    (made,) = invite_people(database, actor=ines, course="jax", user_ids=[ada.user_id])
    with database.writing() as session:
        session.add(models.Account(user_id=ada.user_id, password_hash="$argon2id$x"))
    with pytest.raises(Conflict, match="log in with it"):
        join_with_password(database, secret=made.secret, password=PASSWORD)


def test_a_new_password_by_a_link_ends_every_token_and_tokens_of_nobody_else(
    database: Database, ines: Actor, person: MakePerson
) -> None:
    ben = person("ben")
    lost, other = (create_token(database, actor=one, name="laptop", days=9).secret for one in (ben, ines))
    made = reset_password(database, actor=ines, course="jax", user_id=ben.user_id)
    assert resume_token(database, secret=lost) is not None
    join_with_password(database, secret=made.secret, password="another long password")
    assert resume_token(database, secret=lost) is None
    assert resume_token(database, secret=other) is not None


def test_a_new_password_ends_the_old_one_and_every_session(
    database: Database, ines: Actor, person: MakePerson
) -> None:
    ben = person("ben")
    token = let_in(database, "ben")
    made = reset_password(database, actor=ines, course="jax", user_id=ben.user_id)
    assert open_link(database, secret=made.secret).kind is LinkKind.NEW_PASSWORD
    assert resume_session(database, token=token, settings=WEB) is not None
    joined = join_with_password(database, secret=made.secret, password="another long password")
    assert (joined.user_id, joined.course_slug) == (ben.user_id, None)
    assert resume_session(database, token=token, settings=WEB) is None
    with pytest.raises(NotLoggedIn):
        let_in(database, "ben")
    let_in(database, "ben", "another long password")


def test_nobody_lends_themselves_anothers_powers(database: Database, ines: Actor, person: MakePerson) -> None:
    founder = person("founder", may_create_courses=True)
    teacher = person("teacher")
    ensure_course(database, slug="other", title="Other")
    with database.reading() as session:
        other = session.scalars(select(models.Course).where(models.Course.slug == "other")).one()
    enrol(database, course_id=other.id, user_id=teacher.user_id, role=Role.TA)
    studies_elsewhere = person("ben")
    enrol(database, course_id=other.id, user_id=studies_elsewhere.user_id, role=Role.STUDENT)
    for target in (founder, teacher, studies_elsewhere):
        with pytest.raises(NotAllowed, match="courses that you do not teach"):
            reset_password(database, actor=ines, course="jax", user_id=target.user_id)
    enrol(database, course_id=other.id, user_id=ines.user_id, role=Role.INSTRUCTOR)
    for target in (teacher, studies_elsewhere):
        reset_password(database, actor=ines, course="jax", user_id=target.user_id)


def test_who_runs_the_server_can_help_anybody(database: Database, ines: Actor) -> None:
    made = reset_password_by_operator(database, login="ines")
    join_with_password(database, secret=made.secret, password="another long password")
    let_in(database, ines.login, "another long password")
    with pytest.raises(NotFound):
        reset_password_by_operator(database, login="nobody")


def test_everything_is_recorded_without_secrets(database: Database, ines: Actor) -> None:
    secret = link(database, ines)
    join_as_new(database, newcomer(), secret=secret)
    with database.reading() as session:
        events = list(session.scalars(select(models.AuditEvent)))
    actions = [event.action for event in events]
    assert {"invitation.made", "invitation.used", "account.created", "member.enrolled"} <= set(actions)
    assert not any(secret in str(event.data) or PASSWORD in str(event.data) for event in events)
