import ast
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.catalogue import CODES, GENERAL_CODE, CatalogueEntry, entry_for, placeholders, render
from grader.domain.results import Feedback, JsonValue

ENTRIES = [pytest.param(entry, id=code) for code, entry in CODES.items()]
LESSON_ANCHORS = {
    None,
    "#pure-functions",
    "#immutability",
    "#prng-keys",
    "#tracing-and-jit",
    "#control-flow",
    "#speed",
    "#data-types",
    "#devices",
}
SECRET = "42.4242"


def feedback_with(entry: CatalogueEntry, value: JsonValue, *, line: int | None = 12) -> Feedback:
    return Feedback(code=entry.code, params={param.name: value for param in entry.params}, line=line)


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_says_what_why_and_what_next(entry: CatalogueEntry):
    assert entry.title
    assert not entry.title.endswith(".")
    assert entry.message.endswith((".", "]]"))
    assert entry.why.endswith(".")
    assert entry.hint.endswith((".", ":"))
    assert len(entry.why) > 40
    assert entry.lesson in LESSON_ANCHORS


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_hint_ends_in_a_colon_exactly_when_an_example_follows(entry: CatalogueEntry):
    if entry.hint.endswith(":"):
        assert entry.example


@pytest.mark.parametrize("entry", ENTRIES)
def test_templates_use_only_documented_parameters(entry: CatalogueEntry):
    known = {param.name for param in entry.params} | {"at"}
    for template in entry.templates:
        assert placeholders(template) <= known
        assert template.count("[[") == template.count("]]")


@pytest.mark.parametrize("entry", ENTRIES)
def test_texts_that_are_no_templates_hold_no_marks(entry: CatalogueEntry):
    for text in (entry.title, entry.why, entry.hidden_message):
        assert not placeholders(text)
        assert "[[" not in text


@pytest.mark.parametrize("entry", ENTRIES)
def test_parameters_are_described_and_named_once(entry: CatalogueEntry):
    names = [param.name for param in entry.params]
    assert len(names) == len(set(names))
    assert all(param.means and param.neutral for param in entry.params)


@pytest.mark.parametrize("entry", ENTRIES)
def test_missing_parameters_leave_no_gap_and_no_mark(entry: CatalogueEntry):
    shown = render(Feedback(code=entry.code))
    for text in (shown.message, shown.hint):
        assert not placeholders(text)
        assert "[[" not in text
        assert "  " not in text
    assert " ." not in shown.message
    assert "the the " not in shown.message
    assert shown.message[0].isupper() or shown.message[0] == "`"


@pytest.mark.parametrize("entry", ENTRIES)
def test_examples_are_python_and_fit_a_narrow_column(entry: CatalogueEntry):
    ast.parse(entry.example)
    assert max((len(line) for line in entry.example.splitlines()), default=0) <= 62


@pytest.mark.parametrize("code", ["dtype.wrong", "values.wrong_dtype"])
def test_the_remedy_for_a_type_never_is_the_mistake_itself(code: str):
    entry = CODES[code]
    script = textwrap.dedent(
        f"""
        import jax, jax.numpy as jnp
        names = dict(jax=jax, jnp=jnp)
        exec({entry.example!r}, names)
        [f] = [each for each in names.values() if type(each).__name__ == "function"]
        for dtype in (jnp.bfloat16, jnp.float16, jnp.float32):
            assert f(jnp.ones(3, dtype)).dtype == dtype, dtype
        """
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
    shown = render(Feedback(code=code, params={"found": "float32", "expected": "bfloat16"}))
    assert "to bfloat16" in shown.hint
    assert "float32" not in shown.hint


def test_examples_run_on_the_installed_jax():
    examples = {code: entry.example for code, entry in CODES.items() if entry.example}
    script = textwrap.dedent(
        f"""
        import time, jax, jax.numpy as jnp, numpy as np
        for code, example in {examples!r}.items():
            names = dict(jax=jax, jnp=jnp, np=np, time=time, key=jax.random.key(0), x=jnp.ones(3))
            names["f"] = lambda x: x * 2
            try:
                exec(example, names | {{"__name__": "student"}})
            except Exception as exc:
                raise SystemExit(f"{{code}}: {{exc!r}}")
        """
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("entry", ENTRIES)
def test_hidden_feedback_carries_no_parameter(entry: CatalogueEntry):
    shown = render(feedback_with(entry, SECRET), reveal=False)
    assert SECRET not in repr(shown)
    assert shown.message


@pytest.mark.parametrize("entry", [CODES[code] for code in CODES if "{at}" in CODES[code].message])
def test_the_line_is_named_where_it_is_known(entry: CatalogueEntry):
    assert "(line 12)" in render(feedback_with(entry, "v")).message
    assert "(cell 3, line 2)" in render(feedback_with(entry, "v"), place="cell 3, line 2").message


def test_a_line_of_a_helper_file_names_the_file():
    shown = render(Feedback(code="values.returns_none", line=4, file="helpers.py"))
    assert shown.place == "line 4 of helpers.py"
    assert "(line 4 of helpers.py)" in shown.message


def test_an_unknown_code_gets_the_general_entry():
    shown = render(Feedback(code="no.such.code", params={"x": 1}, line=3))
    assert shown.code == "no.such.code"
    assert shown.message == "The check was not passed (line 3)."
    assert entry_for("no.such.code").code == GENERAL_CODE


def test_optional_passages_appear_with_their_parameter_and_vanish_without():
    full = Feedback(code="submission.function_missing", params={"function": "smooth", "similar": "smoth"})
    bare = Feedback(code="submission.function_missing", params={"function": "smooth"})
    assert "It does define `smoth`" in render(full).message
    assert render(bare).message == "Your file does not define `smooth`."


def test_values_are_never_read_as_templates():
    params = {"function": "f", "error": "{text}", "text": "[[{at}]]"}
    shown = render(Feedback(code="call.raised", params=params))
    assert "`{text}`" in shown.message
    assert "[[{at}]]" in shown.message


def test_code_in_a_sentence_cannot_close_its_own_quotes():
    shown = render(Feedback(code="values.returns_none", params={"function": "a`b"}))
    assert "`a'b`" in shown.message


@pytest.mark.parametrize(
    "value,shown",
    [
        (0.123456, "0.123"),
        (12345.678, "12,346"),
        (1.5e12, "1.5e+12"),
        (1234567, "1,234,567"),
        (9999, "9999"),
        (True, "True"),
        ([2, 3], "2, 3"),
        (float("nan"), "nan"),
        pytest.param(10**5000, "about 2**16610", id="absurdly long"),
        ("a\x1b[31m\nb", "a\\x1b[31m b"),
        ({"rows": 2}, "rows: 2"),
    ],
)
def test_values_are_short_inert_and_rounded(value: JsonValue, shown: str):
    text = render(Feedback(code="values.differ", params={"count": 1, "size": 2, "worst": value})).message
    assert f"difference is {shown}." in text


def test_a_long_value_is_cut():
    shown = render(Feedback(code="call.raised", params={"text": "long " * 10_000}))
    assert len(shown.message) < 400


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    code=st.sampled_from(sorted(CODES)),
    value=JSON,
    line=st.none() | st.integers(),
    file=st.none() | st.text(),
    reveal=st.booleans(),
)
def test_rendering_never_fails(
    code: str, value: JsonValue, line: int | None, file: str | None, *, reveal: bool
):
    params = {param.name: value for param in CODES[code].params}
    shown = render(Feedback(code=code, params=params, line=line, file=file), reveal=reveal)
    assert shown.message
    assert shown.hint
