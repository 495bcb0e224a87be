"""A real candidate, asked through a session: what it answers about one submission of many functions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.domain.rubric import Assignment, FunctionSpec, Limits
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.domain.verdicts import Verdict
from grader.engine.portable import PortableLauncher
from grader.engine.protocol import Leaf, LeafKind
from grader.engine.session import CallInputs, LoadFailed, Session, SubmissionEnded, SubmissionRaised

TEXT = """\
import functools, os, random, sys, time
import jax, jax.numpy as jnp
import numpy as np
from helpers import two
import seaborn

print("loaded")
counter = 0
kept = []

def double(x): return two * x
def pair(x): return {"double": 2 * x, "rest": (x.sum(), 3, None)}
def loud(x):
    print("called", file=sys.stderr)
    return x
def counting(x):
    global counter
    counter += 1
    return x
def keeping(x):
    kept.append(x)
    return x
def writing(x):
    with open("notes.txt", "w") as notes: notes.write("x")
    return x
def seeding(x):
    np.random.seed(3)
    random.random()
    return x
def in_place(x):
    x[0] = 7
    return x * 1
def consuming(x):
    jax.jit(lambda y: y + 1, donate_argnums=0)(x)
    return jnp.ones(3)
def extending(xs):
    xs.append(1)
    return jnp.ones(3)
def same(x): return x
def branching(x):
    return x if x.sum() > 0 else -x
def discarding(x):
    x.at[0].set(1)
    return x
def calling_back(x):
    jax.debug.print("{}", x)
    return x
def retracing(x): return jax.jit(lambda y: y + 1)(x)
@jax.jit
def jitted(x): return x + 1
def clock(x): return x + time.time()
def user(x): return x + len(os.environ["HOME"])
def failing(x):
    raise ValueError("\\N{SNOWMAN} \\x00 is no number")
def leaving(x): sys.exit(3)
def dying(x): os._exit(3)
def hungry(x): return np.ones(1 << 45)
def key_of(key): return jax.random.split(key)[0], jax.random.normal(key, (2,))
def static(x, n): return x + jnp.arange(n)
class Model:
    def __call__(self, x): return 2 * x
