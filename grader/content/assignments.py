"""Assignment folders: found by path or slug, read, and judged before anything is graded with them.

A folder holds `assignment.toml`, `lesson.md`, `starter/<entry>`, `solution/<entry>`, `rubric/test_*.py` and,
where wanted, `solution/baseline.py`, `mutants/*.py` and `samples/`. One that students have downloaded has
recorded answers instead of the solution (`grader.content.student_bundles`).
"""

from __future__ import annotations

import importlib.resources
from pathlib import Path

from grader.content.bundles import BundleFile, bundle_files, content_version, materialise, version_of
from grader.content.manifest import SLUG, Manifest, parse_manifest
from grader.content.student_bundles import ANSWERS, about_bundle
from grader.content.syntax import SyntaxProblem, definitions, parse
from grader.domain.errors import AssignmentInvalid, NotFound
from grader.domain.rubric import Assignment
from grader.domain.text import did_you_mean, listing, one_line

__all__ = [
    "MANIFEST",
    "BundleFile",
    "bundle_files",
    "content_version",
    "find_assignment",
    "materialise",
    "read_assignment",
    "read_whole",
    "shipped_slugs",
    "version_of",
]

MANIFEST = "assignment.toml"
_SHIPPED = "assignments"
"""The package whose folders are the assignments that come with the product."""


def read_assignment(root: Path) -> Assignment:
    """Read and judge one assignment folder; AssignmentInvalid says where it is wrong and how to mend it."""
    root = root.resolve()
    manifest = parse_manifest(_manifest_bytes(root), path=root / MANIFEST)
    answers = None if about_bundle(root) is None else ANSWERS
    _require_files(root, manifest, answers=answers)
    if answers is None:
        _require_functions(root / "solution" / manifest.entry, manifest)
    _require_functions(root / "starter" / manifest.entry, manifest)
    return Assignment(
        slug=manifest.slug,
        title=manifest.title,
        version=content_version(root),
        root=root,
        entry=manifest.entry,
        functions=manifest.functions,
        starter_earns=manifest.starter_earns,
        mutants=manifest.mutants,
        limits=manifest.limits,
        queue=manifest.queue,
        lesson=manifest.lesson,
        answers=answers,
    )


def read_whole(root: Path) -> Assignment:
    """As `read_assignment`, but AssignmentInvalid for what students get, which cannot be published."""
    assignment = read_assignment(root)
    if assignment.answers is not None:
        raise AssignmentInvalid(
            root, "is what students download: it has no solution.", "Name the assignment's own folder."
        )
    return assignment


def find_assignment(slug_or_dir: str) -> Path:
    """The folder of an assignment, given as a path or as the slug of one that comes with the product.

    NotFound lists the slugs there are; AssignmentInvalid where a folder is given that holds no manifest.
    """
    given = Path(slug_or_dir).expanduser()
    if (given / MANIFEST).is_file():
        return given.resolve()
    if given.name == MANIFEST and given.is_file():
        return given.parent.resolve()
    slugs = shipped_slugs()
    if slug_or_dir in slugs:
        return _shipped_root() / slug_or_dir
    if given.is_dir():
        raise AssignmentInvalid(given, f"holds no {MANIFEST}.", "Name the folder that holds it.")
    remedy = did_you_mean(slug_or_dir, slugs) or f"Give a folder, or one of: {listing(slugs, at_most=20)}."
    raise NotFound("assignment", one_line(slug_or_dir, 80), remedy)


def shipped_slugs() -> tuple[str, ...]:
    """The slugs of the assignments that come with the product, sorted."""
    folders = _shipped_root().glob(f"*/{MANIFEST}")
    return tuple(sorted(path.parent.name for path in folders if SLUG.fullmatch(path.parent.name)))


def _shipped_root() -> Path:
    return Path(str(importlib.resources.files(_SHIPPED)))


def _manifest_bytes(root: Path) -> bytes:
    if not root.is_dir():
        raise AssignmentInvalid(root, "is not a folder.", "Name the folder of an assignment.")
    try:
        return (root / MANIFEST).read_bytes()
    except FileNotFoundError as error:
        raise AssignmentInvalid(root, f"holds no {MANIFEST}.", "Name the folder that holds it.") from error
    except OSError as error:
        raise AssignmentInvalid(root / MANIFEST, f"cannot be read: {error.strerror}.") from error


def _require_files(root: Path, manifest: Manifest, *, answers: str | None) -> None:
    wanted = {
        manifest.lesson: "the text students read (the manifest's `lesson`)",
        f"starter/{manifest.entry}": "what students begin with",
        answers or f"solution/{manifest.entry}": "the recorded answers"
        if answers
        else "the reference solution",
        **{mutant.path: f"the mutant {mutant.name!r} of the manifest" for mutant in manifest.mutants},
    }
    for name, what in wanted.items():
        if not (root / name).is_file():
            raise AssignmentInvalid(root, f"has no file {name}: {what}.", _nearest_file(root, name))
    if not any((root / "rubric").glob("test_*.py")):
        raise AssignmentInvalid(root, "has no rubric.", "Put the suite in rubric/test_<name>.py.")
    listed = {mutant.path for mutant in manifest.mutants}
    for path in sorted((root / "mutants").glob("*.py")):
        name = path.relative_to(root).as_posix()
        if name not in listed:
            raise AssignmentInvalid(
                root,
                f"holds {name}, which the manifest does not list.",
                "List it under [[mutants]] or delete it.",
            )


def _nearest_file(root: Path, name: str) -> str:
    folder = (root / name).parent
    present = [path.relative_to(root).as_posix() for path in folder.glob("*")] if folder.is_dir() else []
    return did_you_mean(name, present) or "Add it."


def _require_functions(path: Path, manifest: Manifest) -> None:
    try:
        module = parse(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise AssignmentInvalid(path, "is not UTF-8 text.", "Save it as UTF-8.") from error
    if isinstance(module, SyntaxProblem):
        where = f" (line {module.line})" if module.line else ""
        raise AssignmentInvalid(path, f"is not valid Python{where}: {module.reason}.")
    present = [definition.name for definition in definitions(module)]
    for function in manifest.functions:
        if function.name not in present:
            remedy = did_you_mean(function.name, present) or "Define it there, or correct [[functions]]."
            raise AssignmentInvalid(
                path, f"does not define {function.name}, which the manifest declares.", remedy
            )
