"""Answers that were recorded are given again, bit by bit, and to no other question."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from grader.engine.candidate.conditions import Condition
from rubrics import bf16, f32, i32, key
from rubrics.answers import Answers, NotHandedOut, NotRecorded, recording
from rubrics.answers.recording import Recording
from rubrics.answers.replaying import Replayed
from rubrics.answers.storing import read
from rubrics.comparing import Result
from rubrics.drawing import Case, Draw
from rubrics.reference import CourseFunction

DRAW = Draw("seed", "check")
CASE = DRAW(f32[4, 3], {"w": bf16[3]}, i32[2], key, 7)
INPUTS = CASE.inputs(frozenset({4}))


def solve(x, params, i, key, n):
    return {"scaled": x * params["w"].astype(jnp.float32) * n, "picked": x[i[0] % 4], "key": key, "n": n}


def solution(answers: Answers) -> CourseFunction:
    return CourseFunction(
        answers.function("submission.py:solve", lambda: solve), ("n",), name="solve", answers=answers
    )


def recorded(*, keep: bool = True) -> bytes:
    tape = Recording()
    function = solution(tape)
    tape.begin_check()
    function.result(INPUTS)
    function.landmarks(INPUTS)
    if keep:
        tape.keep_check()
    return tape.written()


def replayed(data: bytes) -> CourseFunction:
    return solution(Replayed(read(data)))


def same(one: Result, other: Result) -> bool:
    pairs = zip(one.leaves, other.leaves, strict=True)
    return one.structure == other.structure and all(
        (mine.kind, mine.dtype, mine.shape, mine.weak, mine.impl)
        == (theirs.kind, theirs.dtype, theirs.shape, theirs.weak, theirs.impl)
        and mine.array is not None
        and theirs.array is not None
        and mine.array.tobytes() == theirs.array.tobytes()
        for mine, theirs in pairs
    )


def test_an_answer_comes_back_as_it_was_computed():
    computed = CourseFunction(solve, ("n",))
    assert same(replayed(recorded()).result(INPUTS), computed.result(INPUTS))


def test_landmarks_come_back_as_they_were_computed():
    there, here = replayed(recorded()).landmarks(INPUTS), CourseFunction(solve, ("n",)).landmarks(INPUTS)
    assert there is not None
    assert here is not None
    assert there.shapes == here.shapes
    assert np.array_equal(there.sketches, here.sketches)


def test_landmarks_that_were_not_recorded_cost_a_line_and_no_verdict():
    assert replayed(recorded()).landmarks(CASE.again(0).inputs(frozenset({4}))) is None


def test_the_parameters_are_known_without_the_solution():
    assert replayed(recorded()).parameters == ("x", "params", "i", "key", "n")
    assert replayed(recorded()).static == {"n", 4}


def test_a_function_that_cannot_be_traced_has_no_landmarks_there_either():
    tape = Recording()
    function = CourseFunction(lambda x: np.asarray(x) * 2, (), name="plain", answers=tape)
    inputs = DRAW(f32[3]).inputs(frozenset())
    assert function.landmarks(inputs) is None
    tape.keep_check()
    again = CourseFunction(lambda x: x, (), name="plain", answers=Replayed(read(tape.written())))
    assert again.landmarks(inputs) is None


@pytest.mark.parametrize("other", [CASE.again(0), DRAW(f32[4, 3], {"w": bf16[3]}, i32[2], key, 8)])
def test_other_inputs_are_no_question_that_was_recorded(other: Case):
    with pytest.raises(NotRecorded, match=r"NumPy .* and JAX "):
        replayed(recorded()).result(other.inputs(frozenset({4})))


def test_other_conditions_are_another_question():
    with pytest.raises(NotRecorded):
        replayed(recorded()).result(INPUTS, conditions=(Condition.X64,))


def test_what_a_check_asked_that_is_not_kept_is_not_written_down():
    with pytest.raises(NotRecorded):
        replayed(recorded(keep=False)).result(INPUTS)


def test_a_program_is_never_given_out():
    for function in (solution(Recording()), replayed(recorded())):
        with pytest.raises(NotHandedOut, match="measures time"):
            function.program(INPUTS, ("cpu",))


def test_answers_that_are_too_large_stay_here(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recording, "MOST_BYTES", 10)
    with pytest.raises(NotHandedOut, match="too large"):
        recorded()


def test_equal_recordings_are_equal_files():
    assert recorded() == recorded()
