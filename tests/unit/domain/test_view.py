import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.catalogue import CODES
from grader.domain.report_json import view_to_json
from grader.domain.results import EvidenceKind
from grader.domain.submission import Notice, SourceFile, SubmittedFiles
from grader.domain.verdicts import Blame, Verdict, Visibility
from grader.domain.view import FALLBACK_CODE, STAFF, Audience, Disclosure, Reader, ReportView, view_of
from tests.builders import a_check, an_attempt, everything, evidence, submitted

STUDENT = Reader(audience=Audience.STUDENT)
PAST_DUE = Reader(audience=Audience.STUDENT, past_due=True)
RELEASED = Reader(audience=Audience.STUDENT, past_due=True, released=True)
SECRET = "8.15e-3 SECRET"


def a_secret_check(visibility: Visibility, verdict: Verdict = Verdict.FAILED):
    return a_check(
        "smooth.values.secret_name",
        verdict,
        code="values.differ",
        params={"function": "smooth", "where": SECRET, "worst": SECRET, "count": SECRET, "size": SECRET},
        line=41,
        title=f"Title {SECRET}",
        evidence=(evidence(EvidenceKind.ARRAYS, label=SECRET, inputs=[{"name": "x", "text": SECRET}]),),
        flags=(SECRET,),
        visibility=visibility,
        points=Fraction(6),
    )


@pytest.mark.parametrize(
    "visibility,reader,expected",
    [
        (Visibility.VISIBLE, STUDENT, Disclosure.FULL),
        (Visibility.AFTER_DUE, STUDENT, Disclosure.NOTHING),
        (Visibility.AFTER_DUE, PAST_DUE, Disclosure.FULL),
        (Visibility.AFTER_PUBLISHED, PAST_DUE, Disclosure.NOTHING),
        (Visibility.AFTER_PUBLISHED, RELEASED, Disclosure.FULL),
        (Visibility.HIDDEN, PAST_DUE, Disclosure.NOTHING),
        (Visibility.HIDDEN, RELEASED, Disclosure.GENERAL),
        *((visibility, STAFF, Disclosure.FULL) for visibility in Visibility),
    ],
)
def test_a_check_opens_when_its_visibility_says(visibility: Visibility, reader: Reader, expected: Disclosure):
    assert reader.may_see(visibility) is expected


@pytest.mark.parametrize("visibility", [Visibility.AFTER_DUE, Visibility.AFTER_PUBLISHED, Visibility.HIDDEN])
def test_an_unopened_check_shows_only_that_it_exists_and_what_it_is_worth(visibility: Visibility):
    view = view_of(an_attempt(a_check(), a_secret_check(visibility)), STUDENT)
    assert [check.id for check in view.checks] == ["normalize.values.rows_are_standardised"]
    assert [(part.visibility, part.count, part.points) for part in view.hidden] == [(visibility, 1, 6)]
    assert (view.score, view.max_score) == (4, 4)
    assert "secret" not in json.dumps(view_to_json(view)).lower()


def test_the_verdict_of_an_unopened_check_cannot_be_told_from_the_report():
    reports = [
        view_to_json(view_of(an_attempt(a_check(), a_secret_check(Visibility.HIDDEN, verdict)), STUDENT))
        for verdict in Verdict
    ]
    assert all(report == reports[0] for report in reports)


def test_a_check_that_stays_hidden_is_told_in_general_words_after_release():
    view = view_of(an_attempt(a_check(), a_secret_check(Visibility.HIDDEN)), RELEASED)
    shown = view.checks[1]
    assert shown.disclosure is Disclosure.GENERAL
    assert (shown.earned, shown.points, shown.verdict) == (0, 6, Verdict.FAILED)
    assert shown.feedback is not None
    assert shown.feedback.message == CODES["values.differ"].hidden_message
    assert "secret" not in json.dumps(view_to_json(view)).lower()


