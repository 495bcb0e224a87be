"""Making the environment: which Python is taken, what is shown meanwhile, what is said when it cannot be."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

FIND_PYTHON = ".ci/setup/find-python.sh"


@pytest.fixture(scope="module")
def bootstrap(project_root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap", project_root / ".ci/setup" / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def find_python(root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", FIND_PYTHON], cwd=root, env=environment, capture_output=True, text=True, check=False
    )


def fake_python(folder: Path, name: str, *, status: int) -> Path:
    """An executable that answers every question with one exit status."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


needs_sh = pytest.mark.skipif(sys.platform == "win32", reason="make and sh are not Windows's")


@needs_sh
def test_a_named_python_is_taken(project_root: Path) -> None:
    found = find_python(project_root, PATH=os.environ["PATH"], PYTHON=sys.executable)
    assert (found.returncode, found.stdout.strip()) == (0, sys.executable)


@needs_sh
def test_a_named_python_that_is_too_old_is_refused_by_name(project_root: Path, tmp_path: Path) -> None:
    old = fake_python(tmp_path, "python3", status=3)
    found = find_python(project_root, PATH=os.environ["PATH"], PYTHON=str(old))
    assert found.returncode == 1
    assert str(old) in found.stderr
    assert "3.11" in found.stderr


@needs_sh
def test_an_unfit_python3_is_passed_over_for_a_fit_python3_12(project_root: Path, tmp_path: Path) -> None:
    fake_python(tmp_path, "python3", status=3)
    fit = fake_python(tmp_path, "python3.12", status=0)
    assert find_python(project_root, PATH=str(tmp_path)).stdout.strip() == str(fit)


@needs_sh
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="it is root's preference")
def test_root_prefers_a_python_that_every_user_can_read(project_root: Path, tmp_path: Path) -> None:
    fake_python(tmp_path / "private", "python3", status=5)
    public = fake_python(tmp_path / "public", "python3", status=0)
    path = f"{tmp_path / 'private'}:{tmp_path / 'public'}:/usr/bin:/bin"
    assert find_python(project_root, PATH=path).stdout.strip() == str(public)


@needs_sh
def test_without_any_python_the_message_says_what_to_install(project_root: Path, tmp_path: Path) -> None:
    found = find_python(project_root, PATH=str(tmp_path))
    assert found.returncode == 1
    assert "Install one" in found.stderr


@needs_sh
def test_a_python_without_venv_is_named_with_the_package_to_install(
    project_root: Path, tmp_path: Path
) -> None:
    bare = fake_python(tmp_path, "python3", status=4)
    found = find_python(project_root, PATH=str(tmp_path))
    assert str(bare) in found.stderr
    assert "python3-venv" in found.stderr


def test_wrong_use_is_exit_code_2(bootstrap: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert bootstrap.main(["everything"]) == 2
    assert "demo|test" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line, shown",
    [
        (
            "  Downloading jaxlib-0.10.2-cp311-cp311-manylinux_2_27_x86_64.whl (85.4 MB)",
            "jaxlib 0.10.2 (85.4 MB)",
        ),
        (
            "  Using cached scipy-1.17.1-cp311-cp311-manylinux_2_17_x86_64.whl (35.3 MB)",
            "scipy 1.17.1 (35.3 MB)",
        ),
        ("Installing collected packages: a, b, c", "unpacking 3 packages"),
    ],
)
def test_large_steps_are_shown(
    bootstrap: ModuleType, capsys: pytest.CaptureFixture[str], line: str, shown: str
) -> None:
    bootstrap.show(line)
    assert capsys.readouterr().out.strip() == shown


@pytest.mark.parametrize(
    "line", ["Collecting rich", "  Downloading rich-15.0.0-py3-none-any.whl (0.3 MB)", ""]
)
def test_small_steps_are_not(bootstrap: ModuleType, capsys: pytest.CaptureFixture[str], line: str) -> None:
    bootstrap.show(line)
    assert capsys.readouterr().out == ""


def test_a_failure_shows_the_end_of_pips_log_and_what_helps(
    bootstrap: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "setup.log"
    log.write_text("ERROR: No matching distribution found for jax==0.10.2\n", encoding="utf-8")
    monkeypatch.setattr(bootstrap, "LOG", log)
    bootstrap.explain(subprocess.CalledProcessError(1, ["pip", "install", "."]))
    said = capsys.readouterr().out
    assert "No matching distribution" in said
    assert "Usual causes" in said


def test_an_environment_made_in_another_folder_is_not_used(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mark = tmp_path / ".made-in"
    mark.write_text("/somewhere/else", encoding="utf-8")
    monkeypatch.setattr(bootstrap, "HOME_MARK", mark)
    monkeypatch.setattr(bootstrap, "VENV_PYTHON", Path(sys.executable))
    assert not bootstrap.usable()
