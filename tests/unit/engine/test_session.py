"""One attempt: what is asked, how long it may take, and what the end of a process means for its check."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.errors import EngineFault, ProtocolViolation
from grader.domain.verdicts import Verdict
from grader.engine.candidate.serving import HANG_SHARE
from grader.engine.endings import LATE, KilledFromOutside, or_hang, verdict_of
from grader.engine.policy import End, EndKind
from grader.engine.protocol import Leaf, LeafKind, Message
from grader.engine.session import (
    SUSPECT_LIMIT_S,
    CallInputs,
    EagerCall,
    FollowedCall,
    LoadFailed,
    SubmissionEnded,
    SubmissionRaised,
    TracedCall,
)
from tests.unit.engine import scripted
from tests.unit.engine.scripted import INPUTS, ScriptedLauncher, loaded, raised, script, session, traced

DEADLINE = End(kind=EndKind.DEADLINE)
CRASH = End(kind=EndKind.SIGNALLED, code=11)
KILLED = End(kind=EndKind.SIGNALLED, code=9)


def ending(launcher: ScriptedLauncher, **limits: float) -> SubmissionEnded:
    """How one call ends."""
    with pytest.raises(SubmissionEnded) as caught:
        session(launcher, **limits).traced("f", INPUTS)
    return caught.value


def test_a_traced_call_comes_with_its_program():
    call = session(ScriptedLauncher(script(traced()))).traced("f", INPUTS)
    assert (call.program, call.leaves[0].shape) == (b"program", (2,))


def test_tracing_sends_shapes_and_no_values():
    launcher = ScriptedLauncher(script(traced()))
    session(launcher).traced("f", INPUTS)
    (leaf,) = launcher.started[0].requests[-1].leaves
    assert (leaf.kind, leaf.shape, leaf.array) == (LeafKind.ABSTRACT, (2,), None)


def test_an_equal_question_is_asked_once():
    launcher = ScriptedLauncher(script(traced()))
    attempt = session(launcher)
    assert attempt.traced("f", INPUTS) is attempt.traced("f", INPUTS)
    assert [request.kind for request in launcher.started[0].requests] == ["load", "export"]


def test_other_values_another_world_or_another_turn_are_other_questions():
    launcher = ScriptedLauncher(script(traced()))
    attempt = session(launcher)
    others = CallInputs(
        structure=INPUTS.structure, leaves=(Leaf.of(np.zeros(2, np.float32), kind=LeafKind.JAX),)
    )
    attempt.direct("f", INPUTS)
    attempt.direct("f", others)
    attempt.direct("f", INPUTS, turn=1)
    attempt.direct("f", INPUTS, world=1)
    assert [len(box.requests) for box in launcher.started] == [4, 2]
    assert [box.policy.world for box in launcher.started] == [0, 1]


def test_an_answer_is_remembered_also_if_it_was_an_exception():
    launcher = ScriptedLauncher(script(raised(), traced()))
    attempt = session(launcher)
    for _ in range(2):
        with pytest.raises(SubmissionRaised) as caught:
            attempt.traced("f", INPUTS)
        assert (caught.value.fault.type, caught.value.fault.frame) is not None
    assert len(launcher.started[0].requests) == 2


def test_frames_outside_the_submission_are_not_believed():
    frames = [{"file": "/etc/passwd", "line": 1, "function": "f"}]
    with pytest.raises(SubmissionRaised) as caught:
        session(ScriptedLauncher(script(raised(frames=frames)))).traced("f", INPUTS)
    assert caught.value.fault.frame is None


@pytest.mark.parametrize(
    "end, verdict",
    [
        (DEADLINE, Verdict.TIMED_OUT),
        (End(kind=EndKind.CPU_LIMIT), Verdict.TIMED_OUT),
        (End(kind=EndKind.OUT_OF_MEMORY), Verdict.OUT_OF_MEMORY),
        (CRASH, Verdict.CRASHED),
        (End(kind=EndKind.EXITED, code=0), Verdict.CRASHED),
    ],
)
def test_the_end_of_a_process_is_told_apart(end: End, verdict: Verdict):
    assert ending(ScriptedLauncher(script(end))).verdict is verdict


def test_after_an_end_the_next_question_finds_a_fresh_process():
    launcher = ScriptedLauncher(script(CRASH, traced()))
    attempt = session(launcher)
    with pytest.raises(SubmissionEnded):
        attempt.traced("f", INPUTS)
    assert attempt.direct("f", INPUTS).program == b"program"
    assert [box.closed for box in launcher.started] == [True, False]


def test_a_hang_makes_its_function_a_suspect_with_less_time():
    launcher = ScriptedLauncher(script(DEADLINE))
    attempt = session(launcher, check_s=20)
    for turn in range(2):
        with pytest.raises(SubmissionEnded) as caught:
            attempt.direct("f", INPUTS, turn=turn)
        attempt.begin_check()
        assert caught.value.limit == (20, SUSPECT_LIMIT_S)[turn]
    assert launcher.started[1].limits[-1] == SUSPECT_LIMIT_S


def test_a_check_may_give_one_request_less_time_than_it_has_left():
    launcher = ScriptedLauncher(script(traced(), traced()))
    attempt = session(launcher, check_s=20)
    with attempt.at_most(3):
        attempt.traced("f", INPUTS)
    attempt.direct("f", INPUTS)
    capped, free = launcher.started[0].limits[-2:]
    assert (capped, free > 3) == (3, True)


def test_running_out_of_memory_makes_no_suspect():
    launcher = ScriptedLauncher(script(End(kind=EndKind.OUT_OF_MEMORY)))
    attempt = session(launcher, check_s=20)
    for turn in range(2):
        with pytest.raises(SubmissionEnded):
            attempt.direct("f", INPUTS, turn=turn)
    assert launcher.started[1].limits[-1] > SUSPECT_LIMIT_S


def test_the_line_that_a_hanging_process_wrote_down_is_told():
    said = b'Timeout (0:00:07)!\nThread 0x01 (most recent call first):\n  File "a.py", line 2 in f\n'
    frame = ending(ScriptedLauncher(script(DEADLINE), said=said)).frame
    assert frame is not None
    assert (frame.file, frame.line) == ("a.py", 2)


def late(end: End) -> ScriptedLauncher:
    """A candidate that ends so after nine tenths of its time."""

    def answering(request: Message) -> Message | End:
        if request.kind == "load":
            return loaded()
        time.sleep(request.data["limit_s"] * LATE)
        return end

    return ScriptedLauncher(answering)


def test_a_crash_over_writing_down_the_line_of_a_hang_is_the_hang():
    ended = ending(late(CRASH), check_s=0.2)
    assert (ended.verdict, ended.limit) == (Verdict.TIMED_OUT, 0.2)


def test_a_crash_before_its_time_is_nearly_over_stays_a_crash():
    assert ending(ScriptedLauncher(script(CRASH)), check_s=0.2).verdict is Verdict.CRASHED


def test_a_late_exit_or_kill_is_what_it_is():
    assert ending(late(End(kind=EndKind.EXITED, code=3)), check_s=0.2).verdict is Verdict.CRASHED
    with pytest.raises(KilledFromOutside):
        verdict_of(or_hang(KILLED, lasted_s=10, limit_s=1))


def test_a_candidate_writes_down_its_hang_no_earlier_than_it_counts_as_one():
    assert HANG_SHARE >= LATE


def test_a_kill_from_outside_costs_nothing_as_the_question_is_asked_again():
    launcher = ScriptedLauncher(script(KILLED, traced()))
    assert session(launcher).traced("f", INPUTS).program == b"program"
    assert len(launcher.started) == 2


def test_code_that_kills_itself_every_time_has_crashed():
    launcher = ScriptedLauncher(script(KILLED))
    assert ending(launcher).verdict is Verdict.CRASHED
    assert len(launcher.started) == 2


def test_a_process_that_goes_on_without_its_channel_has_crashed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("grader.engine.endings._LINGER_S", 0.01)
    launcher = ScriptedLauncher(script(scripted.ChannelClosed("closed by the submission")))
    assert ending(launcher).verdict is Verdict.CRASHED
    assert launcher.started[0].closed


def test_bytes_that_are_no_frame_are_a_crash():
    launcher = ScriptedLauncher(script(ProtocolViolation("not a frame")))
    assert ending(launcher).verdict is Verdict.CRASHED
    assert launcher.started[0].closed


@pytest.mark.parametrize("error", ["MemoryError", "_ArrayMemoryError"])
def test_memory_that_was_refused_is_out_of_memory_at_its_line(error: str):
    answer = raised(error, bases=[error, "MemoryError", "Exception"])
    launcher = ScriptedLauncher(script(answer))
    ended = ending(launcher)
    assert ended.verdict is Verdict.OUT_OF_MEMORY
    assert ended.frame is not None
    assert launcher.started[0].closed  # it may not have got back what it needs


def test_the_runtimes_own_shortage_counts_as_well():
    answer = raised("XlaRuntimeError", text="RESOURCE_EXHAUSTED: Out of memory allocating 99 bytes.")
    assert ending(ScriptedLauncher(script(answer))).verdict is Verdict.OUT_OF_MEMORY


# --- loading -------------------------------------------------------------------------------------------


def load_failure(answer: Message | End) -> LoadFailed:
    launcher = ScriptedLauncher(lambda _: answer)
    with pytest.raises(LoadFailed) as caught:
        session(launcher).loaded()
    return caught.value


def test_an_error_at_import_is_a_fault_of_the_file():
    failure = load_failure(raised("ZeroDivisionError"))
    assert failure.fault is not None
    assert failure.fault.type == "ZeroDivisionError"


@pytest.mark.parametrize("end, verdict", [(DEADLINE, Verdict.TIMED_OUT), (CRASH, Verdict.CRASHED)])
def test_a_process_that_ends_while_loading_is_told(end: End, verdict: Verdict):
    failure = load_failure(end)
    assert (failure.fault, failure.verdict) == (None, verdict)
    assert failure.limit == (10.0 if verdict is Verdict.TIMED_OUT else None)


@pytest.mark.parametrize("answer", [traced(), loaded(functions=3), loaded(seen={}), Message(kind="?")])
def test_nonsense_instead_of_a_loaded_module_is_a_crash(answer: Message):
    assert load_failure(answer).verdict is Verdict.CRASHED


def test_a_failed_load_is_not_tried_again_for_every_check():
    launcher = ScriptedLauncher(lambda _: raised("SyntaxError"))
    attempt = session(launcher)
    for _ in range(3):
        with pytest.raises(LoadFailed):
            attempt.traced("f", INPUTS)
    assert len(launcher.started) == 1


def test_a_load_that_fails_in_another_world_leaves_this_one_alone():
    def answering(request: Message) -> Message:
        if request.kind != "load":
            return traced()
        return raised("KeyError") if launcher.started[-1].policy.world else loaded()

    launcher = ScriptedLauncher(answering)
    attempt = session(launcher)
    with pytest.raises(LoadFailed):
        attempt.loaded(world=1)
    assert attempt.traced("f", INPUTS).program == b"program"


def test_functions_nobody_asked_for_are_left_out_and_missing_ones_are_none():
    attempt = session(ScriptedLauncher(lambda _: loaded(functions={"g": scripted.FOUND})))
    assert attempt.loaded().functions == {"f": None}


def test_stand_ins_are_noticed_also_after_the_last_process_is_gone():
    def answering(request: Message) -> Message | End:
        return loaded(stand_ins=["matplotlib"]) if request.kind == "load" else CRASH

    attempt = session(ScriptedLauncher(answering))
    with pytest.raises(SubmissionEnded):
        attempt.traced("f", INPUTS)
    assert ["matplotlib" in notice["message"] for notice in attempt.notices()] == [True]


def test_what_loading_prints_is_kept_once_however_often_it_is_loaded():
    said = {**scripted.SEEN, "output": "hello\n", "output_bytes": 6}

    def answering(request: Message) -> Message | End:
        return loaded(seen=said) if request.kind == "load" else CRASH

    attempt = session(ScriptedLauncher(answering))
    for turn in range(3):
        with pytest.raises(SubmissionEnded):
            attempt.direct("f", INPUTS, turn=turn, world=turn % 2)
    assert attempt.printed() == "hello\n"


# --- time ----------------------------------------------------------------------------------------------


def test_loading_takes_no_time_from_the_check(monkeypatch: pytest.MonkeyPatch):
    now = [0.0]
    monkeypatch.setattr("grader.engine.clocks.time.monotonic", lambda: now[0])

    def answering(request: Message) -> Message:
        if request.kind == "load":
            now[0] += 9
            return loaded()
        return traced()

    launcher = ScriptedLauncher(answering)
    session(launcher, check_s=5, load_s=10).traced("f", INPUTS)
    assert launcher.started[0].limits == [10, 5]


def test_a_check_has_its_own_time_in_all(monkeypatch: pytest.MonkeyPatch):
    now = [0.0]
    monkeypatch.setattr("grader.engine.clocks.time.monotonic", lambda: now[0])

    def answering(request: Message) -> Message:
        now[0] += 0 if request.kind == "load" else 4
        return loaded() if request.kind == "load" else traced()

    launcher = ScriptedLauncher(answering)
    attempt = session(launcher, check_s=10)
    attempt.direct("f", INPUTS, turn=0)
    attempt.direct("f", INPUTS, turn=1)
    attempt.direct("f", INPUTS, turn=2)
    assert launcher.started[0].limits[1:] == [10, 6, 2]
    with pytest.raises(SubmissionEnded) as caught:
        attempt.direct("f", INPUTS, turn=3)
    assert (caught.value.verdict, caught.value.limit) == (Verdict.TIMED_OUT, 10)
    attempt.begin_check()
    attempt.direct("f", INPUTS, turn=4)
    assert launcher.started[0].limits[-1] == 10


def test_time_in_line_for_a_processor_is_not_the_checks(monkeypatch: pytest.MonkeyPatch):
    now = [0.0]
    monkeypatch.setattr("grader.engine.clocks.time.monotonic", lambda: now[0])

    def answering(request: Message) -> Message:
        if request.kind == "load":
            return loaded()
        now[0] += 9
        launcher.started[0].in_line = 7.0
        return traced()

    launcher = ScriptedLauncher(answering)
    attempt = session(launcher, check_s=10)
    attempt.direct("f", INPUTS, turn=0)
    attempt.direct("f", INPUTS, turn=1)
    assert launcher.started[0].limits[1:] == [10, 8]


def test_the_courses_own_programs_take_no_time_from_the_check(monkeypatch: pytest.MonkeyPatch):
    now = [0.0]
    monkeypatch.setattr("grader.engine.clocks.time.monotonic", lambda: now[0])

    def bench(_: Message) -> Message:
        now[0] += 8
        return evaluated()

    launcher = ScriptedLauncher(script(traced()), bench=bench)
    attempt = session(launcher, check_s=10)
    for function in (None, None, "f", "f"):
        attempt.evaluate(function, b"program", [INPUTS.leaves])
    assert launcher.benches[0].limits == [10, 10, 10, 2]


STARVED = End(kind=EndKind.STARVED)


def test_a_machine_too_busy_to_judge_is_nobodys_failure():
    for launcher, ask in (
        (ScriptedLauncher(script(STARVED)), lambda attempt: attempt.traced("f", INPUTS)),
        (ScriptedLauncher(lambda _: STARVED), lambda attempt: attempt.loaded()),
        (
            ScriptedLauncher(script(traced()), bench=lambda _: STARVED),
            lambda attempt: attempt.evaluate("f", b"program", [INPUTS.leaves]),
        ),
    ):
        attempt = session(launcher)
        with pytest.raises(EngineFault, match="the machine was too busy"):
            ask(attempt)
        assert attempt._clock.limit("f") > SUSPECT_LIMIT_S  # and it is no suspect


def test_a_check_that_the_attempts_end_cut_short_is_nobodys_failure(monkeypatch: pytest.MonkeyPatch):
    now = [0.0]
    monkeypatch.setattr("grader.engine.clocks.time.monotonic", lambda: now[0])

    def answering(request: Message) -> Message | End:
        if request.kind == "load":
            return loaded()
        now[0] += launcher.started[0].limits[-1]
        return DEADLINE

    launcher = ScriptedLauncher(answering)
    attempt = session(launcher, check_s=20, attempt_s=8)
    with pytest.raises(EngineFault, match="the 8 seconds of the whole attempt were over"):
        attempt.traced("f", INPUTS)
    assert launcher.started[0].limits[-1] == 8
    with pytest.raises(EngineFault):
        attempt.direct("f", INPUTS)


# --- the bench -----------------------------------------------------------------------------------------


def evaluated(how: str = "interpret") -> Message:
    leaf = Leaf.of(np.ones(2, np.float32), kind=LeafKind.JAX)
    return Message(kind="evaluate", data={"how": how, "width": 1, "cost": {"run": 0.5}}, leaves=(leaf,))


def inspected() -> Message:
    facts = {
        "digest": "d", "inputs": [], "outputs": [], "ops": 1, "histogram": {}, "custom_calls": [],
        "largest_elements": 1, "loops": [], "constant_bytes": 0, "platforms": ["cpu"],
        "interpretable": True, "cost": 0.0,
    }  # fmt: skip
    return Message(kind="inspect", data=facts)


def benched(*answers: Message | End | BaseException) -> ScriptedLauncher:
    return ScriptedLauncher(script(traced()), bench=script(*answers))


def test_a_bench_that_dies_of_interpreting_is_replaced_and_compiles():
    launcher = benched(CRASH, evaluated("compile"))
    attempt = session(launcher)
    attempt.evaluate("f", b"program", [INPUTS.leaves])
    assert [box.requests[-1].data["how"] for box in launcher.benches] == ["auto", "compile"]
    assert attempt.cost["run"] == 0.5


def test_a_bench_that_was_killed_from_outside_is_asked_again():
    launcher = benched(KILLED, evaluated())
    session(launcher).evaluate("f", b"program", [INPUTS.leaves])
    assert [box.requests[-1].data["how"] for box in launcher.benches] == ["auto", "auto"]


@pytest.mark.parametrize(
    "end, verdict",
    [(DEADLINE, Verdict.TIMED_OUT), (End(kind=EndKind.OUT_OF_MEMORY), Verdict.OUT_OF_MEMORY)],
)
def test_a_program_that_ends_the_bench_at_a_limit_is_its_functions_fault(end: End, verdict: Verdict):
    launcher = benched(end)
    with pytest.raises(SubmissionEnded) as caught:
        session(launcher).evaluate("f", b"program", [INPUTS.leaves])
    assert (caught.value.function, caught.value.verdict) == ("f", verdict)
    assert len(launcher.benches) == 1


def test_after_its_death_the_next_check_finds_a_fresh_bench():
    launcher = benched(DEADLINE, evaluated())
    attempt = session(launcher)
    with pytest.raises(SubmissionEnded):
        attempt.evaluate("f", b"program", [INPUTS.leaves])
    attempt.begin_check()
    attempt.evaluate("f", b"program", [INPUTS.leaves])
    assert [box.closed for box in launcher.benches] == [True, False]


def test_a_program_on_which_the_bench_dies_again_and_again_is_not_graded_and_staff_are_told():
    def answering(request: Message) -> Message | End:
        return inspected() if request.kind == "inspect" else CRASH

    launcher = ScriptedLauncher(script(traced()), bench=answering)
    attempt = session(launcher)
    with pytest.raises(EngineFault, match=r"ended \(signalled 11\) while it ran the program of f"):
        attempt.evaluate("f", b"program", [INPUTS.leaves])
    assert ["f was not graded" in flag for flag in attempt.flags] == [True]


def test_a_bench_that_is_killed_from_outside_every_time_is_nobodys_failure_and_staff_are_told():
    attempt = session(benched(KILLED))
    for _ in range(2):
        with pytest.raises(EngineFault, match="killed twice from outside"):
            attempt.evaluate("f", b"program", [INPUTS.leaves])
    assert ["killed from outside" in flag for flag in attempt.flags] == [True]


@pytest.mark.parametrize("way", ["inspect", "evaluate", "key_log", "race"])
def test_bytes_of_which_the_bench_dies_before_they_are_verified_are_the_submissions_crash(way: str):
    launcher = benched(CRASH)
    attempt = session(launcher)
    ask = {
        "inspect": lambda: attempt.inspect("f", b"forged"),
        "evaluate": lambda: attempt.evaluate("f", b"forged", [INPUTS.leaves]),
        "key_log": lambda: attempt.key_log("f", b"forged", INPUTS.leaves, key_inputs=[], key_outputs=[]),
        "race": lambda: attempt.race(
            "f", {"submission": b"forged", "rival": b"baseline"}, [INPUTS.leaves], at_least=2
        ),
    }
    with pytest.raises(SubmissionEnded) as caught:
        ask[way]()
    assert (caught.value.function, caught.value.verdict) == ("f", Verdict.CRASHED)
    assert attempt.flags == []
    assert all(box.closed for box in launcher.benches)


def test_one_death_before_verifying_may_be_chance():
    launcher = benched(CRASH, inspected())
    assert session(launcher).inspect("f", b"program").digest == "d"


def test_a_program_of_the_courses_own_that_cannot_be_verified_is_not_the_submissions():
    with pytest.raises(EngineFault):
        session(benched(CRASH)).inspect(None, b"reference")


# --- forged answers ------------------------------------------------------------------------------------

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["structure", "fingerprint", "callbacks", "discarded", "effects", "seen", "inputs", "cpu_s", "error"]
FIELDS += ["donates", "hands_back", "results", "calls"]
leaves = st.sampled_from(
    [
        Leaf(kind=LeafKind.ABSTRACT, dtype="float32", shape=(2,)),
        Leaf(kind=LeafKind.ABSTRACT, dtype="uint32", shape=(2,), impl="threefry2x32"),
        Leaf(kind=LeafKind.ABSTRACT, dtype="float32", shape=(), impl="threefry2x32"),
        Leaf.of(np.zeros(3, np.uint32), kind=LeafKind.KEY, impl="x"),
        Leaf.of(np.zeros(2, np.float32), kind=LeafKind.NUMPY),
    ]
)


@given(
    kind=st.sampled_from(["traced", "called", "followed", "error", "loaded", "?"]),
    changes=st.dictionaries(st.sampled_from(FIELDS), junk, max_size=3),
    missing=st.sets(st.sampled_from(FIELDS), max_size=2),
    arrays=st.lists(leaves, max_size=2),
    blobs=st.lists(st.binary(max_size=4), max_size=2),
    way=st.sampled_from(["traced", "direct", "eager", "followed"]),
)
def test_a_forged_answer_is_a_verdict_and_never_a_fault_of_ours(
    kind: str, changes: dict[str, Any], missing: set[str], arrays: list[Leaf], blobs: list[bytes], way: str
):
    data = {**traced().data, **raised().data, **changes}
    forged = Message(
        kind=kind,
        data={name: value for name, value in data.items() if name not in missing},
        leaves=tuple(arrays),
        blobs=tuple(blobs),
    )
    attempt = session(ScriptedLauncher(script(forged)))
    try:
        call = getattr(attempt, way)("f", INPUTS)
    except (SubmissionEnded, SubmissionRaised):
        return
    kinds = {"traced": TracedCall, "direct": TracedCall, "eager": EagerCall, "followed": FollowedCall}
    assert isinstance(call, kinds[way])


@pytest.mark.parametrize(
    "answer",
    [
        traced(blobs=()),
        traced(structure={"t": "leaf", "i": 1}),
        traced(inputs={"changed": [1], "deleted": [], "containers": scripted.CONTAINERS}),
        traced(seen={**scripted.SEEN, "output_bytes": 1e300}),
        traced(seen={**scripted.SEEN, "traced": {"a.py:1 f": -1}}),
        Message(kind="called", data=traced().data, leaves=traced().leaves),
    ],
    ids=["no program", "no such leaf", "no such input", "absurd count", "negative count", "another question"],
)
def test_an_answer_that_does_not_fit_the_question_is_a_crash(answer: Message):
    assert ending(ScriptedLauncher(script(answer))).verdict is Verdict.CRASHED


@pytest.mark.parametrize("claimed", [-1.0, 1e300, True, "1", None])
def test_absurd_costs_are_not_added_up(claimed: object):
    attempt = session(ScriptedLauncher(script(traced(cpu_s=claimed))))
    attempt.traced("f", INPUTS)
    assert attempt.cost["export"] == 0
    assert attempt.cost["load"] == 0.25


def test_closing_ends_every_candidate():
    launcher = ScriptedLauncher(script(traced()))
    attempt = session(launcher)
    attempt.direct("f", INPUTS)
    attempt.direct("f", INPUTS, world=1)
    attempt.close()
    assert all(box.closed for box in launcher.started)