def test_staff_see_everything():
    view = view_of(everything(), STAFF)
    assert len(view.checks) == len(everything().results)
    assert view.seed == everything().seed
    assert view.flags
    assert view.cost
    assert view.output
    assert view.hidden == ()


def test_a_student_sees_neither_seed_nor_flags_nor_cost():
    view = view_of(everything(), RELEASED)
    assert (view.seed, view.flags, dict(view.cost)) == (None, (), {})
    assert all(check.flags == () for check in view.checks)


def test_output_is_kept_back_while_a_check_is_hidden():
    hidden = an_attempt(a_check(), a_secret_check(Visibility.AFTER_DUE), output="x = [1, 2]")
    assert view_of(hidden, STUDENT).output == ""
    assert view_of(hidden, STUDENT).output_withheld
    assert view_of(hidden, PAST_DUE).output == "x = [1, 2]"


def test_a_fault_of_ours_is_told_to_the_student_without_particulars():
    check = a_check(
        verdict=Verdict.INTERNAL_ERROR,
        code="call.raised",
        params={"text": SECRET},
        evidence=(evidence(EvidenceKind.ERROR, text=SECRET),),
    )
    view = view_of(an_attempt(check), STUDENT)
    feedback = view.checks[0].feedback
    assert feedback is not None
    assert feedback.code == "grader.internal"
    assert view.checks[0].evidence == ()
    assert view.checks[0].earned is None
    assert not view.graded
    assert SECRET not in json.dumps(view_to_json(view))
    assert SECRET in json.dumps(view_to_json(view_of(an_attempt(check), STAFF)))


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.PASSED])
def test_a_verdict_never_stays_without_a_word(verdict: Verdict):
    feedback = view_of(an_attempt(a_check(verdict=verdict)), STAFF).checks[0].feedback
    assert feedback is not None
    assert feedback.message


def test_every_verdict_but_passed_has_a_fallback():
    assert FALLBACK_CODE.keys() == set(Verdict) - {Verdict.PASSED}


def test_the_lesson_of_the_code_goes_before_the_lesson_of_the_check():
    by_code = a_check(verdict=Verdict.FAILED, code="prng.key_reused", lesson="#speed")
    by_check = a_check(verdict=Verdict.FAILED, code="call.raised", lesson="#speed")
    lessons = [view_of(an_attempt(check), STUDENT).checks[0].feedback for check in (by_code, by_check)]
    assert [feedback.lesson if feedback else None for feedback in lessons] == ["#prng-keys", "#speed"]


def test_a_wrong_value_leads_to_the_lesson_of_its_check():
    check = a_check(verdict=Verdict.FAILED, code="values.differ", lesson="#data-types")
    feedback = view_of(an_attempt(check), STUDENT).checks[0].feedback
    assert feedback is not None
    assert feedback.lesson == "#data-types"


def test_lines_of_a_notebook_are_told_by_cell():
    source = submitted("# %% cell 1\nimport jax\n# %% cell 2\ndef f(x):\n    return\n", entry="hw.ipynb")
    check = a_check(verdict=Verdict.FAILED, code="values.returns_none", line=5, file="hw.ipynb")
    feedback = view_of(an_attempt(check), STUDENT, source=source).checks[0].feedback
    assert feedback is not None
    assert feedback.place == "cell 2, line 2"
    assert "(cell 2, line 2)." in feedback.message


@pytest.mark.parametrize(
    "file,place", [("submission.py", "line 2"), (None, "line 2"), ("h.py", "line 2 of h.py")]
)
def test_a_file_is_named_only_where_it_is_not_the_main_one(file: str | None, place: str):
    check = a_check(verdict=Verdict.FAILED, code="values.returns_none", line=2, file=file)
    view = view_of(an_attempt(check), STUDENT, source=submitted(h="x = 1\ny = 2\n"))
    feedback = view.checks[0].feedback
    assert feedback is not None
    assert feedback.place == place


