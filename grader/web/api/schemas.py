"""What bodies and answers of the API derive from."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """What a program sends. A field we do not know is refused: it would be a misspelt one."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=False)


class Answer(BaseModel):
    """What a program gets, made from a service's dataclass with `Answer.model_validate(value)`."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


class ErrorField(BaseModel):
    """A field that cannot be used."""

    field: str
    problem: str


class ErrorDetail(BaseModel):
    """What went wrong; `request_id` finds it in the server's log."""

    code: str
    message: str
    remedy: str | None = None
    fields: list[ErrorField] | None = None
    request_id: str


class Error(BaseModel):
    """The one shape of every error."""

    error: ErrorDetail
