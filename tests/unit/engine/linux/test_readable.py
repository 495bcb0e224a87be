"""What a box may read: named, without our own packages and the courses that are installed beside them."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

import grader
from grader.engine.linux import readable
from grader.engine.policy import Layer
from tests import boxes

HOME = Path(grader.__file__).parent


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages, ours and a course among them."""
    site = tmp_path / "site-packages"
    for name in ("assignments/linear/solution", "rubrics", "workers", "grader/db", "useful"):
        (site / name).mkdir(parents=True)
    (site / "assignments/linear/solution/linear.py").write_text("the answer")
    (site / "useful/__init__.py").write_text("answer = 42")
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    return site


def test_the_interpreter_and_its_packages_can_be_read():
    found = readable.find()
    for needed in (Path(sysconfig.get_path("stdlib")), *map(Path, sysconfig.get_paths().values())):
        if needed.is_dir() and needed.name in {"site-packages", f"python3.{sys.version_info.minor}"}:
            if "include" not in needed.parts:
                assert any(folder == needed or folder in needed.parents for folder in found.folders), needed


def test_of_ours_only_the_engine_and_the_domain_can_be_read():
    assert set(readable.find().product) == {HOME / "__init__.py", HOME / "domain", HOME / "engine"}


def test_an_import_path_opens_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert tmp_path not in readable.find().folders


def test_our_packages_are_masked_where_packages_are_installed(site: Path):
    masked = readable.find().masked
    assert {path.name for path in masked if path.parent == site} == {
        "grader",
        "rubrics",
        "workers",
        "assignments",
    }


def test_landlock_is_told_every_neighbour_of_what_is_masked(site: Path):
    read, listed = readable.expanded(readable.find())
    assert site / "useful" in read
    assert site in listed
    assert not any(path == site or (site in path.parents and path.name != "useful") for path in read)


def test_a_folder_below_another_is_named_once():
    folders = readable.find().folders
    for folder in folders:
        assert not any(other in folder.parents for other in folders if not other.is_symlink())


@pytest.mark.linux
@pytest.mark.parametrize(
    "wanted", [frozenset(Layer), frozenset(Layer) - {Layer.LANDLOCK}], ids=["whole", "without Landlock"]
)
def test_a_course_among_the_packages_is_out_of_a_boxs_reach(site: Path, wanted: frozenset[Layer]):
    launcher = boxes.sealed(wanted=wanted, also=(site,))
    inmate = boxes.start(launcher)
    answer = "import sys; sys.path.append({site!r}); import useful; result = useful.answer"
    assert inmate.run(answer.format(site=str(site))) == 42
    with pytest.raises(boxes.Refused):
        inmate.run(f"result = open({str(site / 'assignments/linear/solution/linear.py')!r}).read()")
    launcher.close()