@given(
    visibilities=st.lists(st.sampled_from(Visibility), min_size=1, max_size=6),
    verdict=st.sampled_from(Verdict),
    released=st.booleans(),
    past_due=st.booleans(),
)
def test_nothing_of_a_check_that_is_not_fully_open_reaches_a_student(
    visibilities: list[Visibility], verdict: Verdict, *, released: bool, past_due: bool
):
    reader = Reader(audience=Audience.STUDENT, released=released, past_due=past_due)
    checks = []
    for number, visibility in enumerate(visibilities):
        open_now = reader.may_see(visibility) is Disclosure.FULL
        mark = f"open{number}" if open_now else f"SECRET{number}"
        checks.append(
            a_check(
                f"smooth.values.{mark}",
                verdict,
                code="call.raised",
                params={"error": mark, "text": mark},
                title=mark,
                evidence=(evidence(EvidenceKind.ERROR, text=mark),),
                visibility=visibility,
            )
        )
    has_secret = any("SECRET" in check.spec.id for check in checks)
    result = an_attempt(*checks, output="SECRET" if has_secret else "open", seed="SECRET", flags=("SECRET",))
    view = view_of(result, reader)
    assert "SECRET" not in json.dumps(view_to_json(view))
    assert "SECRET" not in repr(view)
    assert _count(view) == len(checks)


def _count(view: ReportView) -> int:
    return len(view.checks) + view.hidden_count


def test_the_json_report_has_every_key_of_the_contract():
    report: Any = view_to_json(view_of(everything(), STAFF))
    assert report.keys() >= {
        "assignment", "version", "score", "max_score", "graded", "criteria", "environment", "seed"
    }  # fmt: skip
    criterion = report["criteria"][0]
    assert criterion.keys() >= {"id", "title", "family", "function", "points", "earned", "verdict", "checks"}
    check = criterion["checks"][0]
    assert check.keys() >= {"id", "verdict", "blame", "feedback", "evidence", "seconds"}
    assert check["feedback"].keys() >= {"code", "message", "line", "hint", "lesson"}
    assert report["environment"].keys() >= {"jax", "jaxlib", "python", "device"}
    json.dumps(report, allow_nan=False)


def test_whole_points_are_integers_in_the_json_report():
    report: Any = view_to_json(
        view_of(an_attempt(a_check(points=Fraction(4)), a_check("f.jit.x", points=Fraction(7, 2))), STAFF)
    )
    assert (report["score"], report["criteria"][0]["points"]) == (7.5, 4)
    assert isinstance(report["criteria"][0]["points"], int)


def test_a_criterion_with_an_ungraded_check_has_no_sum():
    lost = a_check("f.values.b", Verdict.INTERNAL_ERROR)
    view = view_of(an_attempt(a_check("f.values.a"), lost), STAFF)
    assert view.criteria[0].earned is None
    assert view.criteria[0].verdict is Verdict.INTERNAL_ERROR
    assert lost.blame is Blame.SYSTEM
    assert view.score == 4


def test_an_earlier_line_in_a_message_is_told_by_its_cell():
    text = "# %% cell 1\nkey = 1\na = draw(key)\n# %% cell 2\nb = draw(key)\n"
    notebook = SubmittedFiles(entry="hw.ipynb", files=(SourceFile(name="hw.ipynb", text=text),))
    check = a_check(verdict=Verdict.FAILED, code="prng.key_reused", params={"first_line": 3}, line=5)
    [shown] = view_of(an_attempt(check), STAFF, source=notebook).checks
    assert shown.feedback is not None
    assert "the first use is in cell 1, line 2." in shown.feedback.message


def test_a_syntax_error_is_told_once_with_one_line():
    params = {"text": "expected ':' (submission.py, line 3)"}
    check = a_check(verdict=Verdict.FAILED, code="submission.syntax_error", params=params, line=3)
    notice = Notice(code="precheck.syntax", message="line 3 is not valid Python", line=3)
    view = view_of(an_attempt(check, notices=(notice,)), STAFF, source=submitted())
    [shown] = view.checks
    assert shown.feedback is not None
    assert shown.feedback.message.count("line 3") == 1
    assert view.notices == ()
