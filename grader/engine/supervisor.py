"""The engine as its users see it: one warm examiner, restarted when it died, one grading at a time."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

import grader
from grader.domain import stored
from grader.domain.errors import AssignmentInvalid, EngineFault, ProtocolViolation, SealUnavailable
from grader.domain.results import AttemptResult, CheckResult, Environment, Progress, Stage
from grader.domain.rubric import Assignment, CheckSpec, Limits, Rubric
from grader.domain.student_bundle import Recorded
from grader.domain.submission import Notice, SubmittedFiles
from grader.domain.verdicts import Visibility
from grader.engine import wire
from grader.engine.demands import Demands
from grader.engine.protocol import Channel, ChannelClosed, Message
from grader.engine.report import unfinished

log = logging.getLogger(__name__)

START_LIMIT_S = 120.0
COLLECT_LIMIT_S = 120.0
GRACE_S = 60.0
"""What an attempt may take beyond its own limit before the examiner itself is given up."""
_VISIBLE = frozenset({Visibility.VISIBLE})
_PATIENCE = 6
"""How much longer than a submission the solution may take while its answers are recorded."""


def _ignore(_: Progress) -> None:
    return


def _patient(limits: Limits) -> Limits:
    whole = limits.attempt_s * _PATIENCE
    return replace(limits, check_s=whole, attempt_s=whole)


class Engine:
    """Grades submissions on this machine. Owns a warm examiner and, through it, every process of a grading.

    Usable from several threads; gradings run one after the other. Leaving the context ends all processes.
    """

    def __init__(self, *, sealed: bool | None = None) -> None:
        self._wanted = sealed
        self._examiner: _ExaminerProcess | None = None
        self._lock = threading.Lock()
        self._rubrics: dict[tuple[str, str], Rubric] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def sealed(self) -> bool:
        """Whether submissions run sealed off here. Starts the engine if need be."""
        with self._lock:
            return bool(self._running().description["sealed"])

    def start(self) -> None:
        """Warm up; otherwise the first grading does. SealUnavailable if a demanded layer is missing."""
        with self._lock:
            self._running()

    def rubric(self, assignment: Assignment) -> Rubric:
        """The checks an assignment's suite declares; AssignmentInvalid if it cannot be collected."""
        key = (str(assignment.root), assignment.version)
        with self._lock:
            if key not in self._rubrics:
                request = Message(kind="collect", data={"assignment": wire.dump_assignment(assignment)})
                answer = self._ask(assignment, request)
                checks = tuple(stored.load_spec(spec) for spec in answer.data["checks"])
                self._rubrics[key] = Rubric(checks=checks)
            return self._rubrics[key]

    def grade(
        self,
        files: SubmittedFiles,
        assignment: Assignment,
        *,
        seed: str,
        on_progress: Callable[[Progress], None] = _ignore,
        only: frozenset[Visibility] | None = None,
    ) -> AttemptResult:
        """One attempt. What is wrong with the submission is in the result; an exception is never its fault.

        `seed` decides every drawn input. `only` limits the checks to some visibilities. If the examiner dies,
        the checks it had judged stand and the others are not graded.
        """
        grading, began = _Grading(on_progress), time.monotonic()
        about = self._run("grade", grading, files, assignment, seed=seed, only=only)
        return grading.result(files, assignment, seed=seed, seconds=time.monotonic() - began, about=about)

    def record(self, solution: SubmittedFiles, assignment: Assignment, *, seed: str) -> Recorded:
        """The answers to what visible checks ask, and might ask, of the solution, with the inputs of a seed.

        The solution is graded meanwhile: what it does not pass cannot be handed out. As the answers take
        their time, it may take more than a submission. EngineFault if the examiner dies.
        """
        assignment = replace(assignment, limits=_patient(assignment.limits))
        grading, began = _Grading(_ignore), time.monotonic()
        about = self._run("record", grading, solution, assignment, seed=seed, only=_VISIBLE)
        result = grading.result(
            solution, assignment, seed=seed, seconds=time.monotonic() - began, about=about
        )
        return grading.recorded(result)

    def _run(
        self,
        kind: str,
        grading: _Grading,
        files: SubmittedFiles,
        assignment: Assignment,
        *,
        seed: str,
        only: frozenset[Visibility] | None,
    ) -> dict[str, Any]:
        """Have the examiner run the suite, and `grading` take what it says. Answers where that was."""
        request = Message(
            kind=kind,
            data={
                "assignment": wire.dump_assignment(assignment),
                "files": wire.dump_files(files),
                "seed": seed,
                "only": wire.dump_only(only),
            },
        )
        with self._lock:
            examiner = self._running()
            try:
                with examiner.deadline(assignment.limits.attempt_s + GRACE_S):
                    examiner.channel.send(request)
                    while not grading.take(examiner.channel.receive()):
                        continue
            except (ChannelClosed, ProtocolViolation) as exc:
                self._drop()
                if not grading.expected:
                    raise EngineFault("the examiner ended before the attempt began") from exc
            except (AssignmentInvalid, SealUnavailable, EngineFault):
                raise  # told by the examiner, which is ready for the next request
            except BaseException:
                self._drop()  # in the middle of an attempt: its next answers would be taken for another's
                raise
        return examiner.description

    def close(self) -> None:
        """End every process of the engine. Idempotent."""
        with self._lock:
            self._drop()

    def _ask(self, assignment: Assignment, request: Message) -> Message:
        examiner = self._running()
        try:
            with examiner.deadline(COLLECT_LIMIT_S):
                examiner.channel.send(request)
                answer = examiner.channel.receive()
        except (ChannelClosed, ProtocolViolation) as exc:
            self._drop()
            raise EngineFault(f"the examiner ended while reading the rubric of {assignment.slug}") from exc
        if answer.kind == "refused":
            raise wire.refused(answer)
        return answer

    def _running(self) -> _ExaminerProcess:
        if self._examiner is None or not self._examiner.alive:
            self._drop()
            Demands.from_environment()  # what is wrong with them is told here, where it can be mended
            self._examiner = _ExaminerProcess(sealed=self._wanted)
        return self._examiner

    def _drop(self) -> None:
        if self._examiner is not None:
            self._examiner.close()
            self._examiner = None


