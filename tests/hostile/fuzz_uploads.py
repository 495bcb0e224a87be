"""Fuzzed uploads: files, notebooks and archives, damaged from without and from within."""

from __future__ import annotations

import json
import random
import zipfile

from grader.content.precheck import precheck
from grader.content.uploads import read_upload
from grader.domain.errors import UploadRefused
from grader.domain.rubric import FunctionSpec
from grader.domain.submission import SubmittedFiles
from grader.engine import wire
from tests.hostile.fuzz_mutations import damaged, warped
from tests.hostile.fuzz_tally import Became
from tests.unit.content.making import HONEST, code_cell, link, markdown_cell, notebook, special, zipped

_TEXT = HONEST.decode()
_PYTHON = (
    HONEST,
    _TEXT.encode("utf-16"),
    b"\xef\xbb\xbf" + HONEST,
    b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + HONEST,
    HONEST.replace(b"\n", b"\r\n"),
    b"# %% first\n" + HONEST + b"# %%\nprint(normalize)\n",
)
_NOTEBOOKS = (
    notebook(markdown_cell(), _TEXT),
    notebook("%matplotlib inline\n!pip install jax\nimport jax", _TEXT, "%%time\nnormalize(1)", "x = !ls"),
    notebook(code_cell(["import jax.numpy as jnp\n", "x = 1"], run_as=3), _TEXT, language=None),
)
_ARCHIVES = (
    zipped(("submission.py", HONEST)),
    zipped(("hw/submission.py", HONEST), ("hw/tools/steps.py", b"x = 1\n"), ("__MACOSX/._a.py", b"\0")),
    zipped(("hw.ipynb", _NOTEBOOKS[1]), ("data.csv", b"1,2\n" * 400), method=zipfile.ZIP_STORED),
    zipped(("submission.py", HONEST), ("zeros.py", bytes(1 << 18)), method=zipfile.ZIP_LZMA),
    zipped(("submission.py", HONEST), ("more.py", HONEST * 9), method=zipfile.ZIP_BZIP2),
    zipped(("submission.py", HONEST), link("notes.txt"), (special("pipe", 0o010000), b"")),
)
_ALL = (*_PYTHON, *_NOTEBOOKS, *_ARCHIVES)
_NAMES = (
    "hw.py", "hw.ipynb", "hw.zip", "hw", "hw.py.txt", "submission.py", "../../hw.py", "C:\\x\\hw.zip",
    "jax.py", ".py", "a" * 400 + ".py", "\u202eyp.wh", "nul\0.py", "\ud800.py", "", "\x1b[2J.py", "con.py",
)  # fmt: skip


def attempt(rng: random.Random) -> Became:
    """Read one damaged upload as the web does; whatever is raised but `UploadRefused` is forbidden."""
    name, data = _upload(rng)
    try:
        files = read_upload(name, data, functions=("normalize",))
    except UploadRefused as refusal:
        _look_at_refusal(refusal)
        return Became.REFUSED
    _look_at_files(files)
    return Became.ACCEPTED


def _look_at_refusal(refusal: UploadRefused) -> None:
    text = str(refusal)
    if not text.isprintable() or len(text) > 1000:
        raise AssertionError(f"a refusal that cannot be shown: {text!r}")


def _look_at_files(files: SubmittedFiles) -> None:
    """What was read must be fit for the journey: named, stored, sent, remarked upon."""
    names = [file.name for file in files.files]
    if files.entry not in names or len(set(names)) != len(names):
        raise AssertionError(f"files without a main one, or twice the same: {names}")
    for file in files.files:
        file.text.encode()
        file.name.encode()
    json.dumps(wire.dump_files(files), allow_nan=False).encode()
    for notice in (*files.notices, *precheck(files, (FunctionSpec(name="normalize"),))):
        notice.message.encode()


def _upload(rng: random.Random) -> tuple[str, bytes]:
    match rng.randrange(8):
        case 0 | 1:
            name, data = "hw.py", damaged(rng, rng.choice(_PYTHON), _ALL)
        case 2:
            name, data = "hw.ipynb", damaged(rng, rng.choice(_NOTEBOOKS), _ALL)
        case 3 | 4:
            name, data = "hw.ipynb", json.dumps(warped(rng, json.loads(rng.choice(_NOTEBOOKS)))).encode()
        case 5 | 6:
            name, data = "hw.zip", damaged(rng, rng.choice(_ARCHIVES), _ALL)
        case _:
            name, data = "hw.zip", _archive(rng)
    return _renamed(rng, name), data


def _renamed(rng: random.Random, name: str) -> str:
    match rng.randrange(4):
        case 0:
            return rng.choice(_NAMES)
        case 1:
            return damaged(rng, name.encode()).decode("latin-1")
        case _:
            return name


def _archive(rng: random.Random) -> bytes:
    """A sound archive of damaged members under damaged names."""
    entries = [
        (rng.choice(_NAMES) or "x", damaged(rng, rng.choice(_ALL), _ALL)) for _ in range(rng.randint(1, 6))
    ]
    entries = [(name.encode("utf-8", "replace").decode(), data) for name, data in entries]
    if rng.random() < 0.6:
        entries.append(("submission.py", HONEST))
    return zipped(*entries)
