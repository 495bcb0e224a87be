import os
import stat
import sys
from pathlib import Path

import pytest

from grader.content.bundles import bundle_files, content_version, materialise, version_of
from grader.domain.errors import AssignmentInvalid


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "course"
    for name, text in {
        "assignment.toml": "slug",
        "starter/submission.py": "a",
        "rubric/test_it.py": "b",
        "rubric/data/inputs.csv": "1,2",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_the_files_of_a_folder_are_listed_by_relative_name(folder: Path):
    names = [name for name, _ in bundle_files(folder)]
    assert names == [
        "assignment.toml",
        "rubric/data/inputs.csv",
        "rubric/test_it.py",
        "starter/submission.py",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "rubric/__pycache__/test_it.cpython-311.pyc",
        ".git/config",
        "rubric/.test_it.py.swp",
        "rubric/test_it.py~",
        "rubric/#test_it.py#",
        ".DS_Store",
        "samples/right.py",
    ],
)
def test_droppings_and_samples_do_not_change_the_version(folder: Path, name: str):
    before = content_version(folder)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("noise")
    assert content_version(folder) == before


def test_a_changed_byte_a_renamed_and_an_added_file_change_the_version(folder: Path):
    versions = {content_version(folder)}
    (folder / "rubric/test_it.py").write_text("c")
    versions.add(content_version(folder))
    (folder / "rubric/test_it.py").rename(folder / "rubric/test_that.py")
    versions.add(content_version(folder))
    (folder / "rubric/empty.py").touch()
    versions.add(content_version(folder))
    assert len(versions) == 4


def test_bytes_moved_from_a_name_into_a_file_change_the_version():
    assert version_of([("ab", b"c")]) != version_of([("a", b"bc")])


def test_a_bundle_laid_out_again_is_the_same_assignment(folder: Path, tmp_path: Path):
    target = materialise(bundle_files(folder), tmp_path / "cache" / "v1")
    assert content_version(target) == content_version(folder)
    assert [path.name for path in target.parent.iterdir()] == ["v1"]


def test_a_folder_that_is_there_already_is_left_alone(folder: Path, tmp_path: Path):
    target = materialise(bundle_files(folder), tmp_path / "v1")
    assert materialise([("other.py", b"x")], target) == target
    assert not (target / "other.py").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_only_the_owner_may_read_what_was_laid_out(folder: Path, tmp_path: Path):
    target = materialise(bundle_files(folder), tmp_path / "v1")
    assert stat.S_IMODE(target.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["../evil.py", "/etc/evil", "a/../../evil", "a\\b", "C:x", "", "a\0b"])
def test_a_bundle_cannot_write_outside_its_folder(tmp_path: Path, name: str):
    with pytest.raises(AssignmentInvalid, match="leaves its folder"):
        materialise([("fine.py", b""), (name, b"x")], tmp_path / "v1")
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_a_course_folder_is_refused(folder: Path):
    (folder / "rubric" / "secret.py").symlink_to("/etc/passwd")
    with pytest.raises(AssignmentInvalid, match="symbolic link"):
        bundle_files(folder)


def test_a_linked_folder_is_refused(folder: Path):
    (folder / "rubric" / "more").symlink_to(folder / "starter")
    with pytest.raises(AssignmentInvalid, match="symbolic link"):
        bundle_files(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_refused_without_waiting_for_it(folder: Path):
    os.mkfifo(folder / "rubric" / "pipe")
    with pytest.raises(AssignmentInvalid, match="not a regular file"):
        bundle_files(folder)


def test_a_folder_too_large_for_the_database_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("grader.content.bundles.MOST_BYTES", 3)
    with pytest.raises(AssignmentInvalid, match="holds more than"):
        bundle_files(folder)
