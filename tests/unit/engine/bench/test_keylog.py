"""Right and wrong uses of keys, as learners write them, each as typed and as raw key."""

# The programs under test are written as learners write them, without annotations.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from jax import export, lax

from grader.engine.bench import client
from grader.engine.bench.keyfindings import KeyFault, KeyFinding, KeyLog, Purpose, Unverifiable
from tests.unit.engine.bench.local import LocalBench, is_key, leaf

F = KeyFault
Program = Callable[..., Any]

BENCH = LocalBench()
N = 5


def log_of(program: Program, key: Any, *rest: Any, outputs: list[int] | None = None) -> KeyLog:  # noqa: ANN401
    """The key log of one run; outputs that hold keys are those of the key's own type unless given."""
    made = export.export(jax.jit(program))(key, *rest)
    if outputs is None:
        outputs = [i for i, aval in enumerate(made.out_avals) if _holds_keys(aval, like=key)]
    sent = [leaf(each) for each in (key, *rest)]
    return client.key_log(BENCH, bytes(made.serialize()), sent, key_inputs=[0], key_outputs=outputs)


def _holds_keys(aval: Any, *, like: Any) -> bool:  # noqa: ANN401
    if is_key(like):
        return is_key(aval)
    return bool(aval.dtype == jnp.uint32 and aval.shape and aval.shape[-1] == 2)


# --- right ---


def split_then_draw(key):
    key, sub = jr.split(key)
    return key, jr.normal(sub, (N,))


def split_many_by_index(key):
    keys = jr.split(key, 4)
    return keys[0], jr.normal(keys[1], (N,)) + jr.uniform(keys[2], (N,)) + jr.bernoulli(keys[3], shape=(N,))


def one_draw_of_the_argument(key):
    return jr.normal(key, (N,))


def fold_in_with_different_numbers(key):
    return jnp.stack([jr.normal(jr.fold_in(key, i)) for i in range(3)])


def fold_in_the_loop_index(key):
    return lax.fori_loop(0, N, lambda i, total: total + jr.normal(jr.fold_in(key, i)), 0.0)


def fold_in_under_vmap(key):
    return jax.vmap(lambda i: jr.normal(jr.fold_in(key, i)))(jnp.arange(N))


def carry_through_scan(key):
    def step(carry, _):
        key, position = carry
        key, sub = jr.split(key)
        position = position + jr.normal(sub)
        return (key, position), position

    (key, _), walk = lax.scan(step, (key, 0.0), None, length=N)
    return key, walk


def scan_over_split_keys(key):
    key, sub = jr.split(key)
    return key, lax.scan(lambda total, k: (total + jr.normal(k), total), 0.0, jr.split(sub, N))[1]


def vmap_over_split_keys(key):
    return jax.vmap(lambda k: jr.normal(k, (2,)))(jr.split(key, N))


def vmap_of_split_and_draw(key):
    def one(k):
        a, b = jr.split(k)
        return jr.normal(a) * jr.uniform(b)

    return jax.vmap(one)(jr.split(key, N))


def while_with_a_fresh_key_each_turn(key):
    def body(state):
        i, key, total = state
        key, sub = jr.split(key)
        return i + 1, key, total + jr.normal(sub)

    return lax.while_loop(lambda state: state[0] < N, body, (0, key, 0.0))[1:]


def draw_in_a_branch(key):
    key, coin, sub = jr.split(key, 3)
    return key, lax.cond(jr.bernoulli(coin), jr.normal, jr.uniform, sub)


def draw_in_a_switch_in_a_scan(key):
    def step(key, i):
        key, sub = jr.split(key)
        draws = [jr.normal, jr.uniform, lambda _: 0.0]
        return key, lax.switch(i % 3, draws, sub)

    return lax.scan(step, key, jnp.arange(N))


def nested_helper_functions(key):
    def layer(key, width):
        w, b = jr.split(key)
        return jr.normal(w, (width, 2)), jr.normal(b, (2,))

    first, second = jr.split(key)
    return layer(first, 3), layer(second, 4)


def jitted_helper_called_twice(key):
    draw = jax.jit(lambda k: jr.normal(k, (3,)))
    first, second = jr.split(key)
    return draw(first) + draw(second)


