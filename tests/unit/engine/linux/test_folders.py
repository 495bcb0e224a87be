"""Ordinary scratch folders: measured and removed whatever a box made of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.engine.linux import folders


@pytest.fixture
def folder() -> Iterator[Path]:
    folder = folders.make()
    yield folder
    folders.remove(folder)


NAME = "d" * 200


def nest(folder: Path, *, depth: int = 30) -> None:
    """Folders in folders, deeper than any path reaches."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(NAME, dir_fd=here)
        deeper = os.open(NAME, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)


def test_an_empty_folder_weighs_nothing(folder: Path):
    assert folders.measure(folder) == 0


def test_bytes_count(folder: Path):
    (folder / "a").write_bytes(bytes(10_000))
    assert folders.measure(folder) == 10_000


def test_empty_files_and_folders_count_too(folder: Path):
    (folder / "a").touch()
    (folder / "b").mkdir()
    (folder / "b" / "c").touch()
    assert folders.measure(folder) == 3 * 4096


def test_a_link_does_not_lead_out(folder: Path):
    (folder / "link").symlink_to("/usr")
    assert folders.measure(folder) == 4096


def test_nesting_beyond_what_a_path_can_tell_is_without_bound(folder: Path):
    nest(folder)
    assert folders.measure(folder) == sys.maxsize


def test_what_is_deep_is_removed():
    folder = folders.make()
    nest(folder)
    folders.remove(folder)
    assert not folder.exists()


def test_what_is_locked_is_removed():
    folder = folders.make()
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "c").touch(mode=0o000)
    (folder / "a" / "b").chmod(0o000)
    (folder / "a").chmod(0o000)
    folders.remove(folder)
    assert not folder.exists()


def test_what_a_link_points_at_stays(tmp_path: Path):
    (tmp_path / "kept").touch()
    folder = folders.make()
    (folder / "link").symlink_to(tmp_path)
    folders.remove(folder)
    assert (tmp_path / "kept").exists()
    assert not folder.exists()
