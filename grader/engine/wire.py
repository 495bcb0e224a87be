"""Assignments, files and results between the engine and its examiner: plain JSON, both sides trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.domain.errors import AssignmentInvalid, EngineFault, GraderError, SealUnavailable
from grader.domain.rubric import Assignment, FunctionSpec, Limits
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.domain.verdicts import Visibility
from grader.engine.protocol import Message


def refusal(error: GraderError) -> Message:
    """The examiner's answer to what it cannot do: the error, its words and its parts."""
    parts = {name: str(value) for name, value in vars(error).items()}
    return Message(
        kind="refused", data={"error": type(error).__name__, "message": str(error), "parts": parts}
    )


def refused(message: Message) -> GraderError:
    """The error that `refusal` sent, as the engine raises it."""
    parts: Mapping[str, str] = message.data["parts"]
    match message.data["error"]:
        case "AssignmentInvalid":
            return AssignmentInvalid(Path(parts["path"]), parts["problem"], parts["remedy"])
        case "SealUnavailable":
            return SealUnavailable(parts["layer"], parts["reason"], parts["remedy"])
        case _:
            return EngineFault(str(message.data["message"]))


def dump_assignment(assignment: Assignment) -> dict[str, Any]:
    """What the examiner needs of an assignment."""
    return {
        "slug": assignment.slug,
        "title": assignment.title,
        "version": assignment.version,
        "root": str(assignment.root),
        "entry": assignment.entry,
        "functions": [{"name": spec.name, "static": list(spec.static)} for spec in assignment.functions],
        "limits": asdict(assignment.limits),
        "queue": assignment.queue,
        "answers": assignment.answers,
    }


def load_assignment(data: Mapping[str, Any]) -> Assignment:
    """The assignment as `dump_assignment` wrote it."""
    return Assignment(
        slug=data["slug"],
        title=data["title"],
        version=data["version"],
        root=Path(data["root"]),
        entry=data["entry"],
        functions=tuple(
            FunctionSpec(name=spec["name"], static=tuple(spec["static"])) for spec in data["functions"]
        ),
        limits=Limits(**data["limits"]),
        queue=data["queue"],
        answers=data["answers"],
    )


def dump_files(files: SubmittedFiles) -> dict[str, Any]:
    """The submitted texts; notices stay with the caller."""
    return {"entry": files.entry, "files": {file.name: file.text for file in files.files}}


def load_files(data: Mapping[str, Any]) -> SubmittedFiles:
    """The texts as `dump_files` wrote them."""
    files = tuple(SourceFile(name=name, text=text) for name, text in data["files"].items())
    return SubmittedFiles(entry=data["entry"], files=files)


def dump_only(only: frozenset[Visibility] | None) -> list[str] | None:
    """The visibilities asked for; None for all."""
    return None if only is None else sorted(visibility.value for visibility in only)


def load_only(data: list[str] | None) -> frozenset[Visibility] | None:
    """The visibilities as `dump_only` wrote them."""
    return None if data is None else frozenset(Visibility(value) for value in data)