def under_checkpoint(key):
    a, b = jr.split(key)
    return jax.checkpoint(lambda k: jr.normal(k, (N,)))(a).sum() + jr.uniform(b)


def randint_and_permutation(key):
    a, b = jr.split(key)
    return jr.randint(a, (N,), 0, 10), jr.permutation(b, N)


def choice_and_shuffle(key):
    a, b, c = jr.split(key, 3)
    return (
        jr.choice(a, 10, (3,)),
        jr.choice(b, 10, (3,), replace=False),
        jr.permutation(c, jnp.arange(N * 1.0)),
    )


def categorical_and_gumbel(key):
    a, b = jr.split(key)
    return jr.categorical(a, jnp.zeros((2, 4))), jr.gumbel(b, (3,))


def truncated_normal_and_exponential(key):
    a, b = jr.split(key)
    return jr.truncated_normal(a, -1.0, 1.0, (N,)), jr.exponential(b, (N,))


def gamma_and_beta(key):
    a, b = jr.split(key)
    return jr.gamma(a, 2.0, (2,)), jr.beta(b, 2.0, 3.0, (2,))


def multivariate_normal(key):
    return jr.multivariate_normal(key, jnp.zeros(2), jnp.eye(2))


def draw_then_linear_algebra(key):
    key, sub = jr.split(key)
    a, b = jr.split(sub)
    return key, jnp.linalg.qr(jr.normal(a, (3, 3)))[0], jax.scipy.special.erf(jr.normal(b))


def dropout_mask(key):
    keep, noise = jr.split(key)
    return jnp.where(jr.bernoulli(keep, 0.8, (4, 3)), jr.normal(noise, (4, 3)) / 0.8, 0.0)


def metropolis_step(key):
    def step(state, _):
        key, x = state
        key, propose, accept = jr.split(key, 3)
        y = x + jr.normal(propose)
        return (key, jnp.where(jnp.log(jr.uniform(accept)) < x**2 - y**2, y, x)), x

    return lax.scan(step, (key, 0.0), None, length=N)[1]


def gradient_through_a_draw(key):
    a, b = jr.split(key)
    return jax.grad(lambda w: jnp.sum((w * jr.normal(a, (3,)) - jr.normal(b, (3,))) ** 2))(1.0)


def bfloat16_draw(key):
    return jr.normal(key, (N,), jnp.bfloat16)


def split_of_a_split(key):
    left, right = jr.split(key)
    return jr.split(left), jr.normal(right)


RIGHT: list[Program] = [
    split_then_draw,
    split_many_by_index,
    one_draw_of_the_argument,
    fold_in_with_different_numbers,
    fold_in_the_loop_index,
    fold_in_under_vmap,
    carry_through_scan,
    scan_over_split_keys,
    vmap_over_split_keys,
    vmap_of_split_and_draw,
    while_with_a_fresh_key_each_turn,
    draw_in_a_branch,
    draw_in_a_switch_in_a_scan,
    nested_helper_functions,
    jitted_helper_called_twice,
    under_checkpoint,
    randint_and_permutation,
    choice_and_shuffle,
    categorical_and_gumbel,
    truncated_normal_and_exponential,
    gamma_and_beta,
    multivariate_normal,
    draw_then_linear_algebra,
    dropout_mask,
    metropolis_step,
    gradient_through_a_draw,
    bfloat16_draw,
    split_of_a_split,
]


# --- wrong ---


def two_draws(key):
    return jr.normal(key, (N,)) + jr.uniform(key, (N,))


def two_draws_of_different_shapes(key):
    return jr.normal(key, (2, 3)).sum() + jr.normal(key, (N,)).sum()


def the_same_draw_twice(key):
    def draw(key):
        return jr.normal(key, (N,))

    return draw(key) * draw(jr.clone(key))


def draw_then_split_the_parent(key):
    x = jr.normal(key)
    key, sub = jr.split(key)
    return key, x + jr.normal(sub)


def split_then_draw_from_the_parent(key):
    new, _ = jr.split(key)
    return new, jr.normal(key, (N,))


def split_twice(key):
    a, _ = jr.split(key)
    b = jr.split(key, 3)[2]
    return jr.normal(a) + jr.normal(b)


