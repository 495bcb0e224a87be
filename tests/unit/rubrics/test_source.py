"""Each locator finds its line, and finds nothing where there is nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rubrics.source import Source, Spot
from tests.unit.rubrics.sources import source_of, text_at

Locator = Callable[[Source], Spot | None]


def found(code: str, locate: Locator, **helpers: str) -> str | None:
    source = source_of(code, **helpers)
    return text_at(source, locate(source))


def prints(source):
    return source.prints("f")


def discards(source):
    return source.discarded_update("f")


def mutates(source):
    return source.mutates_argument("f")


def loops(source):
    return source.loop("f")


def reuses(source):
    return source.reused_key("f")


def makes_key(source):
    return source.makes_key("f")


def draws(source):
    return source.draws("f")


def casts(source):
    return source.casts("f")


def broadcasts(source):
    return source.broadcasts("f")


def reads_global(source):
    return source.reads_changeable_global("f")


POSITIVE = [
    (prints, "print(x)", "def f(x):\n    print(x)\n    return x\n"),
    (
        prints,
        "print('in a helper')",
        "def g():\n    print('in a helper')\n\ndef f(x):\n    g()\n    return x\n",
    ),
    (prints, "jax.debug.print('{}', x)", "def f(x):\n    jax.debug.print('{}', x)\n    return x\n"),
    (
        prints,
        "log.warning('called')",
        "import logging\nlog = logging.getLogger()\ndef f(x):\n    log.warning('called')\n",
    ),
    (discards, "x.at[0].set(1)", "def f(x):\n    x.at[0].set(1)\n    return x\n"),
    (discards, "y = x.at[0].add(1)", "def f(x):\n    y = x.at[0].add(1)\n    return x\n"),
    (mutates, "x[0] = 1", "def f(x):\n    x[0] = 1\n    return x\n"),
    (mutates, "x += 1", "def f(x):\n    x += 1\n    return x\n"),
    (mutates, "p['w'] = 2", "def f(p):\n    p['w'] = 2\n    return p\n"),
    (mutates, "flat[0] = 1", "def f(x):\n    flat = x.ravel()\n    flat[0] = 1\n    return x\n"),
    (mutates, "np.add(x, 1, out=x)", "def f(x):\n    np.add(x, 1, out=x)\n    return x\n"),
    (mutates, "np.fill_diagonal(x, 0)", "def f(x):\n    np.fill_diagonal(x, 0)\n    return x\n"),
    (mutates, "p.pop()", "def f(p):\n    p.pop()\n    return p\n"),
    (mutates, "del p['w']", "def f(p):\n    del p['w']\n    return p\n"),
    (loops, "for row in x:", "def f(x):\n    for row in x:\n        pass\n    return x\n"),
    (loops, "return [v for v in x]", "def f(x):\n    return [v for v in x]\n"),
    (reuses, "b = normal(key)", "def f(key):\n    a = normal(key)\n    b = normal(key)\n    return a + b\n"),
    (reuses, "k = split(key)", "def f(key):\n    a = normal(key)\n    k = split(key)\n    return a, k\n"),
    (
        reuses,
        "out.append(normal(key))",
        "def f(key):\n    out = []\n    for _ in range(3):\n        out.append(normal(key))\n",
    ),
    (
        reuses,
        "return jax.vmap(lambda i: normal(key))(x)",
        "def f(key, x):\n    return jax.vmap(lambda i: normal(key))(x)\n",
    ),
    (
        makes_key,
        "k = jax.random.PRNGKey(0)",
        "def f(key):\n    k = jax.random.PRNGKey(0)\n    return normal(k)\n",
    ),
    (draws, "return normal(key)", "def f(key):\n    return normal(key)\n"),
    (casts, "return jnp.float32(x)", "def f(x):\n    return jnp.float32(x)\n"),
    (casts, "return x.astype('int32')", "def f(x):\n    return x.astype('int32')\n"),
    (casts, "return jnp.sum(x, dtype=int)", "def f(x):\n    return jnp.sum(x, dtype=int)\n"),
    (broadcasts, "d = x[:, None] - y", "def f(x, y):\n    d = x[:, None] - y\n    return d\n"),
    (
        reads_global,
        "return x * S['d']",
        "S = {'d': 1}\ndef change(v):\n    S['d'] = v\n\ndef f(x):\n    return x * S['d']\n",
    ),
    (
        reads_global,
        "return x * D",
        "D = 1\ndef change(v):\n    global D\n    D = v\n\ndef f(x):\n    return x * D\n",
    ),
]

NEGATIVE = [
    (prints, "def g():\n    print('nobody calls this')\n\ndef f(x):\n    return x\n"),
    (discards, "def f(x):\n    x = x.at[0].set(1)\n    return x\n"),
    (mutates, "def f(x):\n    y = jnp.zeros(3)\n    return y.at[0].set(x)\n"),
    (mutates, "def f(x):\n    out = {}\n    out['w'] = 1\n    return out\n"),
    (loops, "def f(x):\n    return lax.fori_loop(0, 3, lambda i, v: v + 1, x)\n"),
    (reuses, "def f(key):\n    key, sub = split(key)\n    return normal(sub), key\n"),
    (
        reuses,
        "def f(key):\n    for _ in x:\n        key, sub = split(key)\n        normal(sub)\n    return key\n",
    ),
    (reuses, "def f(key):\n    ks = split(key, 2)\n    return normal(ks[0]) + normal(ks[1])\n"),
    (makes_key, "def f(key):\n    return normal(key)\n"),
    (draws, "def f(x):\n    return jnp.mean(x)\n"),
    (casts, "def f(x):\n    return x + 1\n"),
    (broadcasts, "def f(x, y):\n    return x @ y.T\n"),
    (reads_global, "S = {'d': 1}\ndef f(x):\n    return x * S['d']\n"),
    (reads_global, "T = {}\nfor i in range(3):\n    T[i] = i\n\ndef f(x):\n    return x * T[0]\n"),
    (reads_global, "S = {'d': 1}\ndef other(S):\n    S['d'] = 2\n\ndef f(x):\n    return x * S['d']\n"),
    (reads_global, "M = {}\ndef f(x):\n    M[x.shape] = 1\n    return x * M[x.shape]\n"),
]


@pytest.mark.parametrize("locate, line, code", POSITIVE, ids=lambda part: getattr(part, "__name__", None))
def test_the_line_is_found(locate: Locator, line: str, code: str):
    assert found(code, locate) == line


@pytest.mark.parametrize("locate, code", NEGATIVE, ids=lambda part: getattr(part, "__name__", None))
def test_nothing_is_found_where_nothing_is(locate: Locator, code: str):
    assert found(code, locate) is None


def test_aliases_of_libraries_are_resolved():
    code = "def f(x):\n    return rnd.random() * x\n"
    assert found(code, lambda source: source.calls("f", "random.")) == "return rnd.random() * x"


def test_a_name_ending_in_a_dot_stands_for_all_that_begin_so():
    code = "def f(x):\n    os.environ.get('A')\n    return x\n"
    assert found(code, lambda source: source.calls("f", "os.")) == "os.environ.get('A')"
    assert found(code, lambda source: source.calls("f", "os.path.")) is None


def test_a_dotted_name_is_found_without_a_call():
    code = "def f(x):\n    os.environ['A'] = 'b'\n    return x\n"
    assert found(code, lambda source: source.uses("f", "os.environ")) == "os.environ['A'] = 'b'"
    assert found(code, lambda source: source.uses("f", "os.sep")) is None


def test_helpers_in_other_files_are_followed():
    helper = "def g(x):\n    print(x)\n"
    assert found("from help import g\n\ndef f(x):\n    g(x)\n", prints, help=helper) == "print(x)"


def test_the_return_of_a_helper_is_named_where_the_function_only_hands_on():
    code = "def g(x):\n    return x + 1\n\ndef f(x):\n    return g(x)\n"
    assert found(code, lambda source: source.returns("f")) == "return x + 1"
    code = "def g(x):\n    return x + 1\n\ndef f(x):\n    return g(x) * 2\n"
    assert found(code, lambda source: source.returns("f")) == "return g(x) * 2"


def test_functions_that_hand_on_to_each_other_end():
    code = "def g(x):\n    return f(x)\n\ndef f(x):\n    return g(x)\n"
    assert found(code, lambda source: source.returns("f")) == "return f(x)"


def test_an_option_of_jit_is_found():
    code = "@functools.partial(jax.jit, donate_argnums=0)\ndef f(x):\n    return x\n"
    line = "@functools.partial(jax.jit, donate_argnums=0)"
    assert found(code, lambda source: source.jit_option("f", "donate_arg")) == line
    assert found(code, lambda source: source.jit_option("f", "static_arg")) is None


def test_an_option_of_a_jit_that_the_function_does_not_use_is_not_named():
    code = (
        "step = jax.jit(lambda v: v + 1, donate_argnums=0)\n"
        "other = jax.jit(lambda v: v + 2, donate_argnums=0)\n\n"
        "def f(x):\n    return step(x)\n\ndef g(x):\n    return x\n"
    )
    line = "step = jax.jit(lambda v: v + 1, donate_argnums=0)"
    assert found(code, lambda source: source.jit_option("f", "donate_arg")) == line
    assert found(code, lambda source: source.jit_option("g", "donate_arg")) is None


WRAPPED = """
def step(n, x):
    return x + n

