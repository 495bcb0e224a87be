"""From an exception in student code to a catalogue code, at the student's own line."""

from __future__ import annotations

import re

from grader.domain.results import Evidence, EvidenceKind, JsonValue
from grader.domain.submission import SubmittedFiles
from grader.domain.text import one_line
from grader.domain.verdicts import Verdict
from grader.engine.session import Fault, Frame, LoadFailed, SubmissionEnded
from rubrics.failures import CheckFailed
from rubrics.known_errors import code_of
from rubrics.source import Source


def leaked(fault: Fault) -> bool:
    """Whether an exception comes from a tracer that an earlier trace of the submission left behind."""
    return code_of(fault) == "jit.unexpected_tracer"


_CREATED = re.compile(r"was created on line (?P<file>[^\s:]+):(?P<line>\d+)")
"""Where JAX says that the tracer came from: there is the fault, the exception shows where it hurts."""


def _frame_of(fault: Fault, files: SubmittedFiles) -> Frame | None:
    created = _CREATED.search(fault.text) if leaked(fault) else None
    if created is not None and any(created["file"] == file.name for file in files.files):
        return Frame(file=created["file"], line=int(created["line"]))
    return fault.frame


def raised(
    function: str | None, fault: Fault, files: SubmittedFiles, *, evidence: tuple[Evidence, ...] = ()
) -> CheckFailed:
    """The failure that an exception in student code stands for."""
    frame = _frame_of(fault, files)
    source = "" if frame is None else line_of(files, frame.file, frame.line)
    params: dict[str, JsonValue] = {
        "function": function or "",
        "error": fault.type,
        "text": one_line(fault.text, 300),
        "source": source,
    }
    return CheckFailed(
        _code_at(source, fault),
        params,
        file=None if frame is None else frame.file,
        line=None if frame is None else frame.line,
        evidence=(error_evidence(fault, files), *evidence),
    )


_OF_AXES = re.compile(r"\baxis\b|\bshape\b")


def _code_at(source: str, fault: Fault) -> str:
    """The code of an exception, of which some words mean one thing on one line and another on the next."""
    code = code_of(fault)
    if code == "call.missing_rule" and "NotImplementedError" in source:
        return "submission.not_implemented"  # the starter's own statement, whatever it says
    if code == "call.raised" and fault.text == "tuple index out of range" and _OF_AXES.search(source):
        return (
            "call.no_such_axis"  # `mean` and `std` count axes so, and so does whoever asks for `x.shape[2]`
        )
    return code


def error_evidence(fault: Fault, files: SubmittedFiles) -> Evidence:
    """The exception with the frames in submitted code."""
    frames: list[JsonValue] = [
        {"line": frame.line, "function": frame.function, "text": line_of(files, frame.file, frame.line)}
        for frame in fault.frames
    ]
    return Evidence(
        kind=EvidenceKind.ERROR, data={"type": fault.type, "text": fault.text[:600], "frames": frames}
    )


def ended(exc: SubmissionEnded, files: SubmittedFiles, *, memory_mib: int) -> CheckFailed:
    """The failure that the end of a process stands for."""
    code = {
        Verdict.TIMED_OUT: "call.timed_out",
        Verdict.OUT_OF_MEMORY: "call.out_of_memory",
    }.get(exc.verdict, "call.died")
    params: dict[str, JsonValue] = {
        "function": exc.function or "",
        "limit": _memory(memory_mib),
    }
    if exc.limit is not None:
        params["seconds"] = round(exc.limit)
    frame = exc.frame
    if frame is None and exc.verdict is Verdict.TIMED_OUT and exc.function:
        frame = _suspected_loop(files, exc.function)
    return _at(frame, code, params, files, exc.verdict)


def _suspected_loop(files: SubmittedFiles, function: str) -> Frame | None:
    """The loop of a function that was stopped where no line of it ran, inside a program or a library."""
    spot = Source(files).structured_loop(function)
    return None if spot is None else Frame(file=spot.file, line=spot.line, function=function)


def _at(
    frame: Frame | None,
    code: str,
    params: dict[str, JsonValue],
    files: SubmittedFiles,
    verdict: Verdict,
) -> CheckFailed:
    if frame is None:
        return CheckFailed(code, params, verdict=verdict)
    params["source"] = line_of(files, frame.file, frame.line)
    return CheckFailed(code, params, file=frame.file, line=frame.line, verdict=verdict)


def load_failed(exc: LoadFailed, files: SubmittedFiles, *, memory_mib: int) -> CheckFailed:
    """The failure of every check of a submission that cannot be loaded."""
    if exc.fault is None:
        code = {
            Verdict.TIMED_OUT: "submission.load_timed_out",
            Verdict.OUT_OF_MEMORY: "submission.load_out_of_memory",
        }.get(exc.verdict, "submission.load_died")
        params: dict[str, JsonValue] = {"limit": _memory(memory_mib)}
        if exc.limit is not None:
            params["seconds"] = round(exc.limit)
        return _at(exc.frame, code, params, files, exc.verdict)
    fault, frame = exc.fault, exc.fault.frame
    params = {"error": fault.type, "text": one_line(fault.text, 300), "module": fault.name}
    if frame is not None:
        params["source"] = line_of(files, frame.file, frame.line)
    return CheckFailed(
        _load_code(fault),
        params,
        file=None if frame is None else frame.file,
        line=None if frame is None else frame.line,
        evidence=(error_evidence(fault, files),),
    )


def _load_code(fault: Fault) -> str:
    kinds = {fault.type, *fault.bases}
    if "SyntaxError" in kinds:
        return "submission.syntax_error"
    if "ImportError" in kinds:
        return "submission.import_error"
    return "submission.load_crashed"


def line_of(files: SubmittedFiles, file: str, line: int) -> str:
    """The text of one submitted line, stripped; empty if there is none."""
    try:
        return files.text_of(file).split("\n")[line - 1].strip()[:200]
    except (KeyError, IndexError):
        return ""


def _memory(mib: int) -> str:
    return f"{mib / 1024:g} GiB" if mib >= 1024 else f"{mib} MiB"  # noqa: PLR2004 - MiB in a GiB
