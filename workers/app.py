"""The Celery app: its queues, and settings under which no worker's death loses an attempt.

Each kind of worker (cpu, gpu) has one Celery queue per lane, and takes from them in the lanes' order. A
message carries an attempt's id and is acknowledged late; whether it arrives once, twice or never does not
matter in the end, because the attempt's row decides (`grader.services`).
"""

from __future__ import annotations

from celery import Celery

from grader.domain.attempts import Lane, Queue
from grader.services.settings import Settings
from workers.options import app_settings, transport_options

RUN_ATTEMPT = "grader.run_attempt"
RUN_GATE = "grader.run_gate"

HARD_LIMIT_S = 3600.0
"""For messages that name no limit of their own; every one of ours does."""

VISIBILITY_TIMEOUT_S = 2 * int(HARD_LIMIT_S)
"""When the transport hands an unacknowledged message to another worker: later than any attempt can last, for
it is of no use here. The sweeper has sent a lost attempt's message again within seconds."""


def queue_name(queue: Queue, lane: Lane) -> str:
    """The Celery queue of a lane.

    >>> queue_name(Queue.GPU, Lane.BULK)
    'gpu.bulk'
    """
    return f"{queue.value}.{lane.value}"


def lanes_of(queue: Queue) -> list[str]:
    """The Celery queues of one kind of worker, first lane first."""
    return [queue_name(queue, lane) for lane in Lane]


def make_app(settings: Settings) -> Celery:
    """The app of a node; ConfigurationInvalid where no broker is set."""
    app = Celery("grader", set_as_current=False)
    app.conf.update(
        app_settings(
            broker_url=settings.require_broker(),
            broker_connection_retry_on_startup=True,
            broker_connection_max_retries=None,
            # A process that wants to send learns soon that it cannot; workers try again for ever anyway.
            broker_connection_timeout=2,
            broker_transport_options=transport_options(
                # Lanes are drained in the order in which the worker names them.
                queue_order_strategy="priority",
                visibility_timeout=VISIBILITY_TIMEOUT_S,
                socket_connect_timeout=5,
                socket_timeout=30,
                socket_keepalive=True,
            ),
            task_queues={name: {} for queue in Queue for name in lanes_of(queue)},
            task_default_queue=queue_name(Queue.CPU, Lane.INTERACTIVE),
            task_create_missing_queues=False,
            task_acks_late=True,
            task_reject_on_worker_lost=True,
            task_acks_on_failure_or_timeout=True,
            task_time_limit=HARD_LIMIT_S,
            task_ignore_result=True,
            task_serializer="json",
            result_serializer="json",
            accept_content=["json"],
            worker_prefetch_multiplier=1,
            # Attempts that still run when the broker goes away end in the database all the same.
            worker_cancel_long_running_tasks_on_connection_loss=False,
            # Whoever reaches the broker must not be able to command the workers.
            worker_enable_remote_control=False,
            worker_hijack_root_logger=False,
            worker_redirect_stdouts=False,
            worker_proc_alive_timeout=60.0,
            enable_utc=True,
            timezone="UTC",
        )
    )
    return app
