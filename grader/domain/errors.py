"""Every error this product raises on purpose: one tree, each class carrying its data.

`GraderError` messages are written for the person who reads them: what is wrong, where, and how to mend it.
Command line and web show them as they are; anything else that escapes is our own fault.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from grader.domain.moments import duration_words


class GraderError(Exception):
    """Root of the tree; its message may be shown to a user."""


class UploadRefused(GraderError):
    """An upload that cannot be accepted. Costs the student no attempt."""

    def __init__(self, code: str, name: str, problem: str, remedy: str) -> None:
        super().__init__(f"{name}: {problem} {remedy}".strip())
        self.code, self.name, self.problem, self.remedy = code, name, problem, remedy


class AssignmentInvalid(GraderError):
    """An assignment folder that cannot be used: where, what, and how to mend it."""

    def __init__(self, path: Path, problem: str, remedy: str = "") -> None:
        super().__init__(f"{path}: {problem} {remedy}".strip())
        self.path, self.problem, self.remedy = path, problem, remedy


class SealUnavailable(GraderError):
    """A layer of the seal that the policy demands is missing on this machine; nothing is graded."""

    def __init__(self, layer: str, reason: str, remedy: str = "") -> None:
        super().__init__(f"the seal's layer {layer!r} is not available: {reason} {remedy}".strip())
        self.layer, self.reason, self.remedy = layer, reason, remedy


class EngineFault(GraderError):
    """A trusted process (examiner, zygote, bench) failed: never the student's fault."""


class EngineUnavailable(EngineFault):
    """The engine cannot be opened on this machine: its worker must take no attempts."""


class ProtocolViolation(EngineFault):
    """A peer sent bytes that are not a frame of the protocol, or a frame over its limits."""


class BenchFault(EngineFault):
    """The bench was asked something it cannot answer, or failed in its own code."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"the bench gave no answer ({code}): {detail}")
        self.code, self.detail = code, detail


class ProgramRefused(GraderError):
    """An exported program that the bench will not run; `code` is one of the bench's refusals."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"the exported program was not accepted ({code}): {detail}")
        self.code, self.detail = code, detail


class ProgramFailed(GraderError):
    """An accepted program that did not compile, or failed while running."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"the exported program gave no result ({code}): {detail}")
        self.code, self.detail = code, detail


class NotFound(GraderError):
    """Something named by a user does not exist."""

    def __init__(self, kind: str, name: str, remedy: str = "") -> None:
        super().__init__(f"no {kind} named {name!r}. {remedy}".strip())
        self.kind, self.name, self.remedy = kind, name, remedy


class LinkUnusable(NotFound):
    """A link by which somebody should come in, but which opens nothing (any more)."""

    def __init__(self) -> None:
        super().__init__("invitation", "this link")
        words = "it has been used already, has expired, or was taken back. Ask whoever sent it for another."
        self.args = (f"this link cannot be used: {words}",)


class NotAllowed(GraderError):
    """The person asking may not do this."""


class Conflict(GraderError):
    """What was asked contradicts what has been done already."""


class BrokerUnavailable(GraderError):
    """The message broker cannot be reached. Nothing is lost: the outbox keeps what it was to be told."""


class ServiceUnavailable(GraderError):
    """Another server that this one needs is away or makes no sense; the caller may try again later."""


class ConfigurationInvalid(GraderError):
    """A setting that cannot be used."""

    def __init__(self, setting: str, problem: str, remedy: str = "") -> None:
        super().__init__(f"{setting}: {problem} {remedy}".strip())
        self.setting, self.problem, self.remedy = setting, problem, remedy


class NoDatabaseYet(GraderError):
    """The node's database file has not been made; nothing is wrong with the settings."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"there is no database yet: {path} does not exist. `grader up` makes it and runs everything on "
            "this machine; `grader db upgrade` makes it alone. Where your course has a server, log in to "
            "that: `grader login URL`."
        )
        self.path = path


class StoredResultInvalid(GraderError):
    """A stored result that cannot be read back."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"a stored result cannot be read: {problem}. Grade the submission again to replace it."
        )
        self.problem = problem


class InvalidInput(GraderError):
    """Something typed or sent that cannot be used: which field, what is wrong with it, how to mend it."""

    def __init__(self, field: str, problem: str, remedy: str = "") -> None:
        super().__init__(f"{field}: {problem} {remedy}".strip())
        self.field, self.problem, self.remedy = field, problem, remedy


class NotLoggedIn(GraderError):
    """Nobody is logged in, or the name, the password, the token or the session is not valid (any more)."""


class TooManyRequests(GraderError):
    """Asked too often; may be asked again after `retry_after_s` seconds."""

    def __init__(self, what: str, *, retry_after_s: float) -> None:
        wait = duration_words(timedelta(seconds=max(1.0, retry_after_s)))
        super().__init__(f"{what} Try again in {wait}.")
        self.retry_after_s = retry_after_s


class SubmissionClosed(Conflict):
    """The assignment takes no more submissions from this student: it has closed, or the limit is reached."""


class EditConflict(Conflict):
    """The same thing has been changed meanwhile; `seen` and `current` are its versions."""

    def __init__(self, what: str, *, seen: int, current: int) -> None:
        if seen > current:
            words = (
                f"{what}: there is no version {seen} yet, now it is {current}. Look at it, and name the "
                "version that you saw."
            )
        else:
            words = (
                f"{what} was changed since you opened it (you saw version {seen}, now it is {current}). "
                "Nothing was overwritten. Load it again, and repeat your change."
            )
        super().__init__(words)
        self.seen, self.current = seen, current


class ReceiptInvalid(GraderError):
    """A receipt that proves nothing, and precisely why."""


class ServerRefused(GraderError):
    """What a server says against a request of ours: its status, a code for programs, and how to mend it."""

    def __init__(self, *, status: int, code: str, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".strip())
        self.status, self.code, self.remedy = status, code, remedy


class ServerFailed(ServiceUnavailable):
    """A server that cannot be reached, failed by its own fault, or gave an answer that makes no sense."""
