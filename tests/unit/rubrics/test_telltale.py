"""Which code might tell how it is called, and is therefore run in more ways than one."""

from __future__ import annotations

import textwrap

import pytest

from grader.domain.submission import SourceFile, SubmittedFiles
from rubrics.source import Source, Spot

HEADER = (
    "import dataclasses, functools, jax, operator, sys, time, threading, typing\n"
    "import jax.numpy as jnp\nimport numpy as np\n"
)


def telltale(body: str) -> Spot | None:
    text = HEADER + textwrap.dedent(body)
    file = SourceFile(name="submission.py", text=text)
    return Source(SubmittedFiles(entry="submission.py", files=(file,))).telltale("f")


@pytest.mark.parametrize(
    "statement",
    [
        "if isinstance(x, jax.core.Tracer): return x * 0",
        "if hasattr(x, 'aval'): return x * 0",
        "if type(x) is type(jnp.ones(1)): return x",
        "if x.__class__.__name__ == 'ArrayImpl': return x",
        "if 'Traced' in str(x): return x * 0",
        "if 'Traced' in f'{x}': return x * 0",
        "x.unsafe_buffer_pointer()",
        "t = time.time()",
        "sys._getframe(1)",
        "threading.active_count()",
        "jax.config.jax_enable_x64",
        "np.random.rand()",
        "global calls",
        "eval('x')",
        "if 'Tracer' in '%s' % x: return x * 0",
        "if 'Tracer' in '{}'.format(x): return x * 0",
        "if operator.attrgetter('__class__')(x): return x",
        "if typing.get_type_hints(f): return x",
        "if dataclasses.inspect.stack(): return x",
        "g = dataclasses",
        "if x.committed: return x",
        "seen = functools.singledispatch",
        "jnp.sum = jnp.mean",
        "jax.monitoring.record_event('x')",
        "jnp.load('table.npy')",
    ],
)
def test_code_that_might_tell_is_found_with_its_line(statement: str) -> None:
    assert telltale(f"def f(x):\n    {statement}\n    return x\n") == Spot(file="submission.py", line=5)


@pytest.mark.parametrize(
    "body",
    [
        "def f(x):\n    try:\n        return float(x)\n    except Exception:\n        return x\n",
        "def f(x):\n    return g(x)\ndef g(x):\n    return getattr(x, 'aval', x)\n",
        "class Later:\n    def __array__(self):\n        return 0\ndef f(x):\n    return Later()\n",
        "started = time.monotonic()\ndef f(x):\n    return x\n",
        "from time import monotonic as now\ndef f(x):\n    return x + now()\n",
        "def f(x):\n    return x\ndef f(x):\n    return x if hash(x) else 0\n",
        "def f(x, t=lambda v: v.__class__):\n    return x if t(x) else 0\n",
        "def f(x, t: exec('y = 1') = 0):\n    return x\n",
        "class Other:\n    def str(self):\n        return 1\ndef f(x):\n    return str(x)\n",
        "def g():\n    import math as time\ndef f(x):\n    return x * time.time()\n",
        "from jax import *\ndef f(x):\n    return x\n",
        f"def g(a):\n    return a{'.b' * 400}\ndef f(x):\n    return x\n",
    ],
)
def test_what_loading_and_helpers_do_counts(body: str) -> None:
    assert telltale(body) is not None


ORDINARY = {
    "an expression": """
        def f(x):
            return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
    """,
    "a look at the shape": """
        def f(x):
            if x.ndim != 2:
                raise ValueError("a matrix is needed")
            return x.at[0].set(1)
    """,
    "a static argument": """
        @functools.partial(jax.jit, static_argnames=("n",))
        def f(x, n=3):
            return jax.lax.fori_loop(0, n, lambda i, z: z + i, x)
    """,
    "a cache of programs": """
        @functools.lru_cache
        def g(n):
            return jax.jit(lambda x: x * n)
        def f(x):
            return g(len(x))(x)
    """,
    "keys": """
        def f(key, n):
            keys = jax.random.split(key, n + 1)
            return keys[0], jax.vmap(jax.random.normal)(keys[1:])
    """,
    "a Python number, and a print": """
        def f(x):
            if isinstance(x, int):
                x = float(x)
            print("called")
            return np.pi * x
    """,
    "a docstring, and types": """
        def f(x: typing.Optional[jax.Array]) -> jax.Array:
            "By 50% at least."
            return jnp.linalg.norm(x, axis=int(np.prod(x.shape)) - 1)
    """,
    "one import written twice": """
        def g(x):
            import jax.numpy as jnp
            return jnp.sum(x)
        def f(x):
            return g(x)
    """,
    "a script's own part": """
        def f(x):
            return x
        if __name__ == "__main__":
            print(time.time())
    """,
}


@pytest.mark.parametrize("body", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_code_does_not_count(body: str) -> None:
    assert telltale(body) is None
