"""Uploads that want more than to be read: slips, links, bombs, shadows, hostile names; and honest ones.

Built in memory; nothing is unpacked here. The honest payload is a right ``normalize``, the wrong one earns
nothing, and what must not run would leave a file ``pwned…``.
"""

from __future__ import annotations

import io
import stat
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

MAIN = "submission.py"
HONEST = b"""import jax.numpy as jnp


def normalize(x):
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
"""
WRONG = b"import jax.numpy as jnp\n\n\ndef normalize(x):\n    return jnp.zeros_like(jnp.asarray(x))\n"
BRAGS = b"""import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    report.outcome, report.longrepr = "passed", None
"""
_MIB = 1 << 20


class Fate(StrEnum):
    """What must become of an upload."""

    EARNS = "earns"
    REFUSED = "refused"
    EARNS_NOTHING = "earns nothing"
    """Refused, or graded without a point."""
    HARMLESS = "harmless"
    """Refused, or graded as the one file that staff are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileUpload:
    """One upload and what must become of it."""

    name: str
    data: bytes
    about: str
    fate: Fate


def build() -> Iterator[HostileUpload]:
    """All uploads; the largest have some MiB."""
    for group in (_honest, _escapes, _links, _tars, _confusions, _shadows, _bombs, _damage, _texts):
        yield from group()


def _honest() -> Iterator[HostileUpload]:
    litter = {"hw1/" + MAIN: HONEST, "hw1/README.txt": b"notes", "__MACOSX/._submission.py": b"\0\0"}
    helper = b"def unit(x):\n    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)\n"
    user = b"from helpers import unit\n\n\ndef normalize(x):\n    return unit(x)\n"
    yield _upload("ok_plain.zip", _zip({MAIN: HONEST}), "one file", Fate.EARNS)
    yield _upload("ok_subfolder.zip", _zip(litter), "one folder, with litter of macOS", Fate.EARNS)
    yield _upload("ok_helper.zip", _zip({MAIN: user, "helpers.py": helper}), "a helper module", Fate.EARNS)


def _escapes() -> Iterator[HostileUpload]:
    names = {
        "slip_dotdot.zip": ("../../../../tmp/pwned-arc-slip",),
        "slip_absolute.zip": ("/tmp/pwned-arc-absolute",),
        "slip_backslash.zip": ("..\\..\\tmp\\pwned-arc-backslash",),
        "slip_drive.zip": ("C:/pwned-arc-drive", "con.py", "a:b.py"),
    }
    for name, members in names.items():
        data = _zip({MAIN: HONEST, **dict.fromkeys(members, b"x")})
        yield _upload(name, data, f"a member called {members[0]}", Fate.REFUSED)


def _links() -> Iterator[HostileUpload]:
    cases = {
        "symlink_file.zip": [(MAIN, HONEST), _link("notes.txt", "/etc/passwd")],
        "symlink_dir_then_write.zip": [_link("d", "/tmp"), (MAIN, HONEST), ("d/pwned-arc-symdir", b"x")],
        "symlink_submission.zip": [_link(MAIN, "/etc/passwd")],
    }
    for name, members in cases.items():
        yield _upload(name, _zip_of(members), "a symbolic link", Fate.REFUSED)


def _tars() -> Iterator[HostileUpload]:
    link = _member("a", type_=tarfile.SYMTYPE, target="/etc")
    hard = _member("h", type_=tarfile.LNKTYPE, target="/etc/passwd")
    fifo, device = _member("pipe", type_=tarfile.FIFOTYPE), _member("null", type_=tarfile.CHRTYPE)
    tool = _member("tool", mode=0o4777)
    through, slip = _member("a/pwned-arc-tar"), _member("../../tmp/pwned-arc-tarslip")
    cases = {
        "tar_links.tar.gz": (link, through, hard),
        "tar_specials.tar.gz": (fifo, device, tool),
        "tar_slip.tar.gz": (slip,),
    }
    for name, members in cases.items():
        yield _upload(name, _tar(members), "a tar archive with more than files", Fate.REFUSED)


def _confusions() -> Iterator[HostileUpload]:
    lookalike = {"submis\u0455ion.py": HONEST, MAIN: WRONG, "caf\u00e9.py": b"x=1", "cafe\u0301.py": b"x=2"}
    twice = _zip_of([(MAIN, WRONG), (MAIN, HONEST)])
    by_case = _zip({MAIN: WRONG, "SUBMISSION.PY": HONEST, "Submission.py": HONEST})
    yield _upload("dup_names.zip", twice, "the same name twice", Fate.REFUSED)
    yield _upload("case_clash.zip", by_case, "names that differ by case", Fate.EARNS_NOTHING)
    yield _upload("unicode_clash.zip", _zip(lookalike), "letters that look alike", Fate.EARNS_NOTHING)
    yield _upload("polyglot.zip", WRONG + _zip({MAIN: HONEST}), "Python, then a zip", Fate.EARNS_NOTHING)
    names = (
        "<img src=x onerror=alert(1)>.py", "=cmd|'x'!A0.py", "\x1b[2Jclear.py", "new\nline.py",
        "rtl\u202eyp.exe", "-rf", "$(touch pwned).py", "a" * 300 + ".py", "nul\\u0000.py", " .py", "..py",
        "%2e%2e%2fslip.py",
    )  # fmt: skip
    hostile = _zip({MAIN: HONEST, **dict.fromkeys(names, b"x=1")})
    yield _upload("hostile_names.zip", hostile, "names with markup and escapes", Fate.HARMLESS)


def _shadows() -> Iterator[HostileUpload]:
    shadows: dict[str, tuple[str, ...]] = {
        "shadow_jax.zip": ("jax/__init__.py", "jax.py", "numpy.py", "numpy/__init__.py"),
        "shadow_stdlib.zip": ("json.py", "logging.py", "pytest.py", "random.py"),
        "startup_files.zip": (
            "sitecustomize.py",
            "usercustomize.py",
            "evil.pth",
            "__main__.py",
            "pyvenv.cfg",
        ),
    }
    for name, imported in shadows.items():
        marks = {member: _marking(member) for member in imported}
        yield _upload(name, _zip({MAIN: WRONG, **marks}), "modules that are not theirs", Fate.EARNS_NOTHING)
    suite = {
        "conftest.py": BRAGS + _marking("conftest"),
        "pytest.ini": b"[pytest]\naddopts = --co -q\n",
        "tox.ini": b"[pytest]\naddopts = --co\n",
        "setup.cfg": b"[tool:pytest]\naddopts = --co\n",
        "pyproject.toml": b"[tool.pytest.ini_options]\naddopts = '--co'\n",
        "test_normalize.py": b"def test_ok():\n    pass\n",
    }
    rubric = {
        "rubric.json": b'{"checks": [], "max_score": 100, "score": 100}',
        "results.json": b'{"score": 100}',
        ".report.json": b'{"summary": {"passed": 9, "total": 9}}',
    }
    compiled = {
        "__pycache__/submission.cpython-311.pyc": b"\xa7\r\r\n" + b"\0" * 60,
        "submission.so": b"\x7fELF" + b"\0" * 60,
        "submission.abi3.so": b"\x7fELF",
    }
    more: dict[str, tuple[Mapping[str, bytes], str]] = {
        "pytest_files.zip": (suite, "settings and hooks of pytest"),
        "rubric_override.zip": (rubric, "files called like the grader's own"),
        "bytecode.zip": (compiled, "byte code and shared objects"),
    }
    for name, (members, about) in more.items():
        yield _upload(name, _zip({MAIN: WRONG, **members}), about, Fate.EARNS_NOTHING)


def _bombs() -> Iterator[HostileUpload]:
    zeros = _zip({MAIN: WRONG, "zeros.bin": bytes(64 * _MIB)})
    lying = bytearray(zeros)
    entry = lying.rfind(b"PK\x01\x02")
    lying[entry + 24 : entry + 28] = struct.pack("<I", 1)
    inner = _zip({"zeros.bin": bytes(16 * _MIB)})
    nested = _zip({MAIN: WRONG, **{f"n{number:02}.zip": inner for number in range(40)}})
    python = _zip({MAIN: WRONG, "zeros.py": bytes(64 * _MIB)})
    deep = _zip({MAIN: HONEST, "/".join(["d"] * 2000) + "/f.py": b"x=1"})
    many = _zip({MAIN: HONEST, **{f"f{number:05}.txt": b"" for number in range(20_000)}}, packed=False)
    yield _upload("bomb_64m.zip", zeros, "64 MiB of zeros", Fate.EARNS_NOTHING)
    yield _upload("bomb_python.zip", python, "64 MiB of zeros as a module", Fate.REFUSED)
    yield _upload("bomb_lying_header.zip", bytes(lying), "64 MiB that claim to be 1 byte", Fate.EARNS_NOTHING)
    yield _upload("bomb_nested.zip", nested, "zips in a zip", Fate.EARNS_NOTHING)
    yield _upload("deep_path.zip", deep, "two thousand nested folders", Fate.REFUSED)
    yield _upload("many_files.zip", many, "twenty thousand members", Fate.REFUSED)


def _damage() -> Iterator[HostileUpload]:
    plain = _zip({MAIN: HONEST})
    encrypted = bytearray(_zip({MAIN: HONEST}))
    encrypted[6] |= 1
    encrypted[encrypted.find(b"PK\x01\x02") + 8] |= 1
    yield _upload("encrypted_flag.zip", bytes(encrypted), "a member that is encrypted", Fate.REFUSED)
    yield _upload("truncated.zip", plain[: len(plain) // 2], "half a zip", Fate.REFUSED)
    yield _upload("empty.zip", b"PK\x05\x06" + bytes(18), "no members", Fate.REFUSED)


def _texts() -> Iterator[HostileUpload]:
    cookie = b"# -*- coding: rot13 -*-\nvzcbeg wnk\nqrs abeznyvmr(k):\n    erghea k\n"
    utf16 = HONEST.decode().encode("utf-16")
    yield _upload("utf16.py", utf16, "UTF-16", Fate.HARMLESS)
    yield _upload("nul.py", HONEST + b"\0\n", "a NUL byte", Fate.EARNS_NOTHING)
    yield _upload("coding_cookie.py", cookie, "a codec that hides the code", Fate.EARNS_NOTHING)
    yield _upload("empty.py", b"", "an empty file", Fate.EARNS_NOTHING)


def _upload(name: str, data: bytes, about: str, fate: Fate) -> HostileUpload:
    return HostileUpload(name=name, data=data, about=about, fate=fate)


def _marking(member: str) -> bytes:
    mark = member.replace("/", "-")
    return f"open('/tmp/pwned-arc-{mark}', 'w').write('imported')\n".encode()


_Member = tuple[str | zipfile.ZipInfo, bytes]


def _zip(members: Mapping[str, bytes], *, packed: bool = True) -> bytes:
    return _zip_of(list(members.items()), packed=packed)


def _zip_of(members: list[_Member], *, packed: bool = True) -> bytes:
    buffer = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(buffer, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a name comes twice is the point
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def _link(name: str, target: str) -> _Member:
    info = zipfile.ZipInfo(name)
    info.create_system = 3  # Unix
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info, target.encode()


def _member(
    name: str, *, type_: bytes = tarfile.REGTYPE, target: str = "", mode: int = 0o644
) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = type_, target, mode
    info.devmajor, info.devminor = (1, 3) if type_ == tarfile.CHRTYPE else (0, 0)
    return info


def _tar(members: tuple[tarfile.TarInfo, ...]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for info in members:
            archive.addfile(info)
        main = _member(MAIN)
        main.size = len(HONEST)
        archive.addfile(main, io.BytesIO(HONEST))
    return buffer.getvalue()
