from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.domain.errors import ConfigurationInvalid
from workers.options import Options, app_settings, message_options, task_options, transport_options


@pytest.mark.parametrize(
    "check, right, misspelt",
    [
        (app_settings, "task_acks_late", "task_ack_late"),
        (app_settings, "worker_prefetch_multiplier", "worker_prefetch_multiplyer"),
        (transport_options, "visibility_timeout", "visibility_time_out"),
        (task_options, "ignore_result", "ignore_results"),
        (message_options, "time_limit", "time_limits"),
        (message_options, "queue", "queues"),
    ],
)
def test_a_misspelt_option_is_refused_and_the_right_one_named(
    check: Callable[..., Options], right: str, misspelt: str
) -> None:
    assert check(**{right: 1}) == {right: 1}
    with pytest.raises(ConfigurationInvalid, match=f"Did you mean '{right}'"):
        check(**{misspelt: 1})


def test_a_setting_in_celerys_old_spelling_is_refused() -> None:
    with pytest.raises(ConfigurationInvalid):
        app_settings(CELERY_ACKS_LATE=True)
