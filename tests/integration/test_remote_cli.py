"""The command line as students use it, against a real server: log in, hand in, read, ask."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from grader.cli.remote.logins import file_of_logins, read_logins
from grader.domain.scheduling import Counting, LateRule
from grader.domain.verdicts import Verdict
from grader.services.accounts.tokens import revoke_token, tokens_of
from grader.services.publishing import publish
from grader.services.reviewing.adjusting import Change, adjust
from grader.services.reviewing.commenting import comment
from tests.courses import BUNDLE, SOLUTION, rubric, write_assignment
from tests.students import schedule
from tests.terminal import Terminal, terminal
from tests.web import PASSWORD, Page

FAILED = {"verdict": Verdict.FAILED, "code": "values.differ"}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    with terminal(tmp_path, monkeypatch) as found:
        yield found


@pytest.fixture
def work(tmp_path: Path) -> Path:
    path = tmp_path / "submission.py"
    path.write_bytes(SOLUTION)
    return path


# --- logging in ---------------------------------------------------------------------------------------------


def test_a_name_and_a_password_become_a_token_that_only_its_owner_can_read(shell: Terminal) -> None:
    said = shell.says("login", shell.url, typed=f"ada\n{PASSWORD}\n")
    assert f"Logged in at {shell.url} as ada" in said
    kept = file_of_logins()
    assert PASSWORD not in kept.read_text("utf-8")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert shell.tells("whoami")["login"] == "ada"


def test_a_wrong_password_keeps_nothing(shell: Terminal) -> None:
    result = shell.run("login", shell.url, "--name", "ada", typed="wrong\n")
    assert result.exit_code == 2
    assert "do not belong together" in result.stderr
    assert not file_of_logins().exists()


def test_a_token_may_come_from_standard_input(shell: Terminal) -> None:
    token = shell.log_in("ben")
    file_of_logins().unlink()
    shell.says("login", shell.url, "--token", "-", typed=f"{token}\n")
    assert shell.tells("whoami")["login"] == "ben"


def test_logging_out_forgets_the_token_and_makes_it_worthless(shell: Terminal) -> None:
    shell.says("login", shell.url, typed=f"ada\n{PASSWORD}\n")
    assert len(tokens_of(shell.world.database, actor=shell.world.people["ada"])) == 1
    assert shell.says("logout").startswith("Logged out")
    assert tokens_of(shell.world.database, actor=shell.world.people["ada"]) == ()
    assert read_logins().known == {}


def test_a_revoked_token_says_how_to_come_back(shell: Terminal) -> None:
    shell.says("login", shell.url, typed=f"ada\n{PASSWORD}\n")
    database, ada = shell.world.database, shell.world.people["ada"]
    for token in tokens_of(database, actor=ada):
        revoke_token(database, actor=ada, token_id=token.id)
    result = shell.run("status")
    assert result.exit_code == 2
    assert f"grader login {shell.url}" in result.stderr


# --- which server -------------------------------------------------------------------------------------------


def test_a_script_names_server_and_token_by_variables(
    shell: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = shell.log_in("ada")
    file_of_logins().unlink()
    monkeypatch.setenv("GRADER_SERVER", shell.url)
    monkeypatch.setenv("GRADER_TOKEN", token)
    assert shell.tells("whoami")["login"] == "ada"


def test_a_token_is_sent_to_its_own_server_alone(shell: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_SERVER", "https://elsewhere.example.edu")
    monkeypatch.setenv("GRADER_TOKEN", shell.log_in("ada"))
    file_of_logins().unlink()
    result = shell.run("whoami", "--server", shell.url)
    assert result.exit_code == 2
    assert f"you are not logged in at {shell.url}" in result.stderr
    monkeypatch.delenv("GRADER_SERVER")
    assert "Set both, or neither." in shell.run("whoami").stderr


def test_without_a_log_in_commands_for_servers_say_what_they_need(shell: Terminal) -> None:
    result = shell.run("course", "list")
    assert result.exit_code == 2
    assert "grader login https://" in result.stderr


def test_local_means_this_machine_though_somebody_is_logged_in(shell: Terminal, work: Path) -> None:
    shell.log_in("ada")
    for words in (("status",), ("report", "abcd"), ("submit", work, "--assignment", "doubling")):
        result = shell.run(*words, "--local")
        assert result.exit_code == 2
        assert "there is no database yet" in result.stderr
        assert "grader login URL" in result.stderr


@pytest.mark.parametrize(
    "words, option",
    [
        (("submit", "x.py", "-a", "doubling", "--user", "ben"), "--user"),
        (("report", "doubling", "--all"), "--all"),
        (("assignment", "publish", "doubling", "--without-gate"), "--without-gate"),
        (("status", "--local", "--course", "jax"), "--course"),
    ],
)
def test_options_of_the_other_side_are_refused(shell: Terminal, words: tuple[str, ...], option: str) -> None:
    shell.log_in("ada")
    result = shell.run(*words)
    assert result.exit_code == 2
    assert option in result.stderr


@pytest.mark.parametrize(
    "address", ["http://grader.example.edu", "grader.example.edu", "ftp://x", "https://", "https://me@x.org"]
)
def test_a_token_goes_over_nothing_but_tls(shell: Terminal, address: str) -> None:
    result = shell.run("login", address, "--token", "jgt_x")
    assert result.exit_code == 2
    assert "is not the https address of a server" in result.stderr


def test_a_server_that_is_away_is_not_the_callers_fault(shell: Terminal) -> None:
    result = shell.run("login", "http://127.0.0.1:9", "--token", "jgt_x")
    assert result.exit_code == 3
    assert "http://127.0.0.1:9 cannot be reached" in result.stderr
    assert "Traceback" not in result.output


# --- handing in and reading ---------------------------------------------------------------------------------


def test_work_is_handed_in_and_found_again_by_its_id_its_number_and_its_assignment(
    shell: Terminal, work: Path
) -> None:
    shell.log_in("ada")
    received = shell.tells("submit", work, "--assignment", "doubling")["received"]
    assert received["number"] == 1
    for typed in (received["id"], received["id"][:8], "doubling/1", "doubling"):
        result = shell.run("report", typed)
        assert (result.exit_code, "waiting" in result.stdout) == (1, True), result.output


def test_waiting_ends_with_the_report_in_the_words_of_the_page(shell: Terminal, work: Path) -> None:
    course = shell.world.course
    taught = write_assignment(course.folder, lesson="\n## Pure functions\n\nA lesson.\n")
    publish(course.database, course_id=course.course_id, assignment=taught, rubric=rubric())
    shell.log_in("ada")
    with shell.working(shell.world.result(half_values_it_halves=FAILED)):
        said = shell.says("submit", work, "--assignment", "doubling", "--wait")
    assert "Received doubling at" in said
    assert "3 of 5 points" in said
    assert "Lesson: Pure functions" in said


def test_json_is_one_object_with_the_keys_of_a_check_on_ones_own_machine(shell: Terminal, work: Path) -> None:
    shell.log_in("ada")
    with shell.working():
        found = shell.tells("submit", work, "--assignment", "doubling", "--wait")
    assert (found["score"], found["max_score"], found["state"], found["attempt"]) == (5, 5, "graded", 1)
    assert found["submission"]["assignment"] == "doubling"
    assert {"criteria", "environment", "seed", "version"} <= found.keys()


def test_a_report_is_kept_as_a_page_with_what_staff_say(shell: Terminal, tmp_path: Path) -> None:
    receipt = shell.world.graded("ada")
    tom = shell.world.people["tom"]
    said = "Look\x1b[31m here\u202e."
    comment(shell.world.database, actor=tom, submission_id=receipt.submission_id, text=said)
    shell.log_in("ada")
    page = tmp_path / "out" / "report.html"
    text = shell.says("report", "doubling", "--html", page)
    assert "Look\\x1b[31m here\\u202e." in text
    assert "\x1b" not in text
    shown = Page(page.read_text("utf-8")).text
    assert "return 2 * x" in shown
    assert "Look\\x1b[31m here" in shown


def test_points_that_staff_set_are_told_as_set_and_head_the_report(shell: Terminal, tmp_path: Path) -> None:
    receipt = shell.world.graded("ada", shell.world.result(half_values_it_halves=FAILED))
    adjust(
        shell.world.database,
        actor=shell.world.people["tom"],
        submission_id=receipt.submission_id,
        change=Change(points=Fraction(1), check_id="half.values.it_halves"),
        reason="Half right.",
        seen=0,
    )
    kept = tmp_path / "report.html"
    said = shell.as_("ada", "report", "doubling", "--html", kept)
    assert re.search(r"(?m)^Points by course staff for .*[^.]: set to 1$", said)
    assert "Half right." in said
    assert "1 by course staff" in said
    assert "set by staff (found: 0)" in " ".join(said.split())
    page = " ".join(Page(kept.read_text("utf-8")).text.split())
    assert "1 by course staff" in page
    assert "Points changed by staff" in page
    assert "Half right." in page


def test_of_another_students_work_nothing_is_said(shell: Terminal) -> None:
    receipt = shell.world.graded("ada")
    shell.log_in("ben")
    result = shell.run("report", receipt.submission_id)
    assert result.exit_code == 2
    assert "submission" in result.stderr
    assert "doubling" not in result.output


def test_what_cannot_be_accepted_is_refused_in_the_servers_words(shell: Terminal, tmp_path: Path) -> None:
    shell.log_in("ada")
    odd = tmp_path / "work.pdf"
    odd.write_bytes(b"%PDF-1.4 no code")
    result = shell.run("submit", odd, "--assignment", "doubling")
    assert result.exit_code == 2
    assert result.stderr.startswith("grader: ")
    assert shell.tells("status")["courses"][0]["assignments"][0]["submissions"] == 0


def test_what_handing_in_late_costs_is_said_first_and_whoever_says_no_hands_nothing_in(
    shell: Terminal, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = {"late_rule": LateRule.PER_DAY, "per_day": Fraction(1, 10), "counting": Counting.LAST}
    schedule(shell.world.course, due_at=datetime.now(UTC) - timedelta(hours=1), **rules)
    shell.log_in("ada")
    words = ("submit", work, "--assignment", "doubling")
    costs = "is 1 day late: it costs 10 % of the points that it earns."
    monkeypatch.setattr("grader.cli.consent.somebody_is_there", lambda: True)
    refused = shell.run(*words, typed="n\n")
    assert refused.exit_code == 1
    assert f"Handing in now {costs}" in refused.stderr
    assert "Nothing was handed in." in refused.stderr
    assert shell.tells("course", "show")["course"]["assignments"][0]["submissions"] == 0
    assert f"This submission {costs}" in shell.says(*words, typed="y\n")
    assert "Received" in shell.says(*words, "--yes")
    monkeypatch.setattr("grader.cli.consent.somebody_is_there", lambda: False)
    assert shell.tells(*words)["received"]["price"]["penalty"] == 0.1


def test_a_report_says_what_lateness_takes(shell: Terminal) -> None:
    shell.world.graded("ada")
    shell.log_in("ada")
    assert "late" not in shell.says("report", "doubling/1")
    rules = {"late_rule": LateRule.PER_DAY, "per_day": Fraction(1, 10)}
    schedule(shell.world.course, due_at=datetime.now(UTC) - timedelta(hours=1), **rules)
    assert "Handed in 1 day late, so 4.5 of 5 points count." in shell.says("report", "doubling/1")


def test_a_misspelt_assignment_gets_a_suggestion(shell: Terminal, work: Path) -> None:
    shell.log_in("ada")
    result = shell.run("submit", work, "--assignment", "doubing")
    assert result.exit_code == 2
    assert "Did you mean 'doubling'?" in result.stderr


def test_status_shows_what_is_due_and_what_one_has(shell: Terminal) -> None:
    shell.world.graded("ada")
    shell.log_in("ada")
    said = shell.says("status")
    assert "doubling" in said
    assert "5 / 5" in said


def test_a_request_is_asked_and_stands_on_the_report(shell: Terminal) -> None:
    shell.world.graded("ada")
    shell.log_in("ada")
    made = shell.tells("request", "doubling/1", "Please look at line 2.")
    assert made["request"]["state"] == "open"
    assert "Regrade request" in shell.says("report", "doubling/1")


def test_a_receipt_is_fetched_and_verified(shell: Terminal, tmp_path: Path, work: Path) -> None:
    shell.world.submit("ada")
    shell.log_in("ada")
    path = tmp_path / "receipt.json"
    shell.says("receipt", "download", "doubling/1", "-o", path)
    assert json.loads(path.read_text("utf-8"))["receipt"]["student"]["login"] == "ada"
    said = shell.says("receipt", "verify", path, "--file", work)
    assert said.startswith("Valid")


def test_the_visible_checks_are_fetched_with_the_way_to_run_them(shell: Terminal, tmp_path: Path) -> None:
    shell.log_in("ada")
    path = tmp_path / "checks.zip"
    said = shell.says("assignment", "starter", "doubling", "--checks", "-o", path)
    assert path.read_bytes() == BUNDLE
    assert f"grader check FILE --assignment {path}" in said


def test_the_starter_is_fetched_and_never_written_over_a_file(
    shell: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shell.log_in("ada")
    made = Path(shell.tells("assignment", "starter", "doubling")["file"])
    assert made.read_bytes().startswith(b"PK")
    again = shell.run("assignment", "starter", "doubling")
    assert again.exit_code == 2
    assert "is there already" in again.stderr


# --- starting quickly, completing ---------------------------------------------------------------------------


def test_a_command_for_a_server_loads_neither_a_database_nor_jax_nor_the_web_server(shell: Terminal) -> None:
    shell.world.graded("ada")
    shell.log_in("ada")
    code = (
        "import sys; from grader.cli.app import app\n"
        "try: app(['report', 'doubling'], prog_name='grader')\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "heavy = {'jax', 'numpy', 'sqlalchemy', 'celery', 'jinja2', 'fastapi', 'starlette'}\n"
        "heavy &= set(sys.modules)\n"
        "sys.exit(f'imported {sorted(heavy)}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "5 of 5 points" in done.stdout


@pytest.mark.parametrize(
    "words, offered",
    [
        ("grader submit x.py --assignment dou", "doubling"),
        ("grader course show j", "jax"),
        ("grader assignment dates d", "doubling"),
        ("grader review clusters d", "doubling"),
        ("grader review queue --code prng.key_re", "prng.key_reused"),
        ("grader review queue --verdict timed", "timed_out"),
    ],
)
def test_the_shell_completes_names_that_the_server_knows(shell: Terminal, words: str, offered: str) -> None:
    shell.log_in("ada")
    assert offered in completed(words)


def test_the_shell_completes_nothing_and_says_nothing_where_nobody_is_logged_in(shell: Terminal) -> None:
    assert completed("grader course show j").strip() == ""
    assert shell.url


def completed(words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "grader.cli"],
        env={
            **os.environ,
            "_GRADER_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout
