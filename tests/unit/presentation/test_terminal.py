import io
import re
from fractions import Fraction

import pytest
from rich.console import Console, Group, RenderableType

from grader.domain.results import EvidenceKind, Progress, Stage
from grader.domain.verdicts import Verdict
from grader.domain.view import STAFF, Audience, Reader, view_of
from grader.presentation.changes import Change
from grader.presentation.evidence import exhibit_of
from grader.presentation.terminal import (
    AttemptRow,
    Heading,
    progress_line,
    report,
    results_table,
)
from grader.presentation.terminal_evidence import exhibit_lines
from tests.builders import a_check, an_attempt, everything, evidence, hostile, submitted

STUDENT = Reader(audience=Audience.STUDENT)
HEADING = Heading(title="The functional core of JAX", student="Ada")


def printed(
    what: RenderableType, *, encoding: str = "utf-8", terminal: bool = False, width: int = 100
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict", newline="\n")
    Console(file=stream, width=width, force_terminal=terminal, highlight=False).print(what)
    stream.flush()
    return raw.getvalue().decode(encoding)


def full_report(reader: Reader = STAFF) -> RenderableType:
    return report(view_of(everything(), reader, source=submitted()), source=submitted(), heading=HEADING)


def test_a_report_says_score_findings_lines_and_next_steps():
    text = printed(full_report())
    assert "16 of 67.5 points" in text
    assert "Each key is used once." in text
    assert "(line 26)" in text
    assert ">    26 |     steps = jax.random.normal(key, (n,))" in text
    assert "What to try next: Split once for each draw" in text
    assert "Lesson: PRNG keys" in text
    assert "seed c0ffee" in text


def test_every_kind_of_evidence_is_told():
    text = printed(full_report())
    for words in (
        "*12345.7",
        "yours 11.2 ms (8 runs)",
        "1.92 times as fast as the baseline (between 1.78 and 2.04), asked for: 20",
        "traced 5 times, once is enough",
        "2561 ####",
        "CALLS changes during a call: 0 before, 3 after",
        "written to stdout (60 bytes in all)",
        "used more than once",
        "line 41 in smooth: if n_steps == 0:",
        "right: (key, float32[16])",
        "c:f32[3,3] = scatter a b",
    ):
        assert words in text


@pytest.mark.parametrize("kind", EvidenceKind)
def test_evidence_without_any_key_can_be_told(kind: EvidenceKind):
    check = a_check(verdict=Verdict.FAILED, evidence=(evidence(kind),))
    view = view_of(an_attempt(check), STAFF)
    assert "0 of 4 points" in printed(report(view, source=submitted(), heading=HEADING))


def test_where_there_is_no_terminal_the_text_is_plain():
    text = printed(full_report())
    assert "\x1b" not in text
    assert not [line for line in text.split("\n") if line != line.rstrip()]


def test_a_terminal_gets_colour():
    assert "\x1b[" in printed(full_report(), terminal=True)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_an_output_without_unicode_gets_signs_that_it_can_show(encoding: str):
    text = printed(full_report(), encoding=encoding)
    assert "x failed  Each row has mean 0" in text
    assert "+ passed" in text


def test_hostile_text_can_act_neither_as_escape_nor_as_markup():
    result, source = hostile()
    heading = Heading(title="[red]x[/red]\x1b[2J", student="\u202eevil")
    text = printed(report(view_of(result, STAFF, source=source), source=source, heading=heading))
    assert not set(text) & {"\x1b", "\u202e", "\x00", "\udc80"}
    assert "[red]x[/red]\\x1b[2J" in text


def test_what_a_student_may_not_see_is_not_told():
    text = printed(full_report(STUDENT))
    assert "secretly" not in text
    assert "c0ffee" not in text
    assert "2 more checks, worth 8 points, are not shown" in text


def test_a_narrow_terminal_breaks_nothing():
    assert "16 of 67.5 points" in printed(full_report(), width=40)


def test_a_table_shows_what_happens_and_what_came_out():
    rows = [
        AttemptRow(name="right.py", score=Fraction(40), max_score=Fraction(40)),
        AttemptRow(name="waits.py", progress=Progress(stage=Stage.QUEUED), position=3),
        AttemptRow(
            name="runs.py",
            progress=Progress(stage=Stage.CHECKING, check_id="smooth.jit.fast", done=3, total=9),
        ),
        AttemptRow(
            name="[bold]odd[/bold].py",
            score=Fraction(7, 2),
            max_score=Fraction(40),
            lost=("a", "b"),
            graded=False,
        ),
    ]
    text = printed(results_table(rows, title="Ten submissions"))
    assert "nothing lost" in text
    assert "waiting, number 3 in the queue" in text
    assert "checking 4 of 9: smooth.jit.fast" in text
    assert "[bold]odd[/bold].py" in text
    assert "3.5 / 40" in text
    assert "not fully graded" in text


@pytest.mark.parametrize(
    "row,line",
    [
        (AttemptRow(name="a", progress=Progress(stage=Stage.LOADING)), "a: loading the file"),
        (AttemptRow(name="a", score=Fraction(1), max_score=Fraction(2)), "a: 1 / 2 points"),
        (AttemptRow(name="a"), "a: not graded"),
    ],
)
def test_progress_is_one_plain_line(row: AttemptRow, line: str):
    assert progress_line(row) == line


def test_what_cost_points_is_told_with_the_line():
    view = view_of(everything(), STUDENT, source=submitted())
    lines = printed(report(view, source=submitted(), heading=HEADING)).splitlines()
    title = lines.index("✗ failed  Each key is used once.  (PRNG keys, 0 / 4)")
    assert lines[title + 1].startswith("    A key is used more than once. `sample_walk`")
    assert "(line 26)" in lines[title + 1]


def test_a_finding_that_cost_several_checks_is_said_once():
    names = ("normalize.values.rows", "normalize.purity.pure", "smooth.values.steps")
    checks = [a_check(name, Verdict.FAILED, code="submission.syntax_error", line=2) for name in names]
    view = view_of(an_attempt(*checks), STUDENT, source=submitted())
    text = printed(report(view, source=submitted(), heading=HEADING))
    assert text.count("Why it matters") == 1
    assert text.count("Python cannot read the file, line 2. Said in full above.") == 1
    titles = [line for line in text.splitlines() if line.startswith("✗ failed")]
    assert len(titles) == 3


def test_checks_that_repeat_one_finding_are_listed_with_one_pointer_to_it():
    names = [f"{function}.values.c{number}" for function in ("f", "g") for number in range(9)]
    checks = [a_check(name, Verdict.FAILED, code="submission.syntax_error", line=2) for name in names]
    text = printed(report(view_of(an_attempt(*checks), STUDENT), source=submitted(), heading=HEADING))
    assert text.count("Said in full above.") == 1
    assert sum(line.startswith("✗ failed") for line in text.splitlines()) == len(names)


def test_points_above_are_those_that_staff_left():
    change = Change(
        about="Rows.", points=Fraction(3), reason="Half right.", byline="staff", sets=True,
        check_id="normalize.values.rows",
    )  # fmt: skip
    view = view_of(an_attempt(a_check("normalize.values.rows", Verdict.FAILED, code="values.differ")), STAFF)
    heading = Heading(title="T", adjusted=Fraction(3))
    text = printed(report(view, source=submitted(), heading=heading, changes=[change]), width=120)
    assert "3 of 4 points" in text
    assert "0 found by the checks, +3 by course staff" in text
    assert text.count("3 / 4, set by staff (found: 0)") == 2


@pytest.mark.parametrize("width", [24, 36, 60, 100])
def test_an_array_without_room_is_cut_between_its_numbers_and_says_so(width: int):
    numbers = [[round(1000.125 + 10 * i + j, 3) for j in range(6)] for i in range(3)]
    shown = evidence(
        EvidenceKind.ARRAYS, shape=[9, 6], origin=[4, 0], actual=numbers, expected=numbers, label="it"
    )
    text = printed(Group(*exhibit_lines(exhibit_of(shown))), width=width)
    cells = {f"{cell:.6g}" for row in numbers for cell in row}
    assert set(re.findall(r"[0-9.]{5,}…?", text)) <= cells
    assert len(re.findall(r"(?m)^ *…", text)) >= 2
    for index in (4, 5, 6):
        assert len(re.findall(rf"(?<![0-9.]){index} +1", text)) == 2
