from __future__ import annotations

from pathlib import Path

import pytest
from celery import Celery

from grader.domain.attempts import Lane, Queue
from grader.domain.errors import ConfigurationInvalid
from grader.services.settings import Settings
from workers.app import HARD_LIMIT_S, VISIBILITY_TIMEOUT_S, lanes_of, make_app, queue_name


@pytest.fixture
def app(tmp_path: Path) -> Celery:
    settings = Settings(home=tmp_path, database_url="sqlite:///x.db", broker_url="redis://localhost/0")
    return make_app(settings)


def test_settings_are_such_that_a_workers_death_loses_nothing(app: Celery) -> None:
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
    assert app.conf.worker_prefetch_multiplier == 1


def test_only_json_is_accepted(app: Celery) -> None:
    assert app.conf.accept_content == ["json"]
    assert (app.conf.task_serializer, app.conf.result_serializer) == ("json", "json")


def test_nobody_who_reaches_the_broker_commands_the_workers(app: Celery) -> None:
    assert not app.conf.worker_enable_remote_control


def test_every_queue_has_a_lane_of_each_kind_interactive_first(app: Celery) -> None:
    assert lanes_of(Queue.CPU) == ["cpu.interactive", "cpu.bulk"]
    assert set(app.amqp.queues) == {queue_name(queue, lane) for queue in Queue for lane in Lane}
    assert app.conf.broker_transport_options["queue_order_strategy"] == "priority"


def test_a_message_to_a_queue_that_does_not_exist_is_refused(app: Celery) -> None:
    with pytest.raises(KeyError, match=r"gpu\.express"):
        app.send_task("x", queue="gpu.express", retry=False)


def test_the_transport_repeats_a_message_later_than_any_attempt_lasts() -> None:
    assert VISIBILITY_TIMEOUT_S > HARD_LIMIT_S


def test_an_app_without_a_broker_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationInvalid, match="GRADER_BROKER_URL"):
        make_app(Settings(home=tmp_path, database_url="sqlite:///x.db"))