def split_twice_in_the_same_way(key):
    a, _ = jr.split(key)
    _, b = jr.split(key)
    return jr.normal(a) + jr.normal(b)


def return_the_key_that_was_drawn_from(key):
    key, sub = jr.split(key)
    del sub
    return key, jr.normal(key, (N,))


def return_the_argument(key):
    return key, jr.normal(key, (N,))


def return_the_argument_after_splitting_it(key):
    _, sub = jr.split(key)
    return key, jr.normal(sub, (N,))


def a_constant_key(key):
    del key
    return jr.normal(jr.key(0), (N,))


def a_constant_key_beside_the_argument(key):
    return jr.normal(key) + jr.normal(jr.key(42))


def reseed_in_a_loop(key):
    def step(total, _):
        return total + jr.normal(jr.key(7)), total

    return lax.scan(step, jr.normal(key), None, length=N)


def fold_in_the_same_number_twice(key):
    return jr.normal(jr.fold_in(key, 1)) + jr.uniform(jr.fold_in(key, 1))


def fold_in_a_constant_in_a_scan(key):
    return lax.scan(lambda total, _: (total + jr.normal(jr.fold_in(key, 3)), None), 0.0, None, length=N)[0]


def fold_in_and_draw_from_the_parent(key):
    return jr.normal(key) + jr.normal(jr.fold_in(key, 100))


def fold_in_and_split_the_parent(key):
    return jr.normal(jr.split(key)[0]) + jr.normal(jr.fold_in(key, 100))


def one_key_in_every_step_of_a_scan(key):
    return lax.scan(lambda total, _: (total + jr.normal(key), total), 0.0, None, length=N)[1]


def one_key_in_a_python_loop(key):
    return sum(jr.normal(key) for _ in range(3))


def keys_broadcast_to_every_row(key):
    keys = jnp.broadcast_to(key, (N, *key.shape))
    return jax.vmap(lambda k: jr.normal(k, (2,)))(keys)


def forget_to_carry_the_new_key(key):
    def step(key, _):
        _, sub = jr.split(key)
        return key, jr.normal(sub)

    return lax.scan(step, key, None, length=N)


def the_same_key_in_both_layers(key):
    return jr.normal(key, (3, 4)), jr.normal(key, (4, 2))


def reuse_inside_a_branch(key):
    coin, sub = jr.split(key)
    return lax.cond(jr.bernoulli(coin) | True, lambda k: jr.normal(k) + jr.uniform(k), lambda _: 0.0, sub)


def reuse_between_a_branch_and_its_outside(key):
    coin, sub = jr.split(key)
    x = lax.cond(jr.bernoulli(coin) | True, jr.normal, lambda _: 0.0, sub)
    return x + jr.uniform(sub)


def never_touch_the_key(key):
    del key
    return jnp.arange(N)


def return_a_constant_key(key):
    typed = is_key(key)
    return (jr.key(3) if typed else jr.PRNGKey(3)), jr.normal(key)


def return_one_child_twice(key):
    new, sub = jr.split(key)
    return new, new, jr.normal(sub)


def a_key_made_of_drawn_numbers(key):
    return jr.normal(jr.key(jr.randint(key, (), 0, 1000)), (N,))


WRONG: list[tuple[Program, set[KeyFault]]] = [
    (two_draws, {F.REUSED}),
    (two_draws_of_different_shapes, {F.REUSED}),
    (the_same_draw_twice, {F.REUSED}),
    (draw_then_split_the_parent, {F.REUSED}),
    (split_then_draw_from_the_parent, {F.REUSED}),
    (split_twice, {F.REUSED}),
    (split_twice_in_the_same_way, {F.REUSED}),
    (return_the_key_that_was_drawn_from, {F.RETURNED_USED}),
    (return_the_argument, {F.RETURNED_INPUT}),
    (return_the_argument_after_splitting_it, {F.RETURNED_INPUT}),
    (a_constant_key, {F.FOREIGN, F.UNUSED}),
    (a_constant_key_beside_the_argument, {F.FOREIGN}),
    (reseed_in_a_loop, {F.FOREIGN, F.REUSED}),
    (fold_in_the_same_number_twice, {F.REUSED}),
    (fold_in_a_constant_in_a_scan, {F.REUSED}),
    (fold_in_and_draw_from_the_parent, {F.REUSED}),
    (fold_in_and_split_the_parent, {F.REUSED}),
    (one_key_in_every_step_of_a_scan, {F.REUSED}),
    (one_key_in_a_python_loop, {F.REUSED}),
    (keys_broadcast_to_every_row, {F.REUSED}),
    (forget_to_carry_the_new_key, {F.REUSED, F.RETURNED_INPUT}),
    (the_same_key_in_both_layers, {F.REUSED}),
    (reuse_inside_a_branch, {F.REUSED}),
    (reuse_between_a_branch_and_its_outside, {F.REUSED}),
    (never_touch_the_key, {F.UNUSED}),
    (return_a_constant_key, {F.RETURNED_FOREIGN}),
    (return_one_child_twice, {F.RETURNED_TWICE}),
    (a_key_made_of_drawn_numbers, {F.FOREIGN}),
]


