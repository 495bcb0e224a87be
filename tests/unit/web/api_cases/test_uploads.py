"""Uploads that are not what they say, are called what no file should be, or never end."""

from __future__ import annotations

import io
import resource
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from grader.db import models
from tests.courses import SOLUTION
from tests.served import served
from tests.unit.web.test_serving import head, impatient, status, talk
from tests.web import Browser, WebWorld

UPLOADS = "/api/v1/courses/jax/assignments/doubling/uploads"
PAGE = b"<!doctype html><script>alert(1)</script>"
MARKED_UP = b"# " + PAGE + b"\n" + SOLUTION


@pytest.fixture
def ada(world: WebWorld) -> Browser:
    return world.script("ada")


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return out.getvalue()


# --- what it is ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["image/png", "text/html", "application/x-sh", "application/octet-stream", ""]
)
def test_g9_upload_content_type_lie_what_a_browser_says_of_a_file_is_not_believed(
    ada: Browser, kind: str
) -> None:
    made = ada.post(UPLOADS, files={"files": ("submission.py", MARKED_UP, kind)})
    assert made.status_code == 201
    back = ada.get(f"/api/v1/submissions/{made.json()['id']}/files/0")
    assert back.content == MARKED_UP
    assert back.headers["content-type"] == "text/plain; charset=utf-8"
    assert back.headers["content-disposition"].startswith("attachment;")
    assert back.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "name, data",
    [
        ("submission.py", PAGE),
        ("submission.py", b"\x7fELF\x02\x01\x01\0" + bytes(64)),
        ("submission.py", b"%PDF-1.7\n\xe2\xe3\xcf\xd3\n" + bytes(64)),
        ("submission.py.png", b"\x89PNG\r\n\x1a\n" + bytes(64)),
    ],
    ids=["HTML", "ELF", "PDF", "PNG"],
)
def test_g9_upload_content_type_lie_what_is_no_text_is_refused_whatever_it_is_called(
    world: WebWorld, ada: Browser, name: str, data: bytes
) -> None:
    answer = ada.post(UPLOADS, files={"files": (name, data, "text/x-python")})
    assert answer.status_code == 422
    assert answer.json()["error"]["code"].startswith("upload")
    with world.database.reading() as session:
        assert session.scalars(select(models.Submission)).all() == []


def test_g9_upload_content_type_lie_a_zip_under_another_name_is_read_as_the_zip_it_is(ada: Browser) -> None:
    data = zipped(submission__py=SOLUTION)
    made = ada.post(UPLOADS, files={"files": ("submission.py", data, "text/x-python")})
    assert made.status_code == 201
    back = ada.get(f"/api/v1/submissions/{made.json()['id']}/files/0")
    assert (back.content, back.headers["content-type"]) == (data, "text/plain; charset=utf-8")


# --- what it is called --------------------------------------------------------------------------------------

NAMES = {
    "upwards": b'filename="../../../etc/passwd.py"',
    "Windows": b'filename="C:\\\\Users\\\\x.py"',
    "absolute": b'filename="/etc/cron.d/x.py"',
    "long": b'filename="' + b"x" * 300 + b'.py"',
    "empty": b'filename=""',
    "two names": b'filename="a.py"; filename="../b.py"',
    "extended": b"filename*=UTF-8''..%2f..%2fx.py",
    "both": b"filename=\"a.py\"; filename*=UTF-8''..%2fb.py",
    "line end": b'filename="a\r.py"',
    "quotes": b'filename="a\\".py"',
    "not UTF-8": b'filename="\xff\xfe.py"',
    "reversed": 'filename="\u202eyp.a"'.encode(),
    "device": b'filename="NUL.py"',
    "dots": b'filename="....py"',
}


@pytest.mark.parametrize("disposition", NAMES.values(), ids=NAMES)
def test_g9_upload_name_traversal_a_name_is_data_and_no_path(
    ada: Browser, tmp_path: Path, disposition: bytes
) -> None:
    body = b'--x\r\ncontent-disposition: form-data; name="files"; ' + disposition
    body += b"\r\n\r\n" + SOLUTION + b"\r\n--x--\r\n"
    before = sorted(tmp_path.rglob("*"))
    answer = ada.post(UPLOADS, content=body, headers={"content-type": "multipart/form-data; boundary=x"})
    assert answer.status_code in (201, 400, 422), answer.text
    assert sorted(tmp_path.rglob("*")) == before  # files are rows, under the hash of what is in them
    if answer.status_code == 201:
        back = ada.get(f"/api/v1/submissions/{answer.json()['id']}/files/0")
        assert back.content == SOLUTION
        saved_as = back.headers["content-disposition"].split('filename="')[1].split('"')[0]
        assert not set(saved_as) & set('/\\:\r\n"\0')
        assert not saved_as.startswith(".")


def test_g9_upload_name_traversal_nul_in_a_name_is_refused(ada: Browser) -> None:
    body = {"files": [{"name": "a\0.py", "text": "x = 1"}]}
    answer = ada.post("/api/v1/courses/jax/assignments/doubling/submissions", json=body)
    assert answer.status_code == 400


# --- how large it is, over real sockets ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    """Where the application is served, and Ada's token there."""
    with served(tmp_path_factory.mktemp("served"), change=impatient) as (world, number):
        yield number, world.script("ada").headers["authorization"]


def upload_head(port: tuple[int, str], **headers: str) -> bytes:
    number, token = port
    return head(
        number,
        f"POST {UPLOADS} HTTP/1.1",
        authorization=token,
        content_type="multipart/form-data; boundary=x",
        **headers,
    )


BEGIN = b'--x\r\ncontent-disposition: form-data; name="files"; filename="a.py"\r\n\r\n'


def test_g9_upload_oversize_ten_gibibytes_are_refused_when_they_are_announced(port: tuple[int, str]) -> None:
    answer = talk(port[0], upload_head(port, content_length=str(10 << 30)))
    assert status(answer) == 413  # and not 408: nobody waited for the first byte


def test_g9_upload_oversize_chunks_without_end_are_cut_off_and_cost_no_memory(port: tuple[int, str]) -> None:
    chunk = b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = talk(
        port[0],
        upload_head(port, transfer_encoding="chunked") + b"%x\r\n" % len(BEGIN) + BEGIN + b"\r\n",
        *[chunk] * 100,
    )
    assert not answer or status(answer) in (408, 413)
    grown_mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown_mib < 100


def test_g9_upload_oversize_a_byte_at_a_time_is_given_up(port: tuple[int, str]) -> None:
    answer = talk(port[0], upload_head(port, content_length="10000") + BEGIN, *[b"y"] * 8, pause_s=0.2)
    assert status(answer) == 408


@pytest.mark.parametrize("kind", ["files", "fields"])
def test_g9_upload_oversize_ten_thousand_parts_are_refused(world: WebWorld, ada: Browser, kind: str) -> None:
    name = b'name="files"; filename="a.py"' if kind == "files" else b'name="text"'
    part = b"--x\r\ncontent-disposition: form-data; " + name + b"\r\n\r\nx\r\n"
    answer = ada.post(
        UPLOADS,
        content=part * 10_000 + b"--x--\r\n",
        headers={"content-type": "multipart/form-data; boundary=x"},
    )
    assert answer.status_code in (400, 413, 422)
    with world.database.reading() as session:
        assert session.scalars(select(models.Submission)).all() == []
