"""The folder that students download: an assignment without its solution and without its hidden checks.

It is an assignment's folder in the usual form, which whatever reads one can read: `assignment.toml` without
the mutants, the lesson, `starter/`, and `rubric/` with the checks that are handed out. It has no `solution/`
but the answers recorded for these checks, and a file that says what is missing.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Iterable
from dataclasses import asdict
from pathlib import Path

from grader.content.bundles import BundleFile, bundle_files
from grader.content.suites import names_in, visible_suite
from grader.domain import student_bundle
from grader.domain.errors import AssignmentInvalid
from grader.domain.rubric import Assignment, CheckSpec
from grader.domain.student_bundle import StudentBundle

ABOUT, ANSWERS = "student-bundle.json", "answers.bin"
MOST_BYTES = 1 << 20
"""Of the file that says what is missing."""
_STARTER, _RUBRIC = "starter/", "rubric/"


def student_files(
    assignment: Assignment, *, about: StudentBundle, checks: Collection[CheckSpec], answers: bytes
) -> tuple[BundleFile, ...]:
    """The files of the folder for students, which holds these checks and the answers that they need."""
    files = {
        "assignment.toml": manifest_text(assignment).encode(),
        ABOUT: json.dumps(student_bundle.dump(about), indent=1).encode("ascii"),
        ANSWERS: answers,
    }
    for name, data in bundle_files(assignment.root):
        if name.startswith(_STARTER) or name == assignment.lesson:
            files[name] = data
        elif name.startswith(_RUBRIC) and name.endswith(".py"):
            wanted = names_in((check.node_id for check in checks), file=name.removeprefix(_RUBRIC))
            if wanted:
                path = assignment.root / name
                text = path.read_text(encoding="utf-8-sig")
                files[name] = visible_suite(text, path=path, wanted=wanted).encode()
    return tuple(sorted(files.items()))


def about_bundle(root: Path) -> StudentBundle | None:
    """What a folder for students says of itself; None for any other. AssignmentInvalid if it is damaged."""
    path = root / ABOUT
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise AssignmentInvalid(path, f"cannot be read: {error.strerror}.") from error
    try:
        if len(data) > MOST_BYTES:
            raise ValueError("it is far too large")  # noqa: TRY301 - one exit for every damaged file
        return student_bundle.load(json.loads(data))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        problem = f"is damaged ({type(error).__name__}: {error})."[:300]
        raise AssignmentInvalid(path, problem, "Download the checks again.") from error


def manifest_text(assignment: Assignment) -> str:
    """What students need of a manifest: what is asked for, and within which limits."""
    lines = [
        *(f"{name} = {_text(getattr(assignment, name))}" for name in ("slug", "title", "entry", "lesson")),
        f"queue = {_text(assignment.queue)}",
        "",
        "[limits]",
        *(f"{name} = {_number(value)}" for name, value in asdict(assignment.limits).items()),
    ]
    for function in assignment.functions:
        lines += ["", "[[functions]]", f"name = {_text(function.name)}"]
        if function.static:
            lines.append(f"static = [{', '.join(map(_text, function.static))}]")
    return "\n".join(lines) + "\n"


def zipped(files: Iterable[BundleFile], *, folder: str) -> bytes:
    """A zip of a folder with these files. The same files give the same bytes: the date is a fixed one."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files):
            info = zipfile.ZipInfo(f"{folder}/{name}")
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return buffer.getvalue()


def _text(value: str) -> str:
    """As TOML and JSON alike write it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _number(value: float) -> str:
    """Without an exponent, which manifests do not know."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
