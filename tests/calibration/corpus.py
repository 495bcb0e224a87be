"""The labelled submissions: which verdict each deserves in each family, and what its faults are called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.domain.catalogue import CODES
from grader.domain.verdicts import Family

HERE = Path(__file__).parent
TASKS = HERE / "tasks"
CORPUS = HERE / "corpus"
KINDS = HERE / "kinds"
SAYS = "says"
"""Beside the verdicts of a program of ours: what has to be said of it."""

FAMILY_OF: Mapping[str, Family] = {
    "correctness": Family.VALUES,
    "purity": Family.PURITY,
    "immutability": Family.IMMUTABILITY,
    "prng": Family.PRNG,
    "jit": Family.JIT,
}
"""The labels' names for our families."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One submission with what is known about it. None in `deserves`: opinions may differ."""

    task: str
    path: Path
    deserves: Mapping[Family, bool | None]
    faults: tuple[str, ...]
    lines: tuple[int, ...]
    why: str

    @property
    def name(self) -> str:
        return f"{self.task[:2]}/{self.path.stem}"


@cache
def labelled() -> tuple[Labelled, ...]:
    """All labelled submissions, task by task."""
    manifest = json.loads((CORPUS / "manifest.json").read_text(encoding="utf-8"))
    return tuple(map(_labelled, manifest["records"]))


def _labelled(record: Mapping[str, object]) -> Labelled:
    verdicts: Mapping[str, str] = record["verdict"]  # type: ignore[assignment]
    return Labelled(
        task=str(record["task"]),
        path=CORPUS / str(record["file"]),
        deserves={
            FAMILY_OF[name]: None if verdict == "ambiguous" else verdict == "pass"
            for name, verdict in verdicts.items()
        },
        faults=tuple(record["faults"]),  # type: ignore[arg-type]
        lines=tuple(record["fault_lines"]),  # type: ignore[arg-type]
        why=str(record["why"]),
    )


@cache
def kinds() -> tuple[Labelled, ...]:
    """Short programs of our own, one for each kind of right or wrong work that a check once had to learn.

    Those of the tasks from 10 on were written as strangers would write them, before a grader saw them. Labels
    may tell what has to be said of a fault: ``{"code": …, "line": …}``, of the code perhaps the beginning.
    """
    verdicts = json.loads((KINDS / "verdicts.json").read_text(encoding="utf-8"))
    return tuple(
        Labelled(
            task=task,
            path=KINDS / task / f"{name}.py",
            deserves={Family(family): right for family, right in label.items() if family != SAYS},
            faults=tuple(code for code in [label.get(SAYS, {}).get("code")] if code),
            lines=tuple(line for line in [label.get(SAYS, {}).get("line")] if line),
            why=name.replace("_", " "),
        )
        for task, programs in verdicts.items()
        for name, label in programs.items()
    )


CODES_OF: Mapping[str, tuple[str, ...]] = {
    "corr": ("values.", "call.raised", "call.shape_mismatch", "call.no_such_axis"),
    "corr.dtype": ("values.wrong_dtype",),
    "corr.square_only": ("values.wrong_shape", "call.shape_mismatch", "call.raised", "values.differ"),
    "corr.not_per_example": ("values.wrong_shape",),
    "immut": ("immutability.",),
    "immut.at_result_dropped": ("values.discarded_update",),
    "immut.augassign_numpy": ("immutability.input_changed", "immutability.container_changed"),
    "immut.out_arg": ("immutability.input_changed",),
    "immut.container_mutated": ("immutability.container_changed",),
    "immut.donated": ("immutability.input_deleted",),
    "immut.inplace_jnp_raises": ("immutability.item_assignment",),
    "jit": ("jit.",),
    "jit.numpy_on_tracer": ("jit.tracer_array",),
    "jit.python_if": ("jit.tracer_bool",),
    "jit.bool_mask": ("jit.boolean_mask",),
    "jit.concretize": ("jit.concretization", "jit.tracer_integer"),
    "jit.static_array": ("jit.unhashable_static",),
    "jit.static_traced_arg": ("jit.unhashable_static",),
    "jit.unrolled_loop": ("jit.program_grows",),
    "jit.quadratic_python_loop": ("jit.program_grows",),
    "jit.nmd_temp": ("jit.large_temporary",),
    "jit.jit_inside": ("jit.retraced",),
    "prng": ("prng.",),
    "prng.np_random": ("prng.numpy_random", "purity.hidden_randomness", "prng.key_ignored"),
    "prng.time_seed": ("purity.reads_clock", "purity.hidden_randomness", "prng.hidden_key"),
    "prng.key_ignored": ("prng.hidden_key", "prng.key_ignored", "prng.key_not_used"),
    "prng.hard_coded_key": ("prng.hidden_key", "prng.key_ignored", "prng.key_not_used"),
    "prng.same_key_each_step": ("prng.key_reused",),
    "prng.same_key_two_draws": ("prng.key_reused",),
    "prng.same_init_each_layer": ("prng.key_reused",),
    "prng.returns_input_key": ("prng.returned_same_key",),
    "purity": ("purity.",),
    "purity.print": ("purity.prints",),
    "purity.leaked_tracer": ("purity.leaks_tracer",),
    "purity.read_mutable_global": ("purity.reads_global",),
    "purity.attr_cache": ("purity.",),
    "pack.wrong_name": ("submission.function_missing",),
    "pack.wrong_arity": ("submission.wrong_arity",),
}
"""Codes that name a fault; a fault that is not listed is named by the codes of its kind."""


def codes_of(fault: str) -> tuple[str, ...]:
    """Prefixes of the feedback codes that name a fault; a code names itself."""
    family = fault.partition(".")[0]
    named = fault in CODES or family not in CODES_OF
    return CODES_OF.get(fault) or ((fault,) if named else CODES_OF[family])


def representative() -> tuple[Labelled, ...]:
    """A right submission of each task, and a wrong one, of kinds of faults that differ as far as they can."""
    chosen: list[Labelled] = []
    kinds: set[str] = set()
    for task in sorted({case.task for case in labelled()}):
        cases = [case for case in labelled() if case.task == task]
        faulty = [case for case in cases if case.faults]
        new = [case for case in faulty if not kinds & _kinds(case)] or faulty
        chosen += [next(case for case in cases if not case.faults), new[0]]
        kinds = (kinds | _kinds(new[0])) if len(kinds) < len(FAMILY_OF) else _kinds(new[0])
    return tuple(chosen)


def _kinds(case: Labelled) -> set[str]:
    return {fault.partition(".")[0] for fault in case.faults}
