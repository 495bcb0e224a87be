"""What staff are pointed to, and what they are not."""

from __future__ import annotations

import textwrap

import pytest

from grader.domain.submission import SourceFile, SubmittedFiles
from grader.engine.testimony import Seen
from rubrics import integrity
from rubrics.integrity import Suspicion
from rubrics.source import Source


def flags(text: str, *seen: Seen) -> tuple[str, ...]:
    file = SourceFile(name="submission.py", text=textwrap.dedent(text))
    source = Source(SubmittedFiles(entry="submission.py", files=(file,)))
    return integrity.flags(source, ["f"], lambda _: seen)


@pytest.mark.parametrize(
    "line,suspicion",
    [
        ("ctypes.string_at(0)", Suspicion.RAW_MEMORY),
        ("x.unsafe_buffer_pointer()", Suspicion.RAW_MEMORY),
        ("gc.get_objects()", Suspicion.OTHER_OBJECTS),
        ("sys._getframe(1)", Suspicion.FRAMES),
        ("jax._src.core", Suspicion.PRIVATE_JAX),
        ("jnp.mean = None", Suspicion.PATCHES),
        ("setattr(jnp, 'mean', None)", Suspicion.PATCHES),
        ("os.execv('x', [])", Suspicion.PROCESSES),
        ("os.dup2(1, 2)", Suspicion.DESCRIPTORS),
        ("atexit.register(f)", Suspicion.AT_EXIT),
        ("socket.socket()", Suspicion.NETWORK),
        ("open('/proc/self/mem')", Suspicion.SYSTEM_FILES),
    ],
)
def test_a_construct_is_told_with_its_line(line: str, suspicion: Suspicion) -> None:
    text = (
        f"import atexit, ctypes, gc, jax, os, socket, sys\nimport jax.numpy as jnp\ndef f(x):\n    {line}\n"
    )
    assert flags(text) == (f"{suspicion.value} (submission.py:4)",)


def test_a_helper_that_the_function_calls_counts() -> None:
    assert flags("import gc\ndef f(x):\n    return g(x)\ndef g(x):\n    return gc.get_objects()\n")


def test_an_inner_function_counts_once_it_is_named() -> None:
    assert flags("import gc\ndef f(x):\n    def g():\n        return gc.get_objects()\n    return g()\n")


def test_a_method_that_python_calls_by_itself_counts() -> None:
    assert flags("import os\nclass A:\n    def __reduce__(self):\n        return os.system, ('x',)\n")


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess\nif __name__ == '__main__':\n    subprocess.run(['ls'])\n",
        "import subprocess\ndef unused():\n    subprocess.run(['ls'])\ndef f(x):\n    return x\n",
        "import ctypes, gc, socket, os\ndef f(x):\n    return x\n",
        "import jax\njax.config.update('jax_enable_x64', True)\njax.config.jax_platforms = 'cpu'\n",
        "class Model:\n    pass\nm = Model()\nm.mean = 3\n",
        "def f(x):\n    '''not /proc/ but about it: gc.get_objects()'''\n    return x\n",
        "this does not parse",
    ],
)
def test_what_does_not_run_or_is_ordinary_is_not_told(text: str) -> None:
    assert flags(text) == ()


def test_few_lines_of_many_are_told() -> None:
    assert flags("import gc\n" + "gc.get_objects()\n" * 9) == (
        f"{Suspicion.OTHER_OBJECTS.value} (submission.py:2 3 4 5 6 …)",
    )


def test_a_print_that_nobody_saw_is_told() -> None:
    text = "def f(x):\n    'A docstring.'\n    print('hello')\n    return x\n"
    assert flags(text, Seen()) == (f"{Suspicion.UNSEEN_OUTPUT.value} (submission.py:3)",)
    assert flags(text, Seen(output="hello\n", output_bytes=6)) == ()
    assert flags(text) == ()


def test_a_print_that_need_not_happen_is_not_missed() -> None:
    assert flags("def f(x):\n    if x is None:\n        print('hello')\n    return x\n", Seen()) == ()
    assert flags("def f(x):\n    y = 1 / x\n    print('hello')\n    return y\n", Seen()) == ()
