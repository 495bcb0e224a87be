from __future__ import annotations

import hashlib
import json
from typing import Any
from uuid import UUID

import pytest

from grader.db import models
from grader.domain.errors import InvalidInput, NotFound, ReceiptInvalid
from grader.services.receipts.documents import (
    LONGEST_DOCUMENT,
    PublicKey,
    parse,
    public_key,
    require_file,
    sign,
    signing_key,
    verify,
)
from grader.services.receipts.issuing import receipt_for
from tests.courses import SECRET, SOLUTION, SampleCourse
from tests.students import actor

KEY = signing_key(SECRET)


@pytest.fixture
def document(course: SampleCourse) -> dict[str, Any]:
    receipt = course.submit()
    return receipt_for(
        course.database,
        actor=actor(course, "ada"),
        submission_id=receipt.submission_id,
        key=KEY,
        server="https://grader.example.edu",
    )


def through_a_file(document: dict[str, Any]) -> dict[str, Any]:
    return parse(json.dumps(document, indent=2).encode())


def test_a_receipt_says_who_handed_in_what_and_when(document: dict[str, Any]) -> None:
    receipt = verify(through_a_file(document), key=KEY.public)
    assert (receipt["assignment"], receipt["student"]["login"], receipt["number"]) == ("doubling", "ada", 1)
    assert receipt["files"] == [
        {"name": "submission.py", "size": len(SOLUTION), "sha256": hashlib.sha256(SOLUTION).hexdigest()}
    ]
    assert receipt["received_at"].endswith("Z")
    assert (receipt["deadline"]["due_at"], receipt["days_late"]) == (None, 0)


def test_what_was_handed_in_fits_and_anything_else_does_not(document: dict[str, Any]) -> None:
    receipt = verify(document, key=KEY.public)
    assert require_file(receipt, name="renamed.py", data=SOLUTION) == "submission.py"
    with pytest.raises(ReceiptInvalid, match=r"submission\.py is not what was handed in under that name"):
        require_file(receipt, name="submission.py", data=SOLUTION + b"\n")
    with pytest.raises(ReceiptInvalid, match=r"other\.py is none of the files"):
        require_file(receipt, name="other.py", data=b"")


@pytest.mark.parametrize(
    "path, value",
    [
        (("received_at",), "2020-01-01T00:00:00Z"),
        (("student", "login"), "eve"),
        (("number",), 2),
        (("files", 0, "sha256"), "0" * 64),
        (("added",), True),
    ],
)
def test_whatever_is_changed_afterwards_breaks_the_signature(
    document: dict[str, Any], path: tuple[str | int, ...], value: object
) -> None:
    changed = through_a_file(document)
    place: Any = changed["receipt"]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ReceiptInvalid, match="something in it was changed"):
        verify(changed, key=KEY.public)


def test_another_servers_receipt_is_told_from_a_changed_one(document: dict[str, Any]) -> None:
    other = signing_key(b"another secret of at least 32 characters")
    with pytest.raises(ReceiptInvalid, match="signed with another key"):
        verify(document, key=other.public)
    forged = sign(document["receipt"], key=other)
    forged["key_id"] = KEY.public.id
    with pytest.raises(ReceiptInvalid, match="something in it was changed"):
        verify(forged, key=KEY.public)


@pytest.mark.parametrize("signature", ["", "not base64!", "AAAA", "A" * 88])
def test_a_signature_that_is_none_is_a_bad_one(document: dict[str, Any], signature: str) -> None:
    with pytest.raises(ReceiptInvalid):
        verify({**document, "signature": signature}, key=KEY.public)


@pytest.mark.parametrize(
    "data, why",
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "does not say"),
        (b'{"format": "grader-receipt/2"}', "does not say"),
        (b'{"format": "grader-receipt/1", "receipt": [], "signature": ""}', "missing"),
        (b" " * (LONGEST_DOCUMENT + 1), "too large"),
    ],
)
def test_what_is_no_receipt_is_told_why(data: bytes, why: str) -> None:
    with pytest.raises(ReceiptInvalid, match=why):
        parse(data)


def test_the_key_is_the_same_for_the_same_secret_and_no_other() -> None:
    assert signing_key(SECRET).public == KEY.public
    assert signing_key(SECRET + b".").public != KEY.public
    assert public_key(f" {KEY.public.text}\n") == KEY.public
    assert KEY.public.raw not in SECRET


@pytest.mark.parametrize("text", ["", "zz", "ab" * 31, "ab" * 33])
def test_what_is_no_key_is_named(text: str) -> None:
    with pytest.raises(InvalidInput, match="receipt key"):
        public_key(text)


def test_a_number_that_is_not_finite_is_no_receipt_of_ours(document: dict[str, Any]) -> None:
    with pytest.raises(ReceiptInvalid):
        verify({**document, "receipt": {"number": float("nan")}}, key=PublicKey(raw=KEY.public.raw))


@pytest.mark.parametrize("login", ["ben", "eve"])
def test_nobody_else_gets_a_receipt(course: SampleCourse, login: str) -> None:
    course.enrol("ben")
    receipt = course.submit()
    with pytest.raises(NotFound):
        receipt_for(course.database, actor=actor(course, login), submission_id=receipt.submission_id, key=KEY)


def test_a_hostile_file_name_is_signed_and_verified(course: SampleCourse) -> None:
    receipt = course.submit(name="w\x00\u202e\udc80=1+1.py")
    found = receipt_for(
        course.database, actor=actor(course, "ada"), submission_id=receipt.submission_id, key=KEY
    )
    assert verify(through_a_file(found), key=KEY.public)["files"][0]["name"].isprintable()


def test_the_version_on_a_receipt_is_the_one_it_was_first_graded_against(course: SampleCourse) -> None:
    receipt = course.submit()
    with course.database.reading() as session:
        version = session.get_one(models.AssignmentVersion, course.version.version_id)
    found = receipt_for(
        course.database, actor=actor(course, "ada"), submission_id=receipt.submission_id, key=KEY
    )
    body: Any = found["receipt"]
    assert body["version"] == {"number": 1, "content_hash": version.content_hash}
    assert UUID(body["submission_id"]) == receipt.submission_id
