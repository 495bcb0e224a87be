"""Hostile uploads are refused in words or read harmlessly; ``make attack`` also grades what was read."""

from __future__ import annotations

import pytest

from grader.content.uploads import read_upload
from grader.domain.errors import UploadRefused
from tests.hostile.uploads import HONEST, MAIN, Fate, HostileUpload, build

UPLOADS = {upload.name: upload for upload in build()}


@pytest.mark.parametrize("name", UPLOADS)
def test_an_upload_meets_its_fate(name: str) -> None:
    upload = UPLOADS[name]
    refusal = refusal_of(upload)
    match upload.fate:
        case Fate.EARNS:
            assert refusal is None
        case Fate.REFUSED:
            assert refusal is not None
        case Fate.EARNS_NOTHING:
            assert refusal is not None or HONEST.decode() not in main_text(upload)


@pytest.mark.parametrize("name", UPLOADS)
def test_a_refusal_names_the_upload_and_can_be_printed(name: str) -> None:
    refusal = refusal_of(UPLOADS[name])
    if refusal is not None:
        assert str(refusal).startswith(name)
        assert str(refusal).isprintable()
        assert len(str(refusal)) < 500


def refusal_of(upload: HostileUpload) -> UploadRefused | None:
    try:
        main_text(upload)
    except UploadRefused as refusal:
        return refusal
    return None


def main_text(upload: HostileUpload) -> str:
    files = read_upload(upload.name, upload.data, entry=MAIN, functions=["normalize"])
    return files.text_of(files.entry)