def f(x):
    return jax.jit(functools.partial(step, 2))(x)

def g(x):
    @jax.jit
    def inner(v):
        return v + 1
    return inner(x)
"""


@pytest.mark.parametrize(
    "function, traced, line",
    [
        ("f", "def step(n, x):", "return jax.jit(functools.partial(step, 2))(x)"),
        ("g", "@jax.jit", "@jax.jit"),
        ("g", "def step(n, x):", "def step(n, x):"),
    ],
)
def test_what_makes_a_function_new_to_jit_is_found(function: str, traced: str, line: str):
    source = source_of(WRAPPED)
    lines = [each.strip() for each in source._files.text_of("submission.py").splitlines()]
    spot = Spot(file="submission.py", line=lines.index(traced) + 1)
    assert text_at(source, source.wrapping(function, spot)) == line


def test_a_cache_around_a_line_is_named_in_its_place():
    code = (
        "@functools.lru_cache\ndef g(d):\n    return jnp.arange(d)\n\ndef f(x):\n    return g(x.shape[0])\n"
    )
    source = source_of(code)
    inside = source.returns("g")
    assert inside is not None
    assert text_at(source, source.remembering(inside)) == "@functools.lru_cache"
    assert source.remembering(Spot(file="submission.py", line=1)) == Spot(file="submission.py", line=1)


@pytest.mark.parametrize("path", ["count", "cache['x']", "f.calls", "Box.items[0]"])
def test_the_statement_that_writes_a_path_is_found(path: str):
    code = (
        "count = 0\ncache = {}\n\nclass Box:\n    items = []\n\n"
        "def f(x):\n    global count\n    count += 1\n    cache['x'] = 1\n"
        "    f.calls = 2\n    Box.items.append(x)\n"
    )
    lines = {
        "count": "count += 1", "cache['x']": "cache['x'] = 1", "f.calls": "f.calls = 2",
        "Box.items[0]": "Box.items.append(x)",
    }  # fmt: skip
    assert found(code, lambda source: source.writes("f", path)) == lines[path]


def test_an_object_changed_through_another_name_is_found_by_its_attribute():
    code = "class Box:\n    kept = {}\n\nbox = Box()\n\ndef f(x):\n    box.kept['hi'] = x\n    return x\n"
    assert found(code, lambda source: source.writes("f", "Box.kept['hi']")) == "box.kept['hi'] = x"
    assert found(code, lambda source: source.writes("f", "Box.other['kept']")) is None


def test_a_variable_of_an_enclosing_function_is_found():
    code = "def make():\n    n = 0\n    def f(x):\n        nonlocal n\n        n += 1\n    return f\n"
    assert found(code, lambda source: source.writes("f", "f(n)")) == "n += 1"


def test_a_file_that_does_not_parse_is_left_out():
    source = source_of("def f(x):\n    return x\n", broken="def g(:\n")
    assert source.defined() == ("f",)
    assert source.definition("g") is None


def test_a_loop_is_written_out_where_nothing_can_go_on_for_ever():
    code = "def f(x):\n    for v in x:\n        pass\n    return x\n"
    assert found(code, lambda source: source.written_out("f")) == "for v in x:"
    endless = code + "\ndef g(x):\n    while True:\n        f(x)\n"
    assert found(endless, lambda source: source.written_out("g")) is None


def test_what_a_name_is_bound_to_is_looked_through():
    source = source_of(
        """
        def one(key):
            return jax.random.normal(key)

        class Step:
            def __call__(self, key):
                return jax.random.uniform(key)

        f = jax.vmap(one, in_axes=None)
        g = Step()
        """
    )
    assert text_at(source, source.draws("f")) == "return jax.random.normal(key)"
    assert text_at(source, source.draws("g")) == "return jax.random.uniform(key)"


def test_a_sampler_that_is_written_out_is_found_on_its_line_and_anywhere():
    source = source_of(
        """
        def f(key, n):
            a = jax.random.normal(key)
            return jax.random.binomial(
                key, n, 0.5
            )
        """
    )
    here, there = source.draws("f"), source.returns("f")
    assert not source.calls_inlined_sampler("f", here)
    assert source.calls_inlined_sampler("f", there)
    assert source.calls_inlined_sampler("f", None)


@pytest.mark.parametrize(
    "code, line",
    [
        ("def f(x, n):\n    if n == 0:\n        return x, n\n    return x * n, n\n", "return x, n"),
        ("def f(x):\n    return {'a': [jnp.asarray(x)]}\n", "return {'a': [jnp.asarray(x)]}"),
        ("def f(x):\n    return x + 0\n", None),
    ],
)
def test_the_return_that_hands_an_argument_back_is_found(code: str, line: str | None):
    assert found(code, lambda source: source.returns_argument("f", "x")) == line
