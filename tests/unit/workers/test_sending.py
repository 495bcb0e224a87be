from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest
import redis

from grader.domain.attempts import Lane, Queue
from grader.domain.errors import BrokerUnavailable
from grader.services.embedded import EmbeddedValkey
from grader.services.ports import Message
from grader.services.settings import Settings
from workers.sending import open_sender

MESSAGE = Message(attempt_id=uuid4(), queue=Queue.GPU, lane=Lane.BULK, time_limit_s=123.0)


def settings(home: Path, broker_url: str) -> Settings:
    return Settings(home=home, database_url="sqlite:///x.db", broker_url=broker_url)


def test_a_message_lands_in_its_lane_and_carries_an_id_and_a_limit_only(tmp_path: Path) -> None:
    with EmbeddedValkey() as valkey:
        with open_sender(settings(tmp_path, valkey.url)) as send:
            send(MESSAGE)
        client = redis.Redis(unix_socket_path=valkey.url.removeprefix("redis+socket://"))
        [raw] = client.lrange("gpu.bulk", 0, -1)
        client.close()
    envelope = json.loads(raw)
    assert envelope["headers"]["task"] == "grader.run_attempt"
    assert envelope["headers"]["timelimit"] == [123.0, None]
    assert envelope["headers"]["argsrepr"] == f"['{MESSAGE.attempt_id}']"
    assert envelope["content-type"] == "application/json"


def test_messages_still_arrive_after_the_broker_lost_everything(tmp_path: Path) -> None:
    with EmbeddedValkey() as valkey, open_sender(settings(tmp_path, valkey.url)) as send:
        client = redis.Redis(unix_socket_path=valkey.url.removeprefix("redis+socket://"))
        send(MESSAGE)
        client.flushall()
        send(MESSAGE)
        assert client.llen("gpu.bulk") == 1
        client.close()


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "redis+socket:///nowhere/valkey.sock"])
def test_a_broker_that_is_away_is_reported_as_that(tmp_path: Path, url: str) -> None:
    with (
        open_sender(settings(tmp_path, url)) as send,
        pytest.raises(BrokerUnavailable, match="does not take"),
    ):
        send(MESSAGE)
