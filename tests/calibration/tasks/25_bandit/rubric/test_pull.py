"""A step of an epsilon-greedy bandit whose state carries its key."""

import numpy as np

from rubrics import criterion, f32, i32, key, laws, raw_key

K = 5


def state(kind=key):
    """A state to draw, with a key of this kind."""
    return {"key": kind, "counts": i32[K].between(1, 9), "estimates": f32[K]}


MEANS = f32[K]


def has_form(args, result):
    """Whether a result is a state of the old one's form, and the number of an arm."""
    if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], dict)):
        return False
    (new, arm), old = result, args[0]
    if new.keys() != old.keys() or not all(isinstance(part, np.ndarray) for part in (*new.values(), arm)):
        return False
    same = all((new[name].shape, new[name].dtype) == (old[name].shape, old[name].dtype) for name in old)
    return bool(same and arm.shape == () and arm.dtype == np.int32 and 0 <= arm < K)


def is_a_step(args, result):
    """Whether one arm's count and estimate changed as a reward near its mean makes them."""
    if not has_form(args, result):
        return False
    (new, arm), (old, means, _) = result, args
    counts, estimates = old["counts"].copy(), old["estimates"].copy()
    counts[arm] += 1
    reward = estimates[arm] + counts[arm] * (new["estimates"][arm] - estimates[arm])
    others = np.arange(K) != arm
    kept = np.array_equal(new["estimates"][others], estimates[others])
    return bool(np.array_equal(new["counts"], counts) and kept and abs(reward - means[arm]) < 6)


def is_the_best(args, result):
    """Whether the arm of the highest estimate was pulled."""
    return has_form(args, result) and bool(result[1] == np.argmax(args[0]["estimates"]))


def noise_of(args, result):
    """What the reward adds to the arm's mean."""
    (new, arm), (old, means, _) = result, args
    gain = new["estimates"][arm] - old["estimates"][arm]
    return old["estimates"][arm] + new["counts"][arm] * gain - means[arm]


@criterion("values", points=1, function="pull")
def test_values(submission, draw):
    """One arm's count and estimate change."""
    f = submission.pull
    cases = [draw(state(), MEANS, 0.5) for _ in range(8)]
    f.satisfies(is_a_step, *cases, draw(state(raw_key), MEANS, 0.1), says="one step of the bandit")
    f.satisfies(
        is_the_best, *(draw(state(), MEANS, 0.0) for _ in range(3)), says="the best arm for epsilon 0"
    )
    f.draws_from(laws.normal(), draw(state(), MEANS, 0.5), numbers=noise_of)
    f.draws_from(laws.integers(0, K - 1), draw(state(), MEANS, 1.0), numbers=lambda _, result: result[1])


@criterion("purity", points=1, function="pull")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.pull.is_pure(draw(state(), MEANS, 0.5))


@criterion("immutability", points=1, function="pull")
def test_immutability(submission, draw):
    """Leaves the state alone."""
    submission.pull.leaves_inputs_unchanged(draw(state(), MEANS, 0.5), draw.numpy(state(), MEANS, 0.5))


@criterion("prng", points=1, function="pull")
def test_prng(submission, draw):
    """Each key is used once, and the new state's is fresh."""
    cases = draw(state(), MEANS, 1.0), draw(state(raw_key), MEANS, 0.5), draw(state(), MEANS, 0.0)
    submission.pull.threads_keys(*cases, returns_key=(0, "key"))


@criterion("jit", points=1, function="pull")
def test_jit(submission, draw):
    """Works under jit."""
    submission.pull.traces(draw(state(), MEANS, 0.5), draw(state(raw_key), MEANS, f32.scalar(0.2)))
    submission.pull.traces_once(draw(state(), MEANS, 0.5))
