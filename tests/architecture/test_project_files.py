"""The project's own files agree with the code and with each other."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

from tests.architecture.modules import LOADED_BY_PATH, PACKAGES, ROOT, sources

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SHIPPED = (*PACKAGES, "assignments")

NEEDED_WITHOUT_AN_IMPORT = {
    "python-multipart": "FastAPI reads forms with it",
    "flatbuffers": "jax.export serialises with it but does not ask for it",
    "jaxlib": "pinned beside jax",
    "packaging": "kombu's Redis transport imports it but does not ask for it",
    "psutil": "limits memory where there is no seal; loaded only there",
    "psycopg": "SQLAlchemy loads it by the database's URL",
    "pytest-json-report": "a pytest plugin, loaded by name",
    "redis": "kombu's transport",
}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    """Names of the runtime dependencies in pyproject.toml."""
    return {
        canonical(re.split(r"[\[<>=!~; ]", line, maxsplit=1)[0])
        for line in PYPROJECT["project"]["dependencies"]
    }


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonical(name): version for name, version in pairs}


def imported_packages() -> dict[str, Path]:
    """Top-level foreign packages that our code imports, each with one file that does."""
    files = [
        *sources(),
        *(ROOT / folder for folder in LOADED_BY_PATH for folder in (ROOT / folder).rglob("*.py")),
    ]
    found: dict[str, Path] = {}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.append(node.module)
            for name in names:
                found.setdefault(name.partition(".")[0], file.relative_to(ROOT))
    return {name: file for name, file in found.items() if name not in (*sys.stdlib_module_names, *SHIPPED)}


def in_a_package(file: Path) -> bool:
    """Whether every folder from the file up to the project is a regular package."""
    folders = (ROOT / parent for parent in file.relative_to(ROOT).parents if parent.parts)
    return all((folder / "__init__.py").exists() for folder in folders)


def data_files() -> list[Path]:
    """Files in our packages that are no modules, such as what Alembic loads by path. Relative paths."""
    files = (file for package in SHIPPED for file in (ROOT / package).rglob("*") if file.is_file())
    return [
        file.relative_to(ROOT)
        for file in files
        if "__pycache__" not in file.parts and not (file.suffix == ".py" and in_a_package(file))
    ]


def test_every_imported_package_is_a_declared_dependency() -> None:
    owners = packages_distributions()
    undeclared = {
        f"{name} (imported by {file})"
        for name, file in imported_packages().items()
        if not declared() & {canonical(owner) for owner in owners.get(name, [name])}
    }
    assert undeclared == set()


def test_every_declared_dependency_is_used() -> None:
    owners = packages_distributions()
    used = {canonical(owner) for name in imported_packages() for owner in owners.get(name, [name])}
    assert declared() - used - NEEDED_WITHOUT_AN_IMPORT.keys() == set()


def test_every_direct_dependency_is_pinned() -> None:
    extras = PYPROJECT["project"]["optional-dependencies"]
    wanted = declared() | {
        canonical(re.split(r"[\[<>=!~; ]", line, maxsplit=1)[0]) for name in extras for line in extras[name]
    }
    assert wanted - pinned().keys() - {"jax-grader"} == set()


def test_the_pins_name_released_versions_only() -> None:
    assert {name: version for name, version in pinned().items() if "+" in version} == {}


@pytest.mark.parametrize("file", data_files(), ids=str)
def test_the_wheel_ships(file: Path) -> None:
    package = ROOT / file.parts[0]
    patterns = PYPROJECT["tool"]["setuptools"]["package-data"].get(package.name, [])
    assert ROOT / file in {match for pattern in patterns for match in package.glob(pattern)}


def test_the_hooks_run_what_make_check_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe is not None
    by_hand = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0][
        "hooks"
    ]
    assert [hook["entry"] for hook in hooks] == by_hand


def test_make_alone_explains_every_command() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    commands = set(phony[1].split()) - {"help", "FORCE"}
    explained = set(re.findall(r"@echo '  make ([\w-]+) ", makefile))
    assert explained == commands
