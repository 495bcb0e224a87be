import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.results import EvidenceKind
from grader.presentation.evidence import exhibit_of
from grader.presentation.exhibits import Timing
from grader.presentation.plots import LEFT, RIGHT, WIDTH, TimingPlot, timing_plot
from tests.builders import TIMING, evidence

SECONDS = st.floats(min_value=1e-9, max_value=1e4)
RUNS = st.lists(SECONDS, max_size=12)
NUMBER = st.none() | st.floats(allow_nan=False, allow_infinity=False)


def plot_of(**data: object) -> TimingPlot | None:
    exhibit = exhibit_of(evidence(EvidenceKind.TIMING, **data))
    assert isinstance(exhibit, Timing)
    return timing_plot(exhibit)


def sample() -> TimingPlot:
    plot = plot_of(**TIMING.data)
    assert plot is not None
    return plot


def test_faster_lies_further_left():
    yours, baseline, reference = sample().rows
    assert reference.median_x < yours.median_x < baseline.median_x


def test_the_threshold_is_the_time_at_which_the_asked_speedup_is_reached():
    plot = sample()
    assert plot.threshold is not None
    assert plot.threshold.text == "asked for: 1.07 ms"
    assert plot.rows[2].median_x < plot.threshold.x < plot.rows[0].median_x


def test_the_interval_surrounds_the_median_of_the_students_runs():
    plot = sample()
    assert plot.interval is not None
    low, high, y = plot.interval
    assert low < plot.rows[0].median_x < high
    assert y == plot.rows[0].y


def test_programs_differ_by_label_and_shape():
    rows = sample().rows
    assert len({row.label for row in rows}) == len({row.shape for row in rows}) == 3


def test_the_axis_has_round_times():
    texts = [tick.text for tick in sample().ticks]
    assert "1 ms" in texts
    assert "10 ms" in texts


@pytest.mark.parametrize("data", [{}, {"baseline": [0.1]}, {"student": ["fast"]}])
def test_without_runs_of_the_student_there_is_no_plot(data: dict[str, object]):
    assert plot_of(**data) is None


@given(student=RUNS, baseline=RUNS, reference=RUNS, ratio=NUMBER, low=NUMBER, high=NUMBER, needed=NUMBER)
def test_everything_lies_inside_the_drawing(**data: object):
    plot = plot_of(**data)
    if plot is None:
        return
    inside = [x for row in plot.rows for x, _ in row.dots] + [row.median_x for row in plot.rows]
    inside += [tick.x for tick in plot.ticks]
    inside += [plot.threshold.x] if plot.threshold else []
    inside += list(plot.interval[:2]) if plot.interval else []
    assert all(LEFT <= x <= WIDTH - RIGHT for x in inside)
    assert all(plot.top < row.y < plot.bottom < plot.height for row in plot.rows)
    assert len(plot.ticks) <= 7
