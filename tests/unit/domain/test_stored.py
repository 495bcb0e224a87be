import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.errors import StoredResultInvalid
from grader.domain.report_json import dump, load
from grader.domain.results import (
    AttemptResult,
    CheckResult,
    Environment,
    Evidence,
    EvidenceKind,
    Feedback,
)
from grader.domain.rubric import CheckSpec, Rubric
from grader.domain.stored import dump_check, load_check
from grader.domain.submission import Notice
from grader.domain.verdicts import Blame, Family, Verdict, Visibility
from tests.builders import a_check, an_attempt, everything, evidence

TEXT = st.text(max_size=20)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FINITE | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
PARAMS = st.dictionaries(TEXT, JSON, max_size=3)
FLAGS = st.lists(TEXT, max_size=2).map(tuple)

SPECS = st.builds(
    CheckSpec,
    id=TEXT,
    node_id=TEXT,
    title=TEXT,
    family=st.sampled_from(Family),
    function=TEXT,
    points=st.fractions(),
    visibility=st.sampled_from(Visibility),
    lesson=st.none() | TEXT,
)
CHECKS = st.builds(
    CheckResult,
    spec=SPECS,
    verdict=st.sampled_from(Verdict),
    blame=st.none() | st.sampled_from(Blame),
    feedback=st.none()
    | st.builds(Feedback, code=TEXT, params=PARAMS, file=st.none() | TEXT, line=st.none() | st.integers()),
    evidence=st.lists(st.builds(Evidence, kind=st.sampled_from(EvidenceKind), data=PARAMS), max_size=2).map(
        tuple
    ),
    seconds=FINITE,
    cpu_s=FINITE,
    flags=FLAGS,
)
ATTEMPTS = st.builds(
    AttemptResult,
    assignment=TEXT,
    version=TEXT,
    rubric=st.builds(Rubric, checks=st.lists(SPECS, max_size=3).map(tuple)),
    results=st.lists(CHECKS, max_size=3).map(tuple),
    environment=st.builds(
        Environment, jax=TEXT, jaxlib=TEXT, numpy=TEXT, python=TEXT, device=TEXT, layers=FLAGS
    ),
    seed=TEXT,
    notices=st.lists(
        st.builds(Notice, code=TEXT, message=TEXT, line=st.none() | st.integers()), max_size=2
    ).map(tuple),
    flags=FLAGS,
    output=TEXT,
    seconds=FINITE,
    cost=st.dictionaries(TEXT, FINITE, max_size=2),
)


def through_text(result: AttemptResult) -> AttemptResult:
    data: dict[str, Any] = json.loads(json.dumps(dump(result), allow_nan=False))
    return load(data)


@given(ATTEMPTS)
def test_a_result_comes_back_from_storage_as_it_was(result: AttemptResult):
    assert through_text(result) == result


def test_the_full_sample_comes_back_as_it_was():
    assert through_text(everything()) == everything()


def test_a_check_stored_before_its_cpu_time_was_measured_has_none():
    data = dump_check(a_check())
    del data["cpu_s"]
    assert load_check(data).cpu_s == 0


def test_points_are_stored_exactly():
    result = an_attempt(a_check(points=Fraction(1, 3)), a_check("f.jit.b", points=Fraction(2)))
    data: Any = dump(result)
    assert [spec["points"] for spec in data["rubric"]] == ["1/3", 2]
    assert through_text(result).max_score == Fraction(7, 3)


def test_numbers_that_are_not_finite_are_stored_by_name():
    result = an_attempt(
        a_check(evidence=(evidence(EvidenceKind.TIMING, low=float("-inf"), values=[float("nan")]),))
    )
    back = through_text(result)
    assert back.results[0].evidence[0].data == {"low": "-inf", "values": ["nan"]}


@pytest.mark.parametrize("found", [None, 0, 2, "1"])
def test_a_result_of_an_unknown_format_is_refused(found: object):
    with pytest.raises(StoredResultInvalid, match="format"):
        load({**dump(everything()), "format": found})


@pytest.mark.parametrize("key", sorted(dump(everything()).keys() - {"format"}))
def test_a_damaged_result_is_refused_with_a_reason(key: str):
    data = dump(everything())
    del data[key]
    with pytest.raises(StoredResultInvalid, match=key):
        load(data)


def test_a_result_with_an_unknown_verdict_is_refused():
    data: Any = dump(everything())
    data["results"][0]["verdict"] = "splendid"
    with pytest.raises(StoredResultInvalid, match="splendid"):
        load(data)


def test_an_absurdly_long_integer_can_be_stored():
    back = through_text(an_attempt(a_check(evidence=(evidence(EvidenceKind.STATE, after=16**5000),))))
    assert back.results[0].evidence[0].data == {"after": "0x1" + "0" * 5000}
