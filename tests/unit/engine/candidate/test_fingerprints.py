"""State that outlives a call is told by path, whatever it is made of, and looking at it changes nothing."""

from __future__ import annotations

import ast
import functools
import random
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from grader.engine.candidate.fingerprints import ProcessState, changed, of_submission


def module(text: str) -> types.ModuleType:
    made = types.ModuleType("submission")
    exec(text, made.__dict__)  # noqa: S102 - a submission of the test's own
    return made


def paths(text: str, then: str) -> list[str]:
    """The paths that differ after `then` ran in a module of `text`."""
    made = module(text)
    before = of_submission({"submission": made})
    exec(then, made.__dict__)  # noqa: S102 - as above
    return [path for path, *_ in changed(before, of_submission({"submission": made}))]


@pytest.mark.parametrize(
    "text, then, path",
    [
        ("counter = 0", "counter += 1", "counter"),
        ("kept = []", "kept.append(1)", "kept[0]"),
        ("cache = {'x': 1}", "cache['x'] = 2", "cache['x']"),
        ("cache = {}", "cache[(1, 2)] = 2", "cache[1, 2]"),
        ("seen = {1}", "seen.add(2)", "seen"),
        ("def f(): pass\nf.calls = 0", "f.calls = 1", "f.calls"),
        ("def f(memo={}): pass", "f.__defaults__[0]['x'] = 1", "f(defaults)[0][0]['x']"),
        ("def outer():\n    n = [0]\n    def f(): n[0] += 1\n    return f\nf = outer()", "f()", "f(n)[0]"),
        ("class Model:\n    steps = 0", "Model.steps = 1", "Model.steps"),
        ("class Model:\n    pass\nmodel = Model()", "model.w = 1", "model.w"),
        ("class Slim:\n    __slots__ = ('w',)\nslim = Slim()\nslim.w = 1", "slim.w = 2", "slim.w"),
        ("import numpy as np\ntable = np.zeros(3)", "table[1] = 5", "table"),
        ("import numpy as np\nrng = np.random.default_rng(0)", "rng.normal()", "rng"),
        (
            "import numpy as np\nbase = np.zeros((3, 1))\nrows = np.broadcast_to(base, (3, 4))\ndel base",
            "rows.base[1] = 5",
            "rows",
        ),
        ("import numpy as np\ntable = np.zeros((3, 4)).T[::2]", "table[1, 1] = 5", "table"),
        ("import numpy as np\nwords = np.array(['a', None])", "words[0] = 'b'", "words"),
        ("import numpy as np\nnone = np.zeros((2, 0))", "none = np.zeros((2, 0), 'f4')", "none"),
        ("import random\nrng = random.Random(0)", "rng.random()", "rng"),
        ("text = 'x' * 1000", "text += 'y'", "text"),
        ("text = 'x' * 1000 + 'a' + 'x' * 1000", "text = 'x' * 1000 + 'b' + 'x' * 1000", "text"),
        ("big = 10 ** 5000", "big += 1", "big"),
        ("data = bytes(5000)", "data = bytes(4999) + b'1'", "data"),
        ("def numbers():\n    yield 1\n    yield 2\nit = numbers()\nnext(it)", "next(it)", "it(frame)[0]"),
        ("a = [1]\nb = a", "a[0] = 2", "a[0]"),
        ("import itertools\nturns = itertools.count()", "next(turns)", "turns(next)"),
        ("left = iter(range(9))", "next(left)", "left(rest)[1]"),
        ("left = zip(iter([1, 2]))", "next(left)", "left(rest)[0][0](rest)[1]"),
        ("from collections import deque\nlast = deque(maxlen=2)", "last.append(1)", "last[0]"),
        ("data = bytearray(3)", "data[0] = 1", "data"),
        ("import array\ndata = array.array('i', [1])", "data[0] = 2", "data"),
        ("import io\nlog = io.StringIO()", "log.write('x')", "log"),
        ("import io\nlog = io.BytesIO()", "log.write(b'x')", "log"),
        ("import threading\nown = threading.local()\nown.n = 0", "own.n = 1", "own.n"),
        ("import contextvars\nn = contextvars.ContextVar('n', default=0)", "n.set(1)", "n(value)"),
        ("import queue\nkept = queue.Queue()", "kept.put(1)", "kept.queue[0]"),
        (
            "import weakref\nclass K: pass\nk = K()\nw = weakref.WeakKeyDictionary()\nw[k] = 0",
            "w[k] = 1",
            "w[",
        ),
        (
            "import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.execute('create table t(a)')",
            "db.execute('insert into t values (1)')",
            "db",
        ),
        (
            "import io, logging\nh = logging.StreamHandler(io.StringIO())",
            "h.handle(logging.makeLogRecord({}))",
            "h.stream",
        ),
        ("import math\nmath.calls = 0", "math.calls = 1", "math.calls"),
        ("import builtins\nbuiltins.calls = 0", "builtins.calls = 1", "builtins.calls"),
        ("class Lie: pass\nLie.__module__ = 'numpy'\nlie = Lie()\nlie.n = 'a'", "lie.n = 'b'", "lie.n"),
        (
            "class Slim:\n    __slots__ = ('n',)\nslim = Slim()\nslim.n = 0\nSlim.__slots__ = ()",
            "slim.n = 1",
            "slim.n",
        ),
        ("def f(): pass\nf.__module__ = 'jax'\nf.n = 'a'", "f.n = 'b'", "f.n"),
        ("__annotations__ = {'n': 0}", "__annotations__['n'] = 1", "__annotations__['n']"),
        ("import numpy as np\nv = np.vectorize(abs)\nv.calls = 0", "v.calls = 1", "v.calls"),
        ("pad = [[i] for i in range(30000)]\nkept = [0]", "kept[0] = 1", "kept[0]"),
        ("pad = [[i] for i in range(6000)]", "pad[5999][0] = 1", "(the rest)"),
        ("pad = list(range(100))", "pad[99] = 1", "pad"),
        ("deep = [[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]", f"deep{'[0]' * 16} = 1", f"deep{'[0]' * 16}"),
    ],
)
def test_a_change_is_found_at_its_path(text: str, then: str, path: str):
    found = paths(text, then)
    assert path in found or (path.endswith("[") and any(each.startswith(path) for each in found))


