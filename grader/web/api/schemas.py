"""What bodies and answers of the API derive from."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from grader.web.numbers import points

Points = Annotated[
    float, BeforeValidator(lambda value: points(value) if isinstance(value, Fraction) else value)
]
"""Exact points or shares of ours, told as a number."""


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
