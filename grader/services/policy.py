"""How patient the queue is: leases, retries and repeats, in one typed place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from grader.domain.errors import ConfigurationInvalid

_MOST_DOUBLINGS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePolicy:
    """Durations in seconds.

    A worker that dies is noticed after `lease_s`; a message that the broker lost is sent again after
    `resend_after_s`, then after twice as long, and so on: in a long queue of healthy attempts repeats stay
    few, and each is a harmless no-op.
    """

    lease_s: float = 20.0
    progress_every_s: float = 0.5
    max_tries: int = 3
    retry_delay_s: float = 5.0
    resend_after_s: float = 30.0
    dispatch_every_s: float = 0.2
    sweep_every_s: float = 5.0
    claim_s: float = 30.0
    keep_sent_s: float = 7 * 86400.0

    def __post_init__(self) -> None:
        for name, seconds in (
            ("GRADER_LEASE_S", self.lease_s),
            ("GRADER_RESEND_AFTER_S", self.resend_after_s),
        ):
            if seconds <= 0:
                raise ConfigurationInvalid(name, f"{seconds:g} s is no time; it must be more than 0.")
        if self.max_tries < 1:
            raise ConfigurationInvalid("GRADER_MAX_TRIES", "an attempt needs at least one try.")

    @property
    def heartbeat_every_s(self) -> float:
        """Five beats a lease: four may be late before a healthy worker loses its attempt."""
        return self.lease_s / 5

    def resend_after(self, dispatches: int) -> timedelta:
        """How long after its `dispatches`-th message a queued attempt is taken for forgotten."""
        return timedelta(seconds=self.resend_after_s * 2 ** min(max(dispatches - 1, 0), _MOST_DOUBLINGS))
