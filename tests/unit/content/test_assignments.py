import shutil
from pathlib import Path

import pytest

from grader.content import assignments
from grader.content.assignments import content_version, find_assignment, read_assignment
from grader.domain.errors import AssignmentInvalid, NotFound

FILES = {
    "assignment.toml": """
slug = "walks"
title = "Random walks"
[[functions]]
name = "walk"
static = ["n"]
[[mutants]]
file = "mutants/still.py"
fails = ["walk.values.moves"]
""",
    "lesson.md": "# Walks\n",
    "starter/submission.py": "def walk(key, n):\n    raise NotImplementedError\n",
    "solution/submission.py": "import jax\n\nwalk = jax.jit(lambda key, n: key)\n",
    "rubric/test_walks.py": "def test_moves(): ...\n",
    "mutants/still.py": "def walk(key, n):\n    return 0\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "walks"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_folder_becomes_an_assignment_with_its_version(folder: Path):
    assignment = read_assignment(folder)
    assert assignment.slug == "walks"
    assert assignment.root == folder.resolve()
    assert assignment.function("walk").static == ("n",)
    assert assignment.version == content_version(folder)


@pytest.mark.parametrize(
    "missing,says",
    [
        ("assignment.toml", "holds no assignment.toml"),
        ("lesson.md", "has no file lesson.md"),
        ("starter/submission.py", "has no file starter/submission.py"),
        ("solution/submission.py", "has no file solution/submission.py"),
        ("rubric/test_walks.py", "has no rubric"),
        ("mutants/still.py", "has no file mutants/still.py: the mutant 'still'"),
    ],
)
def test_a_missing_file_is_named(folder: Path, missing: str, says: str):
    (folder / missing).unlink()
    with pytest.raises(AssignmentInvalid, match=says):
        read_assignment(folder)


def test_a_misspelt_file_is_recognised(folder: Path):
    (folder / "mutants/still.py").rename(folder / "mutants/stills.py")
    with pytest.raises(AssignmentInvalid, match=r"Did you mean 'mutants/stills.py'"):
        read_assignment(folder)


def test_a_mutant_that_nobody_lists_is_refused(folder: Path):
    (folder / "mutants/forgotten.py").write_text("")
    with pytest.raises(
        AssignmentInvalid, match=r"holds mutants/forgotten.py, which the manifest does not list"
    ):
        read_assignment(folder)


def test_a_solution_without_a_declared_function_is_refused(folder: Path):
    (folder / "solution/submission.py").write_text("def walks(key, n): ...\n")
    with pytest.raises(AssignmentInvalid, match=r"does not define walk.*Did you mean 'walks'"):
        read_assignment(folder)


def test_a_starter_that_is_not_python_is_refused_with_its_line(folder: Path):
    (folder / "starter/submission.py").write_text("x = 1\ndef walk(:\n")
    with pytest.raises(AssignmentInvalid, match=r"not valid Python \(line 2\)"):
        read_assignment(folder)


def test_a_file_instead_of_a_folder_is_refused(folder: Path):
    with pytest.raises(AssignmentInvalid, match="is not a folder"):
        read_assignment(folder / "lesson.md")


def test_an_assignment_is_found_by_its_folder_and_by_its_manifest(folder: Path):
    assert find_assignment(str(folder)) == folder.resolve()
    assert find_assignment(str(folder / "assignment.toml")) == folder.resolve()


def test_an_assignment_that_is_shipped_is_found_by_its_slug(folder: Path, monkeypatch: pytest.MonkeyPatch):
    shutil.copytree(folder, folder.parent / "shipped" / "walks")
    monkeypatch.setattr(assignments, "_shipped_root", lambda: folder.parent / "shipped")
    assert find_assignment("walks") == folder.parent / "shipped" / "walks"


@pytest.mark.parametrize("name", ["no-such-thing", "../walks", "/nowhere", "", "\x1b[2J"])
def test_an_unknown_assignment_is_answered_with_those_there_are(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((NotFound, AssignmentInvalid)) as caught:
        find_assignment(name)
    assert "\x1b" not in str(caught.value)


def test_a_close_slug_is_proposed():
    with pytest.raises(NotFound, match="Did you mean 'functional-core'"):
        find_assignment("functional-cor")


def test_a_folder_without_a_manifest_is_named(tmp_path: Path):
    with pytest.raises(AssignmentInvalid, match=r"holds no assignment.toml"):
        find_assignment(str(tmp_path))


def test_the_assignment_that_comes_with_the_product_is_valid():
    assert read_assignment(find_assignment("functional-core")).slug == "functional-core"
