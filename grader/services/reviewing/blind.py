"""Reading without knowing whose work it is: pseudonyms, a shuffled order, and names covered in what is shown.

Each reader has their own pseudonyms and order in each course, always the same ones: derived from the server's
secret, never stored. What somebody wrote can name them too (in a file's name, a comment, a print), so their
name, login, address and number are covered there as well (`grader.services.reviewing.naming`).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any, TypeVar
from uuid import UUID

from grader.domain.results import AttemptResult, CheckResult, Evidence
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.services.access import Seat
from grader.services.reviewing.naming import SHORTEST_PART, covered, naming

Json = TypeVar("Json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Blind:
    """One reader's blindness in one course."""

    key: bytes

    def pseudonym(self, user_id: UUID) -> str:
        """What a student is called, such as "Student K7Q-2MX"."""
        letters = base64.b32encode(self._digest(b"name", user_id)).decode()[:6]
        return f"Student {letters[:3]}-{letters[3:]}"

    def order(self, submission_id: UUID) -> str:
        """Where a submission comes in the shuffled order."""
        return self._digest(b"order", submission_id).hex()

    def _digest(self, purpose: bytes, subject: UUID) -> bytes:
        return hmac.digest(self.key, purpose + subject.bytes, hashlib.sha256)


def require_blindness(seat: Seat, blind: Blind | None) -> None:
    """NotAllowed where names are hidden from the seat, and the reader was not made blind."""
    if blind is None:
        seat.require_names()


def blind_for(secret: bytes, *, reader_id: UUID, course_id: UUID) -> Blind:
    """The blindness of that reader in that course."""
    return Blind(key=hmac.digest(secret, b"blind" + reader_id.bytes + course_id.bytes, hashlib.sha256))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """Covers what names one person; without a pattern it covers nothing."""

    pattern: re.Pattern[str] | None = None

    def text(self, text: str) -> str:
        """The text with names covered; lines stay lines."""
        return text if self.pattern is None else covered(text, self.pattern)

    def file(self, name: str) -> str:
        """A file's name, covered; its ending stays, since it decides how the file is read."""
        stem, dot, ending = name.rpartition(".")
        return f"{self.text(stem)}{dot}{ending}" if dot else self.text(name)

    def files(self, source: SubmittedFiles) -> SubmittedFiles:
        """The source with names covered. Files whose names would become one are numbered."""
        if self.pattern is None:
            return source
        names = self.names(source)
        return SubmittedFiles(
            entry=names.get(source.entry, source.entry),
            files=tuple(
                SourceFile(name=names[file.name], text=self.text(file.text)) for file in source.files
            ),
            notices=tuple(replace(notice, message=self.text(notice.message)) for notice in source.notices),
        )

    def names(self, source: SubmittedFiles) -> Mapping[str, str]:
        """What each file of the source is shown as."""
        shown: dict[str, str] = {}
        for file in source.files:
            name = self.file(file.name)
            numbered = (f"{number}-{name}" for number in count(len(shown) + 1))
            taken = frozenset(shown.values())
            shown[file.name] = next(each for each in chain([name], numbered) if each not in taken)
        return shown

    def result(self, result: AttemptResult, source: SubmittedFiles) -> AttemptResult:
        """The result with names covered in what the submission says of itself."""
        if self.pattern is None:
            return result
        names = self.names(source)
        return replace(
            result,
            results=tuple(self._check(check, names) for check in result.results),
            notices=tuple(replace(notice, message=self.text(notice.message)) for notice in result.notices),
            flags=tuple(self.text(flag) for flag in result.flags),
            output=self.text(result.output),
        )

    def _check(self, check: CheckResult, names: Mapping[str, str]) -> CheckResult:
        feedback = check.feedback
        if feedback is not None:
            file = feedback.file
            feedback = replace(
                feedback,
                params=self._json(dict(feedback.params)),
                file=None if file is None else names.get(file, self.file(file)),
            )
        return replace(
            check,
            feedback=feedback,
            evidence=tuple(
                Evidence(kind=item.kind, data=self._json(dict(item.data))) for item in check.evidence
            ),
            flags=tuple(self.text(flag) for flag in check.flags),
        )

    def _json(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self._json(item) for item in value]
        if isinstance(value, Mapping):
            return {key: self._json(item) for key, item in value.items()}
        return value


OPEN = Mask()
"""Covers nothing."""


def mask_for(*, name: str, login: str, email: str | None = None, number: str | None = None) -> Mask:
    """What covers one person: name (whole and in parts), login, address and university's number.

    >>> mask_for(name="Ada Lovelace", login="al1815").text("# Lovelace wrote ada_lovelace.py; AL1815 adapts")
    '# ••• wrote •••.py; ••• adapts'
    """
    mailbox = (email or "").partition("@")[0]
    words = (login, email or "", mailbox if len(mailbox) >= SHORTEST_PART else "", number or "")
    pattern = naming(name, words=words)
    return OPEN if pattern is None else Mask(pattern=pattern)
