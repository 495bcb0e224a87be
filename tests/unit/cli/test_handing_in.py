"""`grader submit`, `report` and `status`: from a file to its report, through the database."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import select

from grader.cli import reporting
from grader.cli.exits import ExitCode
from grader.cli.node import COURSE_SLUG
from grader.cli.sending import files_of
from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState
from grader.domain.errors import UploadRefused
from grader.domain.scheduling import LateRule
from grader.domain.verdicts import Blame, Verdict
from grader.services import grading
from grader.services.people import ensure_course
from grader.services.policy import QueuePolicy
from grader.services.publishing import publish
from grader.services.reading import AttemptFilter, AttemptView, attempts
from grader.services.settings import Settings
from tests.courses import rubric, write_assignment
from tests.engines import Judge, TextEngine, by_text
from tests.unit.cli.conftest import Cli, always

RIGHT = "def double(x):\n    return 2 * x\n"


@pytest.fixture
def database(settings: Settings, tmp_path: Path) -> Iterator[Database]:
    """The node's database, with the small assignment published."""
    database = Database(settings.database_url)
    course = ensure_course(database, slug=COURSE_SLUG, title="Course")
    assignment = write_assignment(tmp_path / "doubling")
    publish(database, course_id=course.id, assignment=assignment, rubric=rubric())
    yield database
    database.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(RIGHT)
    return path


def newest(database: Database) -> AttemptView:
    return attempts(database, AttemptFilter())[0]


def grade(database: Database, settings: Settings, attempt_id: UUID, judge: Judge = by_text) -> None:
    """What a worker would do."""
    grading.run(
        attempt_id,
        database=database,
        engine=TextEngine(judge),
        cache=settings.version_cache,
        owner="test",
        policy=QueuePolicy(max_tries=1),
    )


def test_a_receipt_names_submission_time_and_hash(cli: Cli, database: Database, file: Path) -> None:
    result = cli("submit", file, "-a", "doubling", "--user", "ada")
    assert result.exit_code == ExitCode.FINE, result.output
    view = newest(database)
    assert "Received doubling from ada" in result.stdout
    assert hashlib.sha256(RIGHT.encode()).hexdigest() in result.stdout
    assert f"grader report {view.submission_id.hex[:8]}" in result.stdout
    assert (view.student, view.state) == ("ada", AttemptState.QUEUED)


