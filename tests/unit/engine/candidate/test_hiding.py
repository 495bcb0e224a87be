"""Code in a candidate finds no module of ours, whichever way it imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

WAYS = {
    "import": "import grader",
    "import of a part": "import grader.engine.candidate.serving",
    "from": "from grader.engine.candidate import fingerprints",
    "by name": "import importlib; importlib.import_module('grader.domain')",
    "what began": "import __main__; __main__.hiding",
    "what is loaded": "import sys; next(name for name in sys.modules if name.startswith('grader'))",
}


@pytest.mark.parametrize("way", WAYS)
def test_our_modules_are_not_found(way: str) -> None:
    code = (
        "from grader.engine.candidate import hiding\n"
        "hiding.hide()\n"
        f"try:\n    {WAYS[way]}\n"
        "except (ModuleNotFoundError, AttributeError, StopIteration):\n    print('absent')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "absent\n"


def test_other_modules_are_found() -> None:
    code = "from grader.engine.candidate import hiding\nhiding.hide()\nimport colorsys, jax.numpy, wave\n"
    subprocess.run([sys.executable, "-c", code], check=True)