class _Grading:
    """The answers to one grading request, as they come in."""

    def __init__(self, on_progress: Callable[[Progress], None]) -> None:
        self.expected: tuple[CheckSpec, ...] = ()
        self._on_progress = on_progress
        self._judged: dict[str, CheckResult] = {}
        self._final: dict[str, Any] | None = None
        self._blobs: tuple[bytes, ...] = ()
        self._lost = "the examiner ended during the attempt"

    def take(self, message: Message) -> bool:
        """Take one message; true for the last."""
        data = message.data
        match message.kind:
            case "expecting":
                self.expected = tuple(stored.load_spec(spec) for spec in data["checks"])
                self._tell(Stage.LOADING)
            case "started":
                self._tell(Stage.CHECKING, check_id=data["check"])
            case "judged":
                self._judged[data["check"]] = stored.load_check(data["result"])
            case "graded":
                self._tell(Stage.SCORING)
                self._final, self._blobs = dict(data), message.blobs
                return True
            case "refused":
                if not self.expected:
                    raise wire.refused(message)
                self._lost = f"the examiner gave up during the attempt: {data['message']}"
                return True
        return False

    def _tell(self, stage: Stage, *, check_id: str | None = None) -> None:
        progress = Progress(stage=stage, check_id=check_id, done=len(self._judged), total=len(self.expected))
        try:
            self._on_progress(progress)
        except Exception:  # boundary: whoever watches may fail, the attempt goes on unwatched
            log.exception("progress can no longer be told; the attempt goes on")
            self._on_progress = _ignore

    def result(
        self,
        files: SubmittedFiles,
        assignment: Assignment,
        *,
        seed: str,
        seconds: float,
        about: dict[str, Any],
    ) -> AttemptResult:
        """The attempt's result; without a final answer, what was judged stands and the rest is not graded."""
        final = self._final or {
            "output": "", "flags": [], "notices": [], "cost": {}, "layers": about["layers"],
        }  # fmt: skip
        if self._final is not None:
            results = tuple(stored.load_check(check) for check in self._final["results"])
        else:
            results = tuple(
                self._judged.get(spec.id) or unfinished(spec, self._lost) for spec in self.expected
            )
        return AttemptResult(
            assignment=assignment.slug,
            version=assignment.version,
            rubric=Rubric(checks=self.expected),
            results=results,
            environment=Environment(
                jax=about["jax"],
                jaxlib=about["jaxlib"],
                numpy=about["numpy"],
                python=about["python"],
                device=about["device"],
                layers=tuple(final["layers"]),
            ),
            seed=seed,
            notices=(*files.notices, *(Notice(**notice) for notice in final["notices"])),
            flags=tuple(final["flags"]),
            output=final["output"],
            seconds=seconds,
            cost=final["cost"],
        )

    def recorded(self, result: AttemptResult) -> Recorded:
        """What was written down, where that was asked for."""
        if self._final is None:
            raise EngineFault(f"the answers of {result.assignment} were not recorded: {self._lost}")
        return Recorded(result=result, answers=self._blobs[0], withheld=self._final["withheld"])


class _ExaminerProcess:
    """A running examiner: exec'ed clean, its standard streams the channel, its errors kept for staff."""

    def __init__(self, *, sealed: bool | None) -> None:
        choice = {True: ["--sealed"], False: ["--unsealed"], None: []}[sealed]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "grader.engine.examiner", *choice],
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
        )
        reader = cast("Any", self._process.stdout)
        self.channel = Channel(reader, cast("Any", self._process.stdin))
        self.description: dict[str, Any] = {}
        try:
            with self.deadline(START_LIMIT_S):
                first = self.channel.receive()
        except (ChannelClosed, ProtocolViolation) as exc:
            raise EngineFault(f"the examiner did not start: {self._last_error()}") from exc
        except BaseException:
            self.close()
            raise
        if first.kind != "ready":
            self.close()
            raise wire.refused(first)
        self.description = dict(first.data)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Kill the examiner if the block lasts longer; its channel then reports ChannelClosed."""
        timer = threading.Timer(seconds, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def close(self) -> None:
        """End it; whatever runs below it notices and ends too."""
        self._end()
        self._errors.close()

    def _end(self) -> None:
        self.channel.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _last_error(self) -> str:
        """End a process that did not come up, and tell the last line it wrote."""
        self._end()
        errors: IO[bytes] = self._errors
        errors.seek(0)
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
        errors.close()
        return lines[-1] if lines else f"exit code {self._process.returncode}"


def _environment() -> dict[str, str]:
    """Ours, and where this package lies: what happens to lie in the working folder is not imported."""
    home = str(Path(grader.__file__).parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join((home, inherited) if inherited else (home,))}