@pytest.fixture(params=["typed", "raw"])
def key(request: pytest.FixtureRequest) -> jax.Array:
    return jr.key(17) if request.param == "typed" else jr.PRNGKey(17)


@pytest.mark.parametrize("program", RIGHT, ids=lambda program: program.__name__)
def test_right_use_gives_no_finding(program: Program, key: jax.Array) -> None:
    log = log_of(program, key)

    assert log.unverifiable is None, log.detail
    assert log.findings == ()
    assert log.draws > 0


@pytest.mark.parametrize("program, faults", WRONG, ids=lambda value: getattr(value, "__name__", ""))
def test_misuse_is_found_and_named(program: Program, faults: set[KeyFault], key: jax.Array) -> None:
    log = log_of(program, key)

    assert log.unverifiable is None, log.detail
    assert {finding.fault for finding in log.findings} == faults


def only(log: KeyLog) -> KeyFinding:
    (finding,) = log.findings
    return finding


def test_a_finding_names_both_lines(key: jax.Array) -> None:
    def program(key):
        noise = jr.normal(key, (N,))
        return noise + jr.uniform(key, (N,))

    first = program.__code__.co_firstlineno
    uses = only(log_of(program, key)).uses

    assert [use.by for use in uses] == ["normal", "uniform"]
    assert [use.lines[0].line for use in uses] == [first + 1, first + 2]
    assert all(use.lines[0].function.endswith("program") for use in uses)


def test_a_split_in_a_loop_is_named_where_it_stands_not_where_the_first_one_does(key: jax.Array) -> None:
    def program(key):
        key, sub = jr.split(key)

        def body(_, total):
            left, right = jr.split(sub)
            return total + jr.normal(left) + jr.normal(jr.fold_in(right, 3))

        return key, lax.fori_loop(0, N, body, 0.0)

    first = program.__code__.co_firstlineno
    uses = next(finding.uses for finding in log_of(program, key).findings if finding.key.count("split") == 1)
    assert [use.lines[0].line for use in uses] == [first + 4]


def test_lines_are_found_inside_a_jitted_helper(key: jax.Array) -> None:
    @jax.jit
    def helper(key):
        noise = jr.normal(key, (N,))
        return noise + jr.uniform(key, (N,))

    first = helper.__wrapped__.__code__.co_firstlineno
    uses = only(log_of(lambda key: helper(key) * 2, key)).uses

    assert [use.lines[0].line for use in uses] == [first + 2, first + 3]


def test_a_key_is_named_by_its_way_from_the_input(key: jax.Array) -> None:
    def program(key):
        left, _ = jr.split(key)
        child = jr.fold_in(left, 9)
        return jr.normal(child) + jr.normal(child)

    finding = only(log_of(program, key))

    assert finding.key == "input 0.split[0].fold_in(9)"
    assert finding.times == 2


def test_a_loop_counts_how_often_a_key_served(key: jax.Array) -> None:
    finding = only(log_of(one_key_in_every_step_of_a_scan, key))

    assert finding.times == N
    assert len(finding.uses) == 1


def test_the_words_of_a_constant_key_show_its_seed(key: jax.Array) -> None:
    finding = only(log_of(a_constant_key_beside_the_argument, key))

    assert finding.fault is F.FOREIGN
    assert finding.words == (0, 42)


