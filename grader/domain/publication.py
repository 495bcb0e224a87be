"""Where the publication of an uploaded assignment folder stands."""

from __future__ import annotations

from enum import StrEnum


class PublicationState(StrEnum):
    """From the upload to a version that students can hand in to, or to the reason why there is none."""

    QUEUED = "queued"
    RUNNING = "running"
    """A worker grades the solution, the starter and the mutants."""
    PUBLISHED = "published"
    UNCHANGED = "unchanged"
    """The folder equals the newest version; nothing was published."""
    REFUSED = "refused"
    """The gate stayed shut: something does not grade as the manifest declares."""
    BROKEN = "broken"
    """The suite cannot be run, or the grader failed; the problem says which."""

    @property
    def final(self) -> bool:
        return self not in (PublicationState.QUEUED, PublicationState.RUNNING)
