"""Every case of the list has a test here that carries its name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

CASES = """
g9_attempt_limit_race g9_cors_reflection g9_csrf_submit g9_csv_export_formula g9_deadline_race
g9_deadline_timezone g9_debug_pages g9_double_submit g9_enumeration g9_export_other_course
g9_hidden_fields_leak g9_host_header g9_idor_course g9_idor_read_report g9_idor_read_submission g9_json_bombs
g9_jwt_none g9_late_result_replay g9_mass_assign_role g9_mass_assign_score g9_open_redirect
g9_password_login_bruteforce g9_path_param_tricks g9_rate_limit_bypass g9_redis_exposure g9_regrade_race
g9_report_format_confusion g9_result_callback_forgery g9_search_regex_dos g9_session_fixation
g9_sql_injection g9_ssrf_import g9_stale_session_after_drop g9_ta_scope g9_task_injection g9_token_in_url
g9_unpublished_assignment g9_upload_content_type_lie g9_upload_name_traversal g9_upload_oversize
g9_webhook_replay g9_xss_everywhere
""".split()


def names_here() -> list[str]:
    folder = Path(__file__).parent
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.glob("test_*.py")]
    return [node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("case", CASES)
def test_the_case_has_a_test(case: str) -> None:
    assert [name for name in names_here() if name.startswith(f"test_{case}_")]


def test_the_list_is_whole() -> None:
    named = {name for name in names_here() if name.startswith("test_g9_")}
    assert len(CASES) == 42
    assert [name for name in named if not name.startswith(tuple(f"test_{case}_" for case in CASES))] == []
