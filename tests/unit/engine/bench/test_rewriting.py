"""Rewriting a program for the key log changes what it needs to, and no value that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from jax import lax
from jaxlib.mlir import ir

from grader.engine.bench import interpreter
from grader.engine.bench.keys import rewriting
from grader.engine.bench.limits import BenchLimits
from grader.engine.bench.programs import Program, read
from grader.engine.bench.survey import survey
from tests.unit.engine.bench.local import exported

KEY = np.array([0, 17], np.uint32)


def program_of(function: Callable[..., Any], *args: Any) -> Program:  # noqa: ANN401
    return read(exported(function, *args), limits=BenchLimits())


def interpret(module: ir.Module, arguments: list[np.ndarray]) -> list[np.ndarray]:
    return interpreter.prepare(module, survey(module)).run(arguments)


def kernels(program: Program) -> frozenset[str]:
    return frozenset(name for name, function in program.survey.functions.items() if function.is_kernel)


def branching(key, index):
    def nested(key):
        return lax.cond(key[1] > 5, jr.normal, jr.uniform, key)

    return lax.switch(index, [lambda k: jr.normal(k) * 2, nested, lambda k: jr.uniform(k) + 7], key)


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 3, 99])
def test_loops_that_stand_for_branches_take_the_same_branch(index: int) -> None:
    arguments = [KEY, np.asarray(index, np.int32)]
    program = program_of(branching, *arguments)
    module = interpreter.clone(program.module)
    rewriting.branches_to_loops(module, rewriting.drawing_functions(program.survey), kernels(program))

    assert "stablehlo.case" in program.survey.histogram
    assert "stablehlo.case" not in survey(module).histogram
    assert module.operation.verify()
    np.testing.assert_array_equal(interpret(module, arguments), interpret(program.module, arguments))


def test_branches_without_draws_are_left_alone() -> None:
    program = program_of(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x), np.float32(1))
    module = interpreter.clone(program.module)
    rewriting.branches_to_loops(module, frozenset(), frozenset())

    assert survey(module).histogram == program.survey.histogram


def test_pruning_leaves_out_what_follows_a_draw() -> None:
    def function(key):
        new, sub = jr.split(key)
        return new, jnp.linalg.cholesky(jnp.outer(jr.normal(sub, (3,)), jnp.ones(3)) + jnp.eye(3))

    program = program_of(function, KEY)
    module = interpreter.clone(program.module)
    rewriting.prune(module, program.survey, outputs={0})
    left = survey(module)

    assert interpreter.blockers(program.survey)
    assert interpreter.blockers(left) == ()
    assert left.ops < program.survey.ops / 1.5
    assert kernels(program) <= left.functions.keys()


def test_pruning_keeps_the_wanted_results() -> None:
    def function(key):
        keys = jr.split(key, 3)
        return jr.normal(keys[0]), keys[1:], jr.fold_in(keys[0], 5)

    program = program_of(function, KEY)
    module = interpreter.clone(program.module)
    rewriting.prune(module, program.survey, outputs={1, 2})
    pruned, whole = (interpret(each, [KEY]) for each in (module, program.module))

    assert pruned[0] == 0
    np.testing.assert_array_equal(pruned[1], whole[1])
    np.testing.assert_array_equal(pruned[2], whole[2])


def test_the_program_itself_is_not_changed() -> None:
    program = program_of(branching, KEY, np.int32(0))
    before = str(program.module)
    module = interpreter.clone(program.module)
    rewriting.prune(module, program.survey, outputs=frozenset())

    assert str(program.module) == before