@pytest.mark.parametrize(
    "text, then",
    [
        ("counter = 0", "pass"),
        ("import itertools\nturns = itertools.cycle('ab')\npairs = zip(turns, map(str, [1]))", "pass"),
        ("import io, sys\nscreen = sys.stdout\nlog = io.StringIO('x')", "screen.closed"),
        ("import math, logging, os, signal, sys\nlog = logging.getLogger('x')", "math.sqrt(2.0)"),
        ("kept = [1, {'a': (2, 3)}, {4}]", "kept[1]['a']"),
        ("import math, os", "math.pi, os.sep"),
        ("import jax.numpy as jnp\nx = jnp.ones(3)", "x + 1"),
        ("import numpy as np\nx = np.ones(3)", "x + 1"),
        ("def f(x, *, y=[1]): return x", "f(1)"),
        ("import functools\ndef f(x): return x\ng = functools.partial(f, 1)", "g()"),
    ],
)
def test_reading_changes_nothing(text: str, then: str):
    assert paths(text, then) == []


def test_what_is_written_to_an_open_file_is_found(tmp_path: Path) -> None:
    made = module("")
    with (tmp_path / "log").open("w") as log:
        made.__dict__["log"] = log
        before = of_submission({"submission": made})
        log.write("called")
        assert "log" in [path for path, *_ in changed(before, of_submission({"submission": made}))]


def test_a_tracer_that_stays_is_called_a_leak():
    made = module("kept = []")
    before = of_submission({"submission": made})
    jax.make_jaxpr(lambda x: made.kept.append(x) or x)(1.0)
    (leak,) = [row for row in changed(before, of_submission({"submission": made})) if row[0] == "kept[0]"]
    assert leak[2].startswith("leaked tracer")