model = Model()
text = "no function"
"""

NAMES = (
    "double", "pair", "loud", "counting", "keeping", "writing", "seeding", "in_place", "consuming",
    "extending", "same", "branching", "discarding", "calling_back", "retracing", "jitted", "clock", "user",
    "failing", "leaving", "dying", "hungry", "key_of", "static", "model", "text", "missing",
)  # fmt: skip


def new_session(launcher: PortableLauncher, text: str = TEXT, **others: str) -> Session:
    texts = {"submission.py": text, "helpers.py": "two = 2\n", **{f"{k}.py": v for k, v in others.items()}}
    assignment = Assignment(
        slug="s",
        title="S",
        version="0",
        root=Path(),
        entry="submission.py",
        functions=tuple(FunctionSpec(name=name) for name in NAMES),
        limits=Limits(load_s=60, check_s=60),
    )
    files = tuple(SourceFile(name=name, text=body) for name, body in texts.items())
    submitted = SubmittedFiles(entry="submission.py", files=files)
    return Session(files=submitted, assignment=assignment, launcher=launcher, host=None)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def launcher() -> Iterator[PortableLauncher]:
    launcher = PortableLauncher()
    yield launcher
    launcher.close()


@pytest.fixture(scope="module")
def asked(launcher: PortableLauncher) -> Session:
    return new_session(launcher)


def inputs(*values: Any, kind: LeafKind = LeafKind.JAX) -> CallInputs:  # noqa: ANN401 - arrays and constants
    nodes: list[dict[str, Any]] = []
    leaves: list[Leaf] = []
    for value in values:
        if isinstance(value, np.ndarray):
            nodes.append({"t": "leaf", "i": len(leaves)})
            leaves.append(Leaf.of(value, kind=kind))
        elif isinstance(value, Leaf):
            nodes.append({"t": "leaf", "i": len(leaves)})
            leaves.append(value)
        elif isinstance(value, list):
            nodes.append({"t": "list", "c": [{"t": "const", "v": part} for part in value]})
        else:
            nodes.append({"t": "const", "v": value})
    arguments = {"t": "tuple", "c": nodes}
    structure = {"t": "tuple", "c": [arguments, {"t": "dict", "k": [], "c": []}]}
    return CallInputs(structure=structure, leaves=tuple(leaves))


def ones() -> np.ndarray[Any, Any]:
    return np.ones(3, np.float32)


def values(call: Any) -> list[list[float]]:  # noqa: ANN401 - an EagerCall
    return [leaf.array.tolist() for leaf in call.leaves]


# --- loading --------------------------------------------------------------------------------------


def test_functions_are_found_with_their_lines_and_parameters(asked: Session):
    found = asked.loaded().functions
    assert found["missing"] is None
    static, model, text = found["static"], found["model"], found["text"]
    assert static is not None
    assert model is not None
    assert text is not None
    assert static.parameters == (("x", "POSITIONAL_OR_KEYWORD", False), ("n", "POSITIONAL_OR_KEYWORD", False))
    assert static.line == TEXT[: TEXT.index("def static")].count("\n") + 1
    assert (model.callable, text.callable) == (True, False)


def test_what_loading_does_is_seen_and_plotting_packages_get_a_stand_in(asked: Session):
    loaded = asked.loaded()
    assert loaded.seen.output == "loaded\n"
    assert loaded.stand_ins == ("seaborn",)


@pytest.mark.parametrize(
    "text, error, file, line",
    [
        ("x = 1\ndef f(:\n", "SyntaxError", "submission.py", 2),
        ("import not_here\n", "ModuleNotFoundError", "submission.py", 1),
        ("\n\n1 / 0\n", "ZeroDivisionError", "submission.py", 3),
        ("import broken\n", "NameError", "broken.py", 2),
    ],
)
def test_a_file_that_cannot_be_loaded_is_told_with_its_line(
    launcher: PortableLauncher, text: str, error: str, file: str, line: int
):
    session = new_session(launcher, text, broken="x = 1\ny = z\n")
    with pytest.raises(LoadFailed) as caught:
        session.loaded()
    session.close()
    fault = caught.value.fault
    assert fault is not None
    assert fault.frame is not None
    assert (fault.type, fault.frame.file, fault.frame.line) == (error, file, line)


# --- calls ----------------------------------------------------------------------------------------


def test_a_traced_call_gives_a_program_and_the_shape_of_its_result(asked: Session):
    call = asked.traced("pair", inputs(ones()))
    assert call.structure["t"] == "dict"
    assert [leaf.shape for leaf in call.leaves] == [(3,), (), ()]
    assert call.program is not None
    assert len(call.program) > 100


def test_a_plain_call_is_really_run(asked: Session):
    assert values(asked.eager("double", inputs(ones()))) == [[2, 2, 2]]


def test_a_staged_call_runs_nothing_but_gives_a_program(asked: Session):
    call = asked.direct("double", inputs(ones()))
    assert call.program is not None
    assert [leaf.kind for leaf in call.leaves] == [LeafKind.ABSTRACT]


def test_static_arguments_stay_python_values(asked: Session):
    assert asked.traced("static", inputs(ones(), 3)).leaves[0].shape == (3,)


def test_typed_keys_go_in_and_come_out_as_keys(asked: Session):
    key = Leaf.of(np.array([0, 7], np.uint32), kind=LeafKind.KEY, impl="threefry2x32")
    traced, eager = asked.traced("key_of", inputs(key)), asked.eager("key_of", inputs(key))
    for call in (traced, eager):
        assert [leaf.impl_is_key for leaf in call.leaves] == [True, False]
        assert call.leaves[0].shape == (2,)


def test_a_branch_on_a_traced_value_is_told_at_its_line(asked: Session):
    with pytest.raises(SubmissionRaised) as caught:
        asked.traced("branching", inputs(ones()))
    fault = caught.value.fault
    assert fault.type == "TracerBoolConversionError"
    assert fault.frame is not None
    assert fault.frame.line == TEXT[: TEXT.index("return x if")].count("\n") + 1


def test_what_an_exception_says_comes_printable(asked: Session):
    with pytest.raises(SubmissionRaised) as caught:
        asked.eager("failing", inputs(ones()))
    assert caught.value.fault.text == "\N{SNOWMAN} \\x00 is no number"


def test_sys_exit_is_an_exception_like_others(asked: Session):
    with pytest.raises(SubmissionRaised) as caught:
        asked.eager("leaving", inputs(ones()))
    assert caught.value.fault.type == "SystemExit"


@pytest.mark.parametrize("name, verdict", [("dying", Verdict.CRASHED), ("hungry", Verdict.OUT_OF_MEMORY)])
def test_after_a_death_the_next_call_is_answered(asked: Session, name: str, verdict: Verdict):
    with pytest.raises(SubmissionEnded) as caught:
        asked.eager(name, inputs(ones()))
    assert caught.value.verdict is verdict
    assert values(asked.eager("double", inputs(ones()), turn=len(name))) == [[2, 2, 2]]


# --- observations ---------------------------------------------------------------------------------


def test_a_call_that_only_returns_shows_nothing(asked: Session):
    for call in (asked.traced("double", inputs(ones())), asked.eager("double", inputs(ones()), turn=1)):
        seen = call.seen
        assert (seen.output_bytes, seen.events, seen.state, seen.process) == (0, (), (), ())


def test_output_is_seen_also_on_standard_error(asked: Session):
    seen = asked.eager("loud", inputs(ones())).seen
    assert (seen.output, seen.output_bytes) == ("called\n", 7)


@pytest.mark.parametrize("name, path", [("counting", "counter"), ("keeping", "kept")])
def test_changed_globals_are_named(asked: Session, name: str, path: str):
    state = asked.eager(name, inputs(ones())).seen.state
    assert path in [row[0].partition("[")[0] for row in state]


def test_a_tracer_that_is_kept_is_a_leak(asked: Session):
    state = asked.traced("keeping", inputs(ones())).seen.state
    assert any("leaked tracer" in row[2] for row in state)


def test_written_files_are_events(asked: Session):
    events = asked.eager("writing", inputs(ones())).seen.events
    assert ("open", "notes.txt", "w") in events


def test_hidden_generators_are_state_of_the_process(asked: Session):
    process = asked.eager("seeding", inputs(ones())).seen.process
    assert {row[0] for row in process} == {"random state", "numpy.random state"}


def test_traces_inside_a_call_are_counted(asked: Session):
    counts = [
        sum(asked.eager("retracing", inputs(ones()), turn=turn).seen.traced.values()) for turn in (0, 1)
    ]
    assert counts == [1, 1]
    again = [asked.eager("jitted", inputs(ones()), turn=turn).seen.traced for turn in (0, 1)]
    assert again[1] == {}


def test_callbacks_and_discarded_updates_are_read_from_the_program(asked: Session):
    assert asked.traced("calling_back", inputs(ones()), program=False).callbacks != ()
    assert asked.traced("discarding", inputs(ones())).discarded == 1
    assert asked.traced("double", inputs(ones())).discarded == 0


# --- inputs after a call --------------------------------------------------------------------------


def test_a_numpy_array_changed_in_place_is_told(asked: Session):
    after = asked.eager("in_place", inputs(ones(), kind=LeafKind.NUMPY)).inputs
    assert (after.changed, after.deleted) == ((0,), ())


def test_a_donated_array_is_told_as_deleted(asked: Session):
    assert asked.eager("consuming", inputs(ones())).inputs.deleted == (0,)


def test_an_array_is_donated_also_after_it_was_a_result(asked: Session):
    asked.eager("same", inputs(2 * ones()))
    assert asked.eager("consuming", inputs(2 * ones())).inputs.deleted == (0,)


def test_a_list_that_grew_is_told(asked: Session):
    given = inputs([1, 2])
    assert asked.eager("extending", given).inputs.structure != given.structure


def test_untouched_inputs_come_back_as_they_were_sent(asked: Session):
    given = inputs(ones(), 3, ones())
    with pytest.raises(SubmissionRaised):
        asked.eager("static", given)
    kept = asked.eager("static", inputs(ones(), 3)).inputs
    assert (kept.changed, kept.deleted, kept.order) == ((), (), (0,))
    assert kept.structure == inputs(ones(), 3).structure


def test_equal_scalars_are_not_taken_for_moved_inputs(asked: Session):
    scalars = inputs(*[Leaf.of(np.asarray(3), kind=LeafKind.SCALAR, weak=True)] * 2)
    after = asked.eager("static", scalars).inputs
    assert (after.structure, after.order) == (scalars.structure, (0, 1))


def test_a_result_that_shares_memory_with_a_numpy_input_is_told(asked: Session):
    assert asked.eager("same", inputs(ones(), kind=LeafKind.NUMPY)).inputs.aliases == (0,)
    assert asked.eager("double", inputs(ones(), kind=LeafKind.NUMPY)).inputs.aliases == ()


# --- worlds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["clock", "user"])
def test_another_world_has_another_clock_and_environment(asked: Session, name: str):
    here, there = (values(asked.eager(name, inputs(ones()), world=world)) for world in (0, 1))
    assert here != there
    assert values(asked.eager("double", inputs(ones()), world=1)) == [[2, 2, 2]]


def test_a_pure_function_has_the_same_program_in_both_worlds(asked: Session):
    fingerprints = {
        asked.direct("double", inputs(ones()), world=world, fingerprint=True).fingerprint for world in (0, 1)
    }
    assert len(fingerprints) == 1
    assert "" not in fingerprints
