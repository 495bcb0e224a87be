"""Whatever a check can say is in the catalogue, with parameters that the catalogue knows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import rubrics
from grader.domain.catalogue import CODES
from rubrics.checks import prng

MODULES = sorted(Path(rubrics.__file__).parent.rglob("*.py"))
FAMILIES = tuple({code.partition(".")[0] for code in CODES})
RAISING = {"failed", "CheckFailed", "Inconclusive", "Difference"}


def strings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def looks_like_a_code(text: str) -> bool:
    family, _, name = text.partition(".")
    return family in FAMILIES and name.replace("_", "").isalpha()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_code_in_the_sources_is_in_the_catalogue(path: Path):
    written = {
        text for text in strings(ast.parse(path.read_text(encoding="utf-8"))) if looks_like_a_code(text)
    }
    assert {text for text in written if not any(code.startswith(text) for code in CODES)} == set()


def raised(path: Path) -> Iterator[tuple[str, set[str], int]]:
    """(code, names of the literal parameters, line) of each place that makes a failure."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in RAISING:
            continue
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        code = node.args[0] if node.args else given.get("code")
        params = node.args[1] if len(node.args) > 1 else given.get("params")
        if isinstance(code, ast.Constant) and isinstance(code.value, str) and isinstance(params, ast.Dict):
            yield code.value, {key.value for key in params.keys if isinstance(key, ast.Constant)}, node.lineno


def test_checks_pass_only_parameters_that_the_entry_declares():
    places = [(path, *found) for path in MODULES for found in raised(path)]
    assert len(places) > 20
    unknown = [
        f"{path.name}:{line} {code}: {name}"
        for path, code, params, line in places
        for name in params - {param.name for param in CODES[code].params} - {"source", "function"}
    ]
    assert unknown == []


def test_every_misuse_of_a_key_has_a_code_or_a_reason_to_have_none():
    missing = set(prng.KeyFault) - prng._CODES.keys()
    assert missing == {prng.KeyFault.SAMPLER_REUSE}
    assert set(prng._CODES.values()) <= CODES.keys()
