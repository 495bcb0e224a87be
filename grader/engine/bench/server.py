"""The bench's loop: one request, one answer. Nothing that goes wrong with a request ends it but death."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from grader.domain.errors import BenchFault, GraderError, ProgramFailed, ProgramRefused
from grader.engine.bench.answers import How, Trouble
from grader.engine.bench.clock import Stages
from grader.engine.bench.evaluation import arrays_for, evaluate, leaves_of
from grader.engine.bench.executables import Executables
from grader.engine.bench.keylog import key_log
from grader.engine.bench.limits import BenchLimits
from grader.engine.bench.programs import Library, Program
from grader.engine.bench.racing import race
from grader.engine.bench.spreading import spread
from grader.engine.bench.text import printable
from grader.engine.layouts import read_layouts
from grader.engine.protocol import Channel, ChannelClosed, Leaf, Message
from grader.engine.statistics import RaceRule

_DETAIL_LENGTH = 300


def serve(channel: Channel) -> None:
    """Answer requests until the examiner hangs up."""
    bench = Bench()
    try:
        while True:
            channel.send(bench.answer(channel.receive()))
    except ChannelClosed:
        return


class Bench:
    """The state that requests share: programs already read and compiled."""

    def __init__(self, limits: BenchLimits | None = None) -> None:
        self._limits = limits or BenchLimits()
        self._library = Library(self._limits)
        self._executables = Executables()
        self._handlers: Mapping[str, Callable[[Message, Stages], Message]] = {
            "inspect": self._inspect,
            "evaluate": self._evaluate,
            "evaluate_spread": self._evaluate_spread,
            "key_log": self._key_log,
            "race": self._race,
        }

    def answer(self, request: Message) -> Message:
        """The answer to one request; never raises."""
        try:
            return self._handlers.get(request.kind, _unknown)(request, Stages())
        except (BenchFault, ProgramFailed) as exc:
            return _error(exc.code, exc.detail, refused=False)
        except ProgramRefused as exc:
            return _error(exc.code, exc.detail, refused=True)
        except GraderError as exc:
            return _error(Trouble.INTERNAL, str(exc), refused=False)
        except Exception as exc:  # noqa: BLE001 - boundary: a request may fail, the bench goes on
            return _error(Trouble.INTERNAL, f"{type(exc).__name__}: {exc}", refused=False)

    def _program(self, request: Message, stages: Stages, position: int = 0) -> Program:
        with stages.timed("read"):
            return self._library.load(request.blobs[position])

    def _inspect(self, request: Message, stages: Stages) -> Message:
        return Message(kind="inspect", data=self._program(request, stages).facts.to_json())

    def _evaluate(self, request: Message, stages: Stages) -> Message:
        sets = split(request.leaves, request.data["sets"])
        with stages.timed("read"):
            shapes = [leaf.shape for leaf in sets[0]] if sets else []
            program = self._library.sized(request.blobs[0], shapes)
        how, outputs = evaluate(
            program, sets, how=How(request.data["how"]), executables=self._executables, stages=stages
        )
        self._check_size(leaf for leaves in outputs for leaf in leaves)
        return Message(
            kind="evaluate",
            data={"how": how.value, "width": len(program.facts.outputs), "cost": stages.seconds()},
            leaves=tuple(leaf for leaves in outputs for leaf in leaves),
        )

    def _evaluate_spread(self, request: Message, stages: Stages) -> Message:
        layouts = read_layouts(request.data["layouts"])
        devices, outputs, places = spread(
            request.blobs[0], request.leaves, layouts, limits=self._limits, stages=stages
        )
        self._check_size(outputs)
        data = {
            "devices": devices, "places": [place.to_json() for place in places], "cost": stages.seconds(),
        }  # fmt: skip
        return Message(kind="evaluate_spread", data=data, leaves=tuple(outputs))

    def _key_log(self, request: Message, stages: Stages) -> Message:
        program = self._program(request, stages)
        log = key_log(
            program,
            arrays_for(program, request.leaves),
            key_inputs=request.data["key_inputs"],
            key_outputs=request.data["key_outputs"],
            stages=stages,
        )
        return Message(kind="key_log", data=log.to_json())

    def _race(self, request: Message, stages: Stages) -> Message:
        names = request.data["names"]
        programs = {name: self._program(request, stages, position) for position, name in enumerate(names)}
        sets = split(request.leaves, request.data["sets"])
        if not sets:
            raise BenchFault(Trouble.BAD_INPUTS, "a race needs inputs")
        placed = [[arrays_for(program, inputs) for inputs in sets] for program in programs.values()]
        result, outputs = race(
            programs,
            placed[0],
            at_least=request.data["at_least"],
            rule=RaceRule(**request.data["rule"]),
            executables=self._executables,
            stages=stages,
        )
        leaves = {name: leaves_of(programs[name], arrays) for name, arrays in outputs.items()}
        self._check_size(leaf for lane in leaves.values() for leaf in lane)
        return Message(
            kind="race",
            data={
                "result": result.to_json(),
                "widths": {name: len(lane) for name, lane in leaves.items()},
            },
            leaves=tuple(leaf for lane in leaves.values() for leaf in lane),
        )

    def _check_size(self, leaves: Iterable[Leaf]) -> None:
        """ProgramFailed if the outputs are too large to be sent."""
        size = sum(leaf.nbytes for leaf in leaves)
        if size > self._limits.output_bytes:
            detail = f"its outputs take {size} bytes, {self._limits.output_bytes} are allowed"
            raise ProgramFailed(Trouble.RUN, detail)


def _unknown(request: Message, _stages: Stages) -> Message:
    raise BenchFault(Trouble.INTERNAL, f"no request is called {request.kind!r}")


def split(leaves: tuple[Leaf, ...], counts: list[int]) -> list[tuple[Leaf, ...]]:
    """`leaves` cut into consecutive groups of the given lengths; BenchFault if they do not add up."""
    if sum(counts) != len(leaves):
        raise BenchFault(Trouble.BAD_INPUTS, "the arrays sent do not add up to the input sets")
    groups, begin = [], 0
    for count in counts:
        groups.append(leaves[begin : begin + count])
        begin += count
    return groups


def _error(code: str, detail: str, *, refused: bool) -> Message:
    """An error answer. Details may quote a program's own names, so they leave as short printable ASCII."""
    clean = printable(detail)[:_DETAIL_LENGTH]
    return Message(kind="error", data={"code": str(code), "detail": clean, "refused": refused})