def test_here_too_it_is_said_what_handing_in_late_costs(
    cli: Cli, database: Database, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.writing() as session:
        assignment_id = session.scalars(select(models.Assignment.id)).one()
        session.add(
            models.AssignmentSchedule(
                assignment_id=assignment_id,
                due_at=datetime.now(UTC) - timedelta(hours=1),
                late_rule=LateRule.PER_DAY,
                per_day=Fraction(1, 4),
            )
        )
    words = ("submit", file, "-a", "doubling", "--user", "ada")
    told = cli(*words)
    assert "Handing in now is 1 day late: it costs 25 % of the points" in told.stderr
    assert "This submission is 1 day late: it costs 25 % of the points" in told.stdout
    monkeypatch.setattr("grader.cli.consent.somebody_is_there", lambda: True)
    assert cli(*words).exit_code == ExitCode.NO  # nothing was typed
    assert cli(*words, "--yes").exit_code == ExitCode.FINE
    assert newest(database).submission_number == 2


def test_without_a_name_the_login_counts(
    cli: Cli, database: Database, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "grace")
    cli("submit", file, "-a", "doubling")
    assert newest(database).student == "grace"


def test_submissions_of_one_student_are_numbered(cli: Cli, database: Database, file: Path) -> None:
    for number in (1, 2):
        assert f"submission {number}." in cli("submit", file, "-a", "doubling", "--user", "ada").stdout
    assert newest(database).submission_number == 2


@pytest.mark.usefixtures("database")
def test_a_misspelt_assignment_gets_a_suggestion(cli: Cli, file: Path) -> None:
    result = cli("submit", file, "-a", "doublng")
    assert result.exit_code == ExitCode.WRONG_USE
    assert "Did you mean 'doubling'?" in result.stderr


def test_an_upload_that_is_refused_leaves_no_trace(cli: Cli, database: Database, file: Path) -> None:
    file.write_text("")
    result = cli("submit", file, "-a", "doubling")
    assert result.exit_code == ExitCode.WRONG_USE
    assert attempts(database, AttemptFilter()) == ()


def test_a_folder_travels_as_a_zip_that_is_the_same_every_time(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (folder / "parts").mkdir(parents=True)
    (folder / "submission.py").write_text(RIGHT)
    (folder / "parts" / "helper.py").write_text("x = 1\n")
    first, second = files_of((folder,)), files_of((folder,))
    assert first == second
    assert first[0].name == "work.zip"


def test_a_folder_among_files_is_refused(tmp_path: Path, file: Path) -> None:
    with pytest.raises(UploadRefused, match="folder among other files"):
        files_of((file, tmp_path))


def test_a_report_that_is_not_there_yet_ends_with_1_and_tells_the_place(
    cli: Cli, database: Database, file: Path
) -> None:
    cli("submit", file, "-a", "doubling", "--user", "ada")
    result = cli("report", newest(database).submission_id.hex[:8])
    assert result.exit_code == ExitCode.NO
    assert "waiting, number 1 in the queue" in result.stdout


def test_a_report_is_shown_by_the_start_of_its_id(
    cli: Cli, database: Database, settings: Settings, file: Path, tmp_path: Path
) -> None:
    file.write_text(f"# it_traces\n{RIGHT}")
    cli("submit", file, "-a", "doubling", "--user", "ada")
    view = newest(database)
    grade(database, settings, view.id)
    shown = cli("report", view.submission_id.hex[:6])
    assert shown.exit_code == ExitCode.FINE
    assert "ada" in shown.stdout
    page = tmp_path / "report.html"
    answer = json.loads(cli("report", view.submission_id.hex, "--json", "--html", page).stdout)
    assert answer["max_score"] == 5
    assert answer["seed"] is None
    assert "</html>" in page.read_text("utf-8")
    assert json.loads(cli("report", view.submission_id.hex, "--json", "--all").stdout)["seed"] is not None


def test_an_attempt_that_does_not_exist_is_told(
    cli: Cli, database: Database, settings: Settings, file: Path
) -> None:
    cli("submit", file, "-a", "doubling", "--user", "ada")
    view = newest(database)
    grade(database, settings, view.id)
    assert cli("report", view.submission_id.hex, "--attempt", "1").exit_code == ExitCode.FINE
    result = cli("report", view.submission_id.hex, "--attempt", "2")
    assert result.exit_code == ExitCode.WRONG_USE
    assert "this submission has only attempt 1." in result.stderr


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("typed", ["zz", "abc", "0000dead", "--nothing", "' OR 1=1"])
def test_an_id_that_is_none_ends_with_2(cli: Cli, typed: str) -> None:
    result = cli("report", "--", typed)
    assert result.exit_code == ExitCode.WRONG_USE
    assert "no submission named" in result.stderr


def test_status_lists_attempts_with_their_ends(
    cli: Cli, database: Database, settings: Settings, file: Path
) -> None:
    assert "Nothing has been handed in yet." in cli("status").stdout
    cli("submit", file, "-a", "doubling", "--user", "ada")
    grade(database, settings, newest(database).id)
    cli("submit", file, "-a", "doubling", "--user", "bo")
    grade(database, settings, newest(database).id, always(Verdict.INTERNAL_ERROR, Blame.SYSTEM))
    cli("submit", file, "-a", "doubling", "--user", "chen")
    said = cli("status").stdout
    assert "5 / 5" in said
    assert "not graded: not judged" in said
    assert "waiting" in said
    states = [attempt["state"] for attempt in json.loads(cli("status", "--json").stdout)["attempts"]]
    assert states == ["queued", "not_graded", "graded"]


def test_waiting_ends_with_the_report(cli: Cli, database: Database, settings: Settings, file: Path) -> None:
    def work() -> None:
        while not (found := attempts(database, AttemptFilter())):
            pass
        grade(database, settings, found[0].id)

    worker = threading.Thread(target=work)
    worker.start()
    result = cli("submit", file, "-a", "doubling", "--user", "ada", "--wait")
    worker.join()
    assert result.exit_code == ExitCode.FINE, result.output
    assert "5 of 5 points" in result.stdout


def test_who_waits_while_nobody_works_is_told_so(
    cli: Cli, database: Database, settings: Settings, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "NOBODY_COMES_S", -1.0)

    def work_when_told(_seconds: float) -> None:
        grade(database, settings, newest(database).id)

    monkeypatch.setattr("grader.cli.reporting.sleep", work_when_told)
    result = cli("submit", file, "-a", "doubling", "--user", "ada", "--wait")
    assert reporting.NO_WORKER in result.stderr
    assert result.exit_code == ExitCode.FINE


def test_a_database_that_is_away_is_told_in_words(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_DATABASE_URL", "postgresql://nobody:secret@127.0.0.1:1/none")
    result = cli("status")
    assert result.exit_code == ExitCode.WRONG_USE
    assert "GRADER_DATABASE_URL" in result.stderr
    assert "secret" not in result.stderr
