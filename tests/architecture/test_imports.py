"""Importing our modules: without JAX where it does not belong, alone, without warnings, on any platform."""

from __future__ import annotations

import sys

import pytest

from tests.architecture.modules import our_modules, probe

JAX_FREE = (
    "grader.domain",
    "grader.content",
    "grader.db",
    "grader.presentation",
    "grader.services",
    "grader.web",
    "grader.cli",
    "workers",
)

LINUX_ONLY = "grader.engine.linux"
"""The one door behind which Linux's own facilities are used."""

forks = pytest.mark.skipif(sys.platform == "win32", reason="the probe forks; run it on Linux or macOS")


@pytest.mark.parametrize("package", JAX_FREE)
def test_jax_and_torch_stay_out_of(package: str) -> None:
    modules = our_modules(package)
    assert modules
    assert probe("without", modules, forbidden=["jax", "jaxlib", "torch"]) == []


def test_the_engine_starts_no_jax_by_being_imported() -> None:
    assert probe("without", ["grader", "grader.engine"], forbidden=["jax", "jaxlib", "torch"]) == []


def test_a_forbidden_package_is_found_with_the_module_that_brought_it() -> None:
    (failure,) = probe("without", ["grader.domain", "jax.numpy"], forbidden=["jax"])
    assert failure.module == "jax.numpy"


@forks
@pytest.mark.slow
@pytest.mark.timeout(600)  # five hundred forks: a minute on two idle cores, several on busy ones
def test_every_module_imports_alone_and_without_warnings() -> None:
    assert [str(failure) for failure in probe("alone", our_modules())] == []


@forks
@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_every_module_outside_the_linux_door_imports_on(platform: str) -> None:
    modules = [name for name in our_modules() if not name.startswith(LINUX_ONLY)]
    assert [str(failure) for failure in probe("elsewhere", modules, platform=platform)] == []


@forks
@pytest.mark.parametrize("guilty", ["fcntl", "resource", "pwd"])
def test_the_pretended_windows_lacks(guilty: str) -> None:
    (failure,) = probe("elsewhere", [guilty], platform="win32")
    assert "on this platform" in failure.reason
