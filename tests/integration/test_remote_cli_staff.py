"""The command line as instructors and TAs use it, against a real server."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from grader.db import models
from grader.domain.verdicts import Verdict
from tests.courses import write_assignment
from tests.students import a_result, grade, publish_hidden
from tests.terminal import Terminal, terminal

FAILED = {"verdict": Verdict.FAILED, "code": "values.differ"}
ROSTER = "login,name,section\nada,Ada Lovelace,Monday\ncarl,Carl Gauss,Monday\n"
CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,Doubling (4711)\nAda,17,,ada,Monday,\n"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    with terminal(tmp_path, monkeypatch) as found:
        found.log_in("ines")
        yield found


# --- courses ------------------------------------------------------------------------------------------------


def test_a_course_is_made_and_its_settings_are_changed_one_at_a_time(shell: Terminal) -> None:
    shell.says("course", "create", "jax-2", "--title", "JAX II", "--timezone", "Europe/Zurich")
    assert [item["slug"] for item in shell.tells("course", "list")["courses"]] == ["jax", "jax-2"]
    changed = shell.tells("course", "settings", "jax-2", "--grace-days", "3")["settings"]
    assert (changed["title"], changed["timezone"], changed["grace_days"]) == ("JAX II", "Europe/Zurich", 3)
    assert "Grace days for each student: 3." in shell.says("course", "show", "jax-2")
    assert "hidden from teaching assistants" in shell.says("course", "settings", "jax-2", "--hide-names")
    assert "Archived" in shell.says("course", "settings", "jax-2", "--archive")
    assert shell.tells("course", "settings", "jax-2")["settings"]["names_hidden"]
    assert shell.tells("course", "settings", "jax-2")["settings"]["archived_at"] is not None


def test_whoever_is_in_several_courses_has_to_say_which(shell: Terminal) -> None:
    shell.says("course", "create", "jax-2", "--title", "JAX II")
    result = shell.run("roster", "list")
    assert result.exit_code == 2
    assert "--course: you are in several: jax, jax-2. Name one." in result.stderr
    assert "Did you mean 'jax-2'?" in shell.run("roster", "list", "--course", "jx-2").stderr


def test_students_are_told_that_they_may_not(shell: Terminal) -> None:
    shell.log_in("ada")
    result = shell.run("course", "create", "mine", "--title", "Mine")
    assert result.exit_code == 2
    assert result.stderr.startswith("grader: ")
    assert shell.run("grades", "export").exit_code == 2


# --- rosters ------------------------------------------------------------------------------------------------


def test_a_roster_is_shown_first_and_imported_when_asked(shell: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "students.csv"
    file.write_text(ROSTER, encoding="utf-8")
    assert "--apply does it" in shell.says("roster", "import", file)
    assert "carl" not in shell.says("roster", "list")
    assert "Imported: 1 added" in shell.says("roster", "import", file, "--apply")
    assert "Carl Gauss" in shell.says("roster", "list")
    shell.says("roster", "remove", "carl")
    assert "carl" not in shell.says("roster", "list")


def test_lines_that_cannot_be_used_stop_an_import_unless_they_are_skipped(
    shell: Terminal, tmp_path: Path
) -> None:
    file = tmp_path / "students.csv"
    file.write_text("login,name\ncarl,Carl\n,Nobody\n", encoding="utf-8")
    result = shell.run("roster", "import", file, "--apply")
    assert result.exit_code == 1
    assert "Line 3 cannot be used" in result.stdout
    assert "carl" not in shell.says("roster", "list")
    assert (
        shell.run("roster", "import", file, "--apply", "--skip-unusable", "--remove-missing").exit_code == 1
    )
    assert "1 added" in shell.says("roster", "import", file, "--apply", "--skip-unusable")


def test_a_member_is_changed_and_nobodys_change_is_overwritten(shell: Terminal) -> None:
    assert "Section     Monday" in shell.says(
        "roster", "set", "ada", "--section", "Monday", "--extra-days", "2"
    )
    late = shell.run("roster", "set", "ada", "--section", "Friday", "--seen", "1")
    assert late.exit_code == 2
    assert "was changed since you opened it" in late.stderr
    changed = json.loads(shell.says("roster", "set", "ada", "--section", "", "--json"))["member"]
    assert (changed["section"], changed["extra_days"], changed["version"]) == (None, 2, 3)
    assert "nothing is to change" in shell.run("roster", "set", "ada").stderr
    assert "Did you mean 'ada'?" in shell.run("roster", "set", "adda", "--role", "ta").stderr


def test_links_are_made_for_a_role_and_for_members(shell: Terminal, tmp_path: Path) -> None:
    assert "anybody, as ta: http://127.0.0.1" in shell.says("roster", "invite", "--role", "ta")
    file = tmp_path / "students.csv"
    file.write_text(ROSTER, encoding="utf-8")
    shell.says("roster", "import", file, "--apply")
    result = shell.run("roster", "invite", "carl", "ada")
    assert result.exit_code == 0
    assert result.stdout.startswith("carl: http://127.0.0.1")
    assert "No link for ada" in result.stderr
    assert shell.run("roster", "invite").exit_code == 2
    assert "Did you mean 'carl'?" in shell.run("roster", "invite", "karl").stderr


# --- assignments --------------------------------------------------------------------------------------------


def test_a_folder_is_published_once_its_gate_is_open(shell: Terminal, tmp_path: Path) -> None:
    folder = write_assignment(tmp_path / "tripling", lesson="More.\n").root
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "left.pyc").write_bytes(b"left behind")
    with shell.working():
        said = shell.says("assignment", "publish", folder)
        assert "Published doubling, version 2 in jax." in said
        assert "Nothing has changed" in shell.says("assignment", "publish", folder)
    assert "doubling" in shell.says("assignment", "list")


def test_a_gate_that_stays_shut_ends_with_1_and_says_why(shell: Terminal, tmp_path: Path) -> None:
    folder = write_assignment(tmp_path / "wrong").root
    undone = "def double(x): ...\n\n\ndef half(x): ...\n"
    (folder / "solution" / "submission.py").write_text(undone, encoding="utf-8")
    with shell.working():
        result = shell.run("assignment", "publish", folder)
    assert result.exit_code == 1, result.output
    assert "The gate is shut" in result.stdout
    assert "solution" in result.stdout


def test_a_folder_that_cannot_be_read_is_told_with_the_file_that_is_wrong(
    shell: Terminal, tmp_path: Path
) -> None:
    folder = write_assignment(tmp_path / "broken").root
    (folder / "solution" / "submission.py").write_text("def double(x): ...\n", encoding="utf-8")
    result = shell.run("assignment", "publish", folder)
    assert result.exit_code == 2
    assert result.stderr.startswith("grader: solution/submission.py: does not define half")


def test_dates_are_typed_on_the_courses_clock_and_the_rest_stays(shell: Terminal) -> None:
    shell.says("course", "settings", "jax", "--timezone", "Europe/Zurich")
    words = ("--due", "2027-01-10 23:59", "--late-percent", "10", "--limit", "5", "--cooldown", "30")
    set_ = shell.tells("assignment", "dates", "doubling", *words)["dates"]
    assert set_["due_at"] == "2027-01-10T22:59:00Z"
    assert (set_["late_rule"], set_["late_share_per_day"], set_["cooldown_s"]) == ("per_day", 0.1, 1800)
    later = shell.tells("assignment", "dates", "doubling", "--due", "none", "--grace")["dates"]
    assert (later["due_at"], later["uses_grace_days"], later["submission_limit"]) == (None, True, 5)
    said = shell.says("assignment", "dates", "doubling")
    assert "costs 10 % of the points a day begun, grace days first" in said
    assert "5, 30 minutes apart" in said


@pytest.mark.parametrize(
    "words, named",
    [(("--due", "soon"), "--due"), (("--limit", "many"), "--limit"), (("--due", " "), "--due")],
)
def test_what_is_no_time_or_number_is_refused_by_its_option(
    shell: Terminal, words: tuple[str, ...], named: str
) -> None:
    result = shell.run("assignment", "dates", "doubling", *words)
    assert result.exit_code == 2
    assert f"grader: {named}: " in result.stderr


def test_a_time_that_comes_twice_says_how_it_was_read(shell: Terminal) -> None:
    shell.says("course", "settings", "jax", "--timezone", "Europe/Zurich")
    result = shell.run("assignment", "dates", "doubling", "--due", "2027-10-31 02:30")
    assert result.exit_code == 0
    assert "comes twice in Europe/Zurich" in " ".join(result.stderr.split())


def test_more_time_is_granted_listed_and_taken_back(shell: Terminal) -> None:
    shell.says("assignment", "dates", "doubling", "--due", "2027-01-10 23:59")
    words = ("doubling", "ada", "--due", "2027-01-12 23:59", "--reason", "Ill.")
    assert "ada has until Tue 12 Jan 2027" in shell.says("assignment", "extend", *words)
    (granted,) = shell.tells("assignment", "extensions", "doubling")["extensions"]
    said = shell.says("assignment", "extensions", "doubling", "--take-back", granted["id"][:6])
    assert "Ill." in said
    (taken,) = shell.tells("assignment", "extensions", "doubling")["extensions"]
    assert taken["revoked_at"] is not None
    assert shell.run("assignment", "extensions", "doubling", "--take-back", "ffff").exit_code == 2


def test_grades_are_released_and_taken_back(shell: Terminal) -> None:
    assert "Grades of doubling: released" in shell.says("assignment", "release", "doubling")
    taken = shell.tells("assignment", "release", "doubling", "--take-back")["dates"]
    assert taken["released_at"] is None


# --- regrades -----------------------------------------------------------------------------------------------


def test_a_regrade_is_planned_looked_at_applied_and_undone(shell: Terminal) -> None:
    shell.world.graded("ada", shell.world.result(half_values_it_halves=FAILED))
    with shell.working():
        said = shell.says("regrade", "plan", "doubling", "--reason", "Too tight.", "--wait")
    assert "Points rise for 1, fall for 0." in said
    assert "half.values.it_halves +2 (verdict)" in said
    assert shell.tells("grades", "show")["gradebook"]["students"][0]["total"] == 3
    (plan,) = shell.tells("regrade", "list", "doubling")["plans"]
    short, seen = plan["id"][:8], plan["version"]
    shell.says("regrade", "apply", "doubling", short, "--seen", seen)
    assert shell.tells("grades", "show")["gradebook"]["students"][0]["total"] == 5
    again = shell.run("regrade", "undo", "doubling", short, "--seen", seen)
    assert again.exit_code == 2
    assert "was changed since you opened it" in again.stderr
    assert "undone" in shell.says("regrade", "undo", "doubling", short)
    assert "put aside" in shell.says("regrade", "discard", "doubling", short)


def test_points_possible_that_change_are_told_to_staff_and_to_the_student(shell: Terminal) -> None:
    receipt = shell.world.graded("ada")
    publish_hidden(shell.world.course)
    assert "5 / 5" in shell.as_("ada", "status")  # of the version that graded it
    shell.log_in("ines")
    (made,) = shell.tells("regrade", "plan", "doubling", "--reason", "A check more.").values()
    with shell.world.database.reading() as session:
        attempt_id = session.scalars(select(models.RegradeItem.attempt_id)).one()
    grade(shell.world.course, attempt_id, a_result())
    said = shell.says("regrade", "show", "doubling", made["id"])
    assert "The points possible change from 5 to 14 for 1 submission." in said
    assert "14 / 14" in said
    shell.says("regrade", "apply", "doubling", made["id"])
    words = "Graded again: A check more. The points possible have changed from 5 to 14."
    assert words in shell.as_("ada", "report", receipt.submission_id)


def test_a_plan_that_does_not_exist_is_looked_for_in_the_list(shell: Terminal) -> None:
    result = shell.run("regrade", "show", "doubling", "ffff")
    assert result.exit_code == 2
    assert "grader regrade list doubling" in result.stderr


# --- grades -------------------------------------------------------------------------------------------------


def test_staff_see_the_gradebook_and_one_students_reasons(shell: Terminal) -> None:
    shell.world.graded("ada")
    said = shell.says("grades", "show")
    assert "Total of 5" in said
    assert "Ben" in said
    assert "There is no deadline." in shell.says("grades", "show", "--student", "ada")
    assert "Total of 5" in shell.as_("tom", "grades", "show")


def test_students_see_their_own_points_alone(shell: Terminal) -> None:
    shell.world.graded("ada")
    said = shell.as_("ada", "grades", "show")
    assert "5 / 5" in said
    assert "ben" not in said.lower()
    assert shell.run("grades", "show", "--student", "ben").exit_code == 2


@pytest.mark.parametrize("form", ["gradebook", "canvas", "moodle", "nbgrader"])
def test_grades_are_exported_as(shell: Terminal, tmp_path: Path, form: str) -> None:
    shell.world.graded("ada")
    out = tmp_path / "grades.csv"
    told = shell.tells("grades", "export", "--format", form, "-o", out)
    assert told == {"file": str(out), "format": form, "bytes": out.stat().st_size, "unmatched": None}
    assert '"ada' in out.read_text("utf-8")


def test_canvass_own_export_gives_its_ids_and_titles(shell: Terminal, tmp_path: Path) -> None:
    shell.world.graded("ada")
    own, out = tmp_path / "own.csv", tmp_path / "grades.csv"
    own.write_text(CANVAS, encoding="utf-8")
    shell.says("grades", "export", "-f", "canvas", "--own-export", own, "-o", out, "-a", "doubling")
    assert "Doubling (4711)" in out.read_text("utf-8")
    assert shell.run("grades", "export", "-f", "moodle", "--own-export", own, "-o", out).exit_code == 2


def test_what_canvas_does_not_match_is_named_one_a_line(shell: Terminal, tmp_path: Path) -> None:
    shell.world.graded("ada")
    own, out = tmp_path / "own.csv", tmp_path / "grades.csv"
    own.write_text('Student,ID,SIS Login ID\nAda,17,ada\n"Zoe, or Z",18,zoe\n', encoding="utf-8")
    words = ("grades", "export", "-f", "canvas", "--own-export", own, "-o", out)
    lines = [line.strip() for line in shell.says(*words).splitlines()]
    assert lines[lines.index("In Canvas's export only, and left out:") + 1] == "Zoe, or Z"
    assert lines[lines.index("Canvas will make new assignments:") + 1] == "Doubling"
    unmatched = shell.tells(*words)["unmatched"]
    assert (unmatched["only_in_canvas"], unmatched["new_assignments"]) == (["Zoe, or Z"], ["Doubling"])
    assert "ben" in unmatched["not_in_canvas"]


def test_a_submission_of_anybody_in_reach_is_found_by_the_start_of_its_id(shell: Terminal) -> None:
    start = shell.world.graded("ada").submission_id.hex[:8]
    for login in ("ines", "tom", "ada"):
        assert "Doubling" in shell.as_(login, "report", start)
    shell.log_in("ben")
    refused = shell.run("report", start)
    assert refused.exit_code == 2
    assert start in refused.stderr


def test_a_report_tells_the_time_on_the_courses_clock(shell: Terminal) -> None:
    work = shell.world.graded("ada").submission_id
    for zone, name in (("Asia/Tokyo", "JST"), ("UTC", "UTC")):
        shell.says("course", "settings", "jax", "--timezone", zone)
        assert re.search(rf"submitted \d{{4}}-\d\d-\d\d \d\d:\d\d {name}\b", shell.says("report", work))


def test_gradescopes_results_and_the_whole_course_are_zips(
    shell: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shell.world.graded("ada")
    assert "exactly one" in shell.run("grades", "export", "-f", "results-json").stderr
    results = Path(shell.tells("grades", "export", "-f", "results-json", "-a", "doubling")["file"])
    assert "ada-1/results.json" in zipfile.ZipFile(io.BytesIO(results.read_bytes())).namelist()
    course = Path(shell.tells("grades", "export", "-f", "archive")["file"])
    assert "manifest.json" in zipfile.ZipFile(io.BytesIO(course.read_bytes())).namelist()


def test_staff_read_every_check_of_anybodys_work(shell: Terminal) -> None:
    receipt = shell.world.graded("ada")
    shell.log_in("tom")
    assert shell.tells("report", receipt.submission_id)["audience"] == "staff"