def test_no_students_method_is_called():
    text = """
class Trap:
    def __eq__(self, other): raise SystemExit
    def __hash__(self): raise SystemExit
    def __repr__(self): raise SystemExit
    def __len__(self): raise SystemExit
    def __iter__(self): raise SystemExit
    def __getattr__(self, name): raise SystemExit
    def __reduce__(self): raise SystemExit
    value = property(lambda self: exit())
class TrapList(list):
    __iter__ = __len__ = __repr__ = Trap.__iter__
class TrapDict(dict):
    items = __iter__ = __len__ = __repr__ = Trap.__iter__
traps = [Trap(), TrapList([1]), TrapDict(a=1)]
"""
    made = module(text)
    assert of_submission({"submission": made}) == of_submission({"submission": made})


def test_odd_objects_do_no_harm():
    made = module("class Odd:\n    __module__ = 3\nodd = Odd()\nempty = []\nempty.append(empty)")
    made.__dict__["tree"] = ast.parse("x = 1")
    made.__dict__["lock"] = threading.Lock()
    made.__dict__["cached"] = functools.lru_cache(lambda: 1)
    made.__dict__["deep"] = functools.reduce(lambda inner, _: [inner], range(5000), 0)
    assert of_submission({"submission": made}) == of_submission({"submission": made})


def test_a_huge_state_is_looked_at_in_part():
    made = module("many = list(range(1_000_000))")
    assert len(of_submission({"submission": made})) <= 20_001


def test_a_view_that_seems_vast_is_not_made_so():
    made = module("import numpy as np\nvast = np.broadcast_to(np.float32(0), (1 << 20, 1 << 20))")
    assert "vast" in of_submission({"submission": made})


def test_helper_modules_are_told_by_their_names():
    helper = types.ModuleType("helpers")
    helper.__dict__["count"] = 0
    modules = {"submission": module(""), "helpers": helper}
    before = of_submission(modules)
    helper.__dict__["count"] = 1
    assert [path for path, *_ in changed(before, of_submission(modules))] == ["helpers.count"]


def test_the_shortest_path_comes_first():
    assert [row[0] for row in changed({"ab": "1", "a": "1"}, {"ab": "2", "a": "2", "c": "3"})] == [
        "a",
        "c",
        "ab",
    ]


# --- the process ---------------------------------------------------------------------------------------


@pytest.fixture
def kept_as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    python, options = random.getstate(), np.get_printoptions()
    numpy: Any = np.random.get_state()  # noqa: NPY002 - the hidden state itself
    limit = sys.getrecursionlimit()
    yield monkeypatch
    random.setstate(python)
    np.random.set_state(numpy)  # noqa: NPY002 - as above
    np.set_printoptions(**options)
    sys.setrecursionlimit(limit)


def test_nothing_changed_where_nothing_happened():
    before = ProcessState()
    jnp.ones(3) + 1
    assert ProcessState().changes_since(before) == []


def test_changes_of_the_process_are_named(kept_as_it_was: pytest.MonkeyPatch):
    before = ProcessState()
    random.seed(5)
    np.random.rand()  # noqa: NPY002 - the hidden state itself
    kept_as_it_was.setenv("STUDENT", "1")
    np.set_printoptions(precision=2)
    sys.setrecursionlimit(sys.getrecursionlimit() + 1)
    kept_as_it_was.setattr(jax, "jit", lambda function: function)
    found = {row[:2] if row[2] == "replaced" else row[0] for row in ProcessState().changes_since(before)}
    assert found == {
        "random state",
        "numpy.random state",
        "os.environ",
        "numpy print options",
        "recursion limit",
        ("attributes of jax", "jit"),
    }


def test_a_switched_option_of_jax_is_named():
    before = ProcessState()
    jax.config.update("jax_log_compiles", True)
    found = [row[0] for row in ProcessState().changes_since(before)]
    jax.config.update("jax_log_compiles", False)
    assert "jax.config.jax_log_compiles" in found
