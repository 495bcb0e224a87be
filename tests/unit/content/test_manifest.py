import contextlib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.content.manifest import Manifest, parse_manifest
from grader.domain.errors import AssignmentInvalid
from grader.domain.rubric import FunctionSpec, Limits

HERE = Path("course/assignment.toml")

WHOLE = """
slug = "functional-core"
title = "The functional core of JAX"
entry = "homework.py"
lesson = "text/lesson.md"
queue = "gpu"

[starter]
earns = 2.5

[limits]
load_s = 5
memory_mib = 1024

[[functions]]
name = "sample_walk"
static = ["n"]

[[functions]]
name = "smooth"

[[mutants]]
file = "mutants/walk_reuses_key.py"
about = "draws every step with the same key"
fails = ["sample_walk.prng.each_key_is_used_once", "sample_walk.values.steps_are_normal"]
"""

SHORT = 'slug = "a"\ntitle = "A"\n[[functions]]\nname = "f"\n'


def parse(text: str) -> Manifest:
    return parse_manifest(text.encode(), path=HERE)


def problem_of(text: str) -> str:
    with pytest.raises(AssignmentInvalid) as caught:
        parse(text)
    assert caught.value.path == HERE
    return str(caught.value)


def test_a_whole_manifest_is_read():
    manifest = parse(WHOLE)
    assert (manifest.slug, manifest.entry, manifest.queue) == ("functional-core", "homework.py", "gpu")
    assert manifest.starter_earns == Fraction(5, 2)
    assert manifest.limits == Limits(load_s=5.0, memory_mib=1024)
    assert manifest.functions == (
        FunctionSpec(name="sample_walk", static=("n",)),
        FunctionSpec(name="smooth"),
    )
    assert manifest.mutants[0].name == "walk_reuses_key"
    assert len(manifest.mutants[0].fails) == 2


def test_what_is_left_out_has_a_default():
    manifest = parse(SHORT)
    assert (manifest.entry, manifest.lesson, manifest.queue) == ("submission.py", "lesson.md", "cpu")
    assert manifest.starter_earns == 0
    assert manifest.limits == Limits()


def test_points_are_exact():
    assert parse(SHORT + '[starter]\nearns = "1/3"\n').starter_earns == Fraction(1, 3)
    assert parse(SHORT + "[starter]\nearns = 0.1\n").starter_earns == Fraction(1, 10)


@pytest.mark.parametrize(
    "text,says",
    [
        ("slug = ", "is not valid TOML"),
        (SHORT.replace("title", "titles"), "Is it written 'titles'?"),
        ('titles = "B"\n' + SHORT, "`titles` is not a known key. Did you mean 'title'?"),
        ('colour = "red"\n' + SHORT, "`colour` is not a known key. Known here: "),
        (SHORT + "[starter]\nearn = 1\n", "`starter.earn` is not a known key. Did you mean 'earns'?"),
        (SHORT.replace('"a"', '"A b"'), "Try 'a-b'."),
        (SHORT.replace('"a"', "7"), "`slug` must be a text in quotes, not a number."),
        (SHORT.replace('"a"', '"a--b"'), "`slug` may hold"),
        (SHORT.replace('"A"', '"\\u001b[2J"'), "`title` must be a text of visible characters"),
        ('entry = "../x.py"\n' + SHORT, "`entry` must be the name of a Python module"),
        ('queue = "gpus"\n' + SHORT, "Did you mean 'gpu'?"),
        ('lesson = "../lesson.md"\n' + SHORT, "`lesson` must be a path inside"),
        ('slug = "a"\ntitle = "A"\n', "`functions` is missing"),
        (SHORT + '[[functions]]\nname = "f"\n', "`functions[2].name` declares 'f' a second time"),
        (
            SHORT + '[[functions]]\nname = "2f"\n',
            "`functions[2].name` holds '2f', which is not a Python name",
        ),
        (SHORT + 'static = "n"\n', '`functions[1].static` must be a list of texts, such as ["a", "b"].'),
        (SHORT + 'static = ["n", "n"]\n', "`functions[1].static` names 'n' twice"),
        (SHORT + "[limits]\ncheck_s = 0\n", "`limits.check_s` must be more than zero"),
        (SHORT + "[limits]\nmemory_mib = 1.5\n", "`limits.memory_mib` must be a whole number"),
        (SHORT + "[limits]\nload_s = true\n", "`limits.load_s` must be a number, not true or false"),
        (SHORT + "[limits]\nattempt_s = 5\n", "`limits.attempt_s` must be at least as long"),
        (SHORT + "[starter]\nearns = -1\n", "must not be negative"),
        (SHORT + "[starter]\nearns = nan\n", "is not a plain number"),
        (SHORT + "[starter]\nearns = 1e999999999\n", "is not a plain number"),
        (SHORT + "[starter]\nearns = " + "9" * 5000, "is not valid TOML"),
        ("starter = 3\n" + SHORT, "Begin it with [starter]"),
        ("mutants = 3\n" + SHORT, "Begin each with [[mutants]]"),
        (SHORT + '[[mutants]]\nfile = "mutants/m.py"\n', "`mutants[1].fails` must name at least one check"),
        (
            SHORT + '[[mutants]]\nfile = "m.py"\nfails = ["f.value.x"]\n',
            "names the family 'value', which is not declared. Did you mean 'values'?",
        ),
        (
            SHORT + '[[mutants]]\nfile = "m.py"\nfails = ["ff.values.x"]\n',
            "names the function 'ff', which is not declared. Did you mean 'f'?",
        ),
        (
            SHORT + '[[mutants]]\nfile = "m.py"\nfails = ["f.values"]\n',
            "A check's id is function.family.name.",
        ),
        (
            SHORT + 2 * '[[mutants]]\nfile = "m.py"\nfails = ["f.values.x"]\n',
            "`mutants[2].file` names the mutant 'm' a second time",
        ),
    ],
)
def test_each_mistake_is_named_with_its_place_and_a_remedy(text: str, says: str):
    assert says in problem_of(text)


def test_a_manifest_that_is_not_utf8_is_refused():
    with pytest.raises(AssignmentInvalid, match="not UTF-8"):
        parse_manifest(b'title = "\xe9"', path=HERE)


JSON_LIKE = st.recursive(
    st.one_of(
        st.integers(-9, 9),
        st.booleans(),
        st.sampled_from(['"f"', '"a.values.b"', "1.5", "1979-05-27", "inf"]),
    ),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(
    st.sampled_from(["slug", "title", "entry", "functions", "starter", "limits", "mutants", "lesson"]),
    JSON_LIKE,
)
def test_a_value_of_any_wrong_type_is_a_clear_refusal(key: str, value: object):
    literal = str(value).lower().replace("'", "")
    kept = [line for line in SHORT.splitlines() if not line.startswith(key)]
    with contextlib.suppress(AssignmentInvalid):
        assert parse("\n".join([f"{key} = {literal}", *kept])).functions


@pytest.mark.parametrize(
    "text,line",
    [
        (SHORT + "[starter]\nearns = -1\n", 6),
        (SHORT + "colour = 1\n", 5),
        (SHORT + '[[functions]]\nname = "g"\n[[functions]]\nname = "f"\n', 8),
        (SHORT + '[[mutants]]\nfile = "m.py"\n', 5),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, line: int):
    assert f": line {line}: `" in problem_of(text)


def test_a_mistake_of_the_whole_file_has_no_line():
    assert "line" not in problem_of('title = "A"\n[[functions]]\nname = "f"\n').split("Add a line")[0]
