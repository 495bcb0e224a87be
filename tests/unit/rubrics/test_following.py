"""Keys followed in a plain call: the same findings as from a program, for functions that have none."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import random

from grader.engine import trees
from grader.engine.bench.keyfindings import KeyFault
from grader.engine.candidate import keytrail
from grader.engine.candidate.values import as_result_leaf
from grader.engine.testimony import FollowedCall, Frame, HashCall, Seen
from rubrics import following

F = KeyFault


def findings(function: Any, *, returned: bool = False, raw: bool = False) -> set[KeyFault]:  # noqa: ANN401
    """The misuses that one plain call of ``function(key)`` shows; `returned`: its first result is a key."""
    key = random.PRNGKey(7) if raw else random.key(7)
    with keytrail.following({__file__}) as trail:
        result = function(key)
    structure, leaves = trees.pack(result, as_result_leaf)
    calls = tuple(
        HashCall(
            purpose=about["purpose"], keys=keys, counters=counters, last_axis=about["last_axis"],
            frame=Frame(file=about["file"], line=about["line"]),
        )
        for keys, counters, about in zip(trail.keys, trail.counters, trail.about, strict=True)
    )  # fmt: skip
    called = FollowedCall(structure=structure, leaves=leaves, calls=calls, seen=Seen())
    given = as_result_leaf(key)
    assert given is not None
    log = following.key_log(called, [given], key_inputs=[0], key_outputs=[0] if returned else [])
    return {finding.fault for finding in log.findings}


def right(key):
    key, sub = random.split(key)
    total = float(random.normal(sub))
    while total < 3:
        key, sub = random.split(key)
        total += abs(float(random.normal(sub)))
    return key, total


def many_children(key):
    new, base = random.split(key)
    return new, [float(random.uniform(random.fold_in(base, i))) for i in range(3)]


def rows(key):
    new, sub = random.split(key)
    return new, np.asarray(jax.vmap(lambda k: random.normal(k, (2,)))(random.split(sub, 3)))


def scanned(key):
    def body(carry, _):
        carry, sub = random.split(carry)
        return carry, random.normal(sub)

    key, steps = jax.lax.scan(body, key, None, length=3)
    return key, np.cumsum(np.asarray(steps))


def draws_and_splits(key):
    x = float(random.normal(key))
    return random.split(key)[0], x


def draws_twice(key):
    new, sub = random.split(key)
    return new, float(random.normal(sub)) + float(random.normal(sub))


def the_same_key_in_every_step(key):
    new, sub = random.split(key)
    return new, jax.lax.map(lambda _: random.normal(sub), jnp.arange(3))


def makes_its_own(key):
    return random.split(key)[0], float(random.normal(random.key(3)))


def returns_its_key(key):
    return key, float(random.normal(random.split(key)[1]))


def returns_a_used_one(key):
    key, sub = random.split(key)
    return sub, float(random.normal(sub))


def ignores_it(key):
    del key
    return 1.0


@pytest.mark.parametrize("raw", [False, True], ids=["typed", "raw"])
@pytest.mark.parametrize("function", [right, many_children, rows, scanned])
def test_careful_threading_shows_nothing(function: Any, raw: bool):  # noqa: ANN401, FBT001
    assert findings(function, returned=True, raw=raw) == set()


@pytest.mark.parametrize(
    "function, fault",
    [
        (draws_and_splits, F.REUSED),
        (draws_twice, F.REUSED),
        (the_same_key_in_every_step, F.REUSED),
        (makes_its_own, F.FOREIGN),
        (returns_its_key, F.RETURNED_INPUT),
        (returns_a_used_one, F.RETURNED_USED),
    ],
)
def test_a_misuse_is_found(function: Any, fault: KeyFault):  # noqa: ANN401
    assert fault in findings(function, returned=True)


def test_a_key_that_is_not_used_is_found():
    assert findings(ignores_it) == {F.UNUSED}


def test_lines_are_those_of_the_submission():
    with keytrail.following({__file__}) as trail:
        draws_twice(random.key(1))
    lines = {about["line"] for about in trail.about}
    first = draws_twice.__code__.co_firstlineno
    assert lines == {first + 1, first + 2}
    assert {about["purpose"] for about in trail.about} == {"split", "draw"}


def test_the_hash_is_itself_again_afterwards():
    before = keytrail.threefry2x32_p.impl
    with pytest.raises(ZeroDivisionError), keytrail.following(set()):
        raise ZeroDivisionError
    assert keytrail.threefry2x32_p.impl is before


def test_a_trail_that_gets_too_long_ends():
    trail = keytrail.KeyTrail()
    words = [np.zeros(keytrail.MAX_ROWS // 2 + 1, np.uint32)] * 4
    trail.add(words, {})
    with pytest.raises(keytrail.TrailTooLong):
        trail.add(words, {})