def test_what_a_use_was_for_is_told_apart(key: jax.Array) -> None:
    uses = only(log_of(draw_then_split_the_parent, key)).uses

    assert [use.purpose for use in uses] == [Purpose.DRAW, Purpose.SPLIT]


def test_the_returned_key_is_named_by_its_output(key: jax.Array) -> None:
    finding = only(log_of(lambda key: (jnp.zeros(2), key, jr.normal(key)), key))

    assert (finding.fault, finding.output) == (F.RETURNED_INPUT, 1)


def test_rows_of_a_batch_of_keys_may_each_serve_once() -> None:
    keys = jr.split(jr.key(3), 4)

    assert log_of(jax.vmap(jr.normal), keys).findings == ()
    assert only(log_of(lambda keys: jr.normal(keys[1]) + jr.normal(keys[1]), keys)).key == "input 0[1]"


def test_the_sampler_that_reuses_keys_inside_is_told_apart(key: jax.Array) -> None:
    log = log_of(lambda key: jr.poisson(key, 3.0, (2,)), key)

    assert {finding.fault for finding in log.findings} == {F.SAMPLER_REUSE}
    assert {finding.sampler for finding in log.findings} == {"poisson"}


def test_reuse_around_that_sampler_is_still_the_students(key: jax.Array) -> None:
    log = log_of(lambda key: jr.poisson(key, 3.0, (2,)) + jr.poisson(key, 3.0, (2,)), key)

    assert F.REUSED in {finding.fault for finding in log.findings}


def test_a_seed_that_is_an_input_makes_a_known_key() -> None:
    log = log_of(lambda key, seed: jr.normal(key) + jr.normal(jr.key(seed)), jr.key(1), np.int32(99))

    assert log.findings == ()


def test_a_division_by_zero_on_the_way_to_a_key_does_no_harm() -> None:
    def program(key, n):
        return jr.normal(jr.fold_in(key, 7 // n + 7 % n))

    assert log_of(program, jr.key(1), np.int32(0)).findings == ()


def test_the_older_way_to_split_is_followed_too() -> None:
    with jax.threefry_partitionable(False):  # noqa: FBT003 - its only parameter
        log = log_of(carry_through_scan, jr.key(5))
        misuse = log_of(draw_then_split_the_parent, jr.key(5))

    assert log.findings == ()
    assert {finding.fault for finding in misuse.findings} == {F.REUSED}


def test_the_numbers_drawn_are_counted(key: jax.Array) -> None:
    def broadcast(key):
        return jax.vmap(lambda _: jr.normal(key))(jnp.arange(N))

    assert log_of(split_then_draw, key).blocks == N
    assert log_of(broadcast, key).blocks == 1


def test_a_program_for_several_platforms_is_followed_too(key: jax.Array) -> None:
    for program, expected in ((carry_through_scan, set()), (two_draws, {F.REUSED})):
        made = export.export(jax.jit(program), platforms=("cpu", "cuda"))(key)
        log = client.key_log(BENCH, bytes(made.serialize()), [leaf(key)], key_inputs=[0], key_outputs=[])

        assert log.unverifiable is None, log.detail
        assert {finding.fault for finding in log.findings} == expected


def test_another_generator_gives_no_log() -> None:
    log = log_of(two_draws, jr.key(0, impl="rbg"))

    assert log.unverifiable is Unverifiable.OTHER_GENERATOR
    assert log.findings == ()


def test_a_generator_written_by_hand_gives_no_log(key: jax.Array) -> None:
    def homemade(key):
        words = jr.key_data(key) if is_key(key) else key
        return words ^ jnp.uint32(466688986)

    assert log_of(homemade, key, outputs=[]).unverifiable is Unverifiable.OTHER_GENERATOR


def test_too_many_draws_give_no_log(key: jax.Array) -> None:
    def long(key):
        return lax.scan(lambda k, _: (jr.split(k)[0], jr.normal(k)), key, None, length=6000)[1]

    assert log_of(long, key).unverifiable is Unverifiable.TOO_LARGE


def test_a_log_survives_its_journey_as_json(key: jax.Array) -> None:
    log = log_of(two_draws, key)

    assert KeyLog.read(log.to_json()) == log
