"""Tokens drawn from a softmax."""

import numpy as np

from rubrics import criterion, f32, key, laws, raw_key

SHARES = np.array([0.5, 0.3, 0.15, 0.05])
LOGITS = np.log(np.tile(SHARES, (10, 1))).astype(np.float32) + 1


def has_form(args, result):
    """Whether a result is a row of tokens for each row of logits."""
    _, logits, length = args
    if not (isinstance(result, np.ndarray) and result.dtype == np.int32):
        return False
    in_range = (result >= 0) & (result < logits.shape[1])
    return result.shape == (len(logits), length) and bool(in_range.all())


def tokens(_, result):
    """A row of tokens for each row of logits."""
    return np.atleast_2d(result)


@criterion("values", points=1, function="sample_tokens")
def test_values(submission, draw):
    """Tokens as often as they should be."""
    f = submission.sample_tokens
    f.satisfies(has_form, draw(key, f32[3, 5], 4), draw(raw_key, f32[1, 2], 1), says="tokens")
    f.draws_from(laws.categorical(SHARES), draw(key, LOGITS, 20), draw(key, LOGITS, 21), numbers=tokens)


@criterion("purity", points=1, function="sample_tokens")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.sample_tokens.is_pure(draw(key, f32[3, 5], 4), draw(key, f32[2, 4], 3))


@criterion("prng", points=1, function="sample_tokens")
def test_prng(submission, draw):
    """Each key is used once, each row and each place has its own."""
    f = submission.sample_tokens
    f.threads_keys(draw(key, f32[3, 5], 4), draw(raw_key, f32[3, 5], 4))
    f.threads_keys(draw(key, LOGITS, 6), draws=tokens)
    f.threads_keys(draw(key, LOGITS[:2], 12), draws=lambda args, result: tokens(args, result).T)


@criterion("jit", points=1, function="sample_tokens")
def test_jit(submission, draw):
    """Works under jit."""
    f = submission.sample_tokens
    f.traces(draw(key, f32[3, 5], 4), draw(raw_key, f32[2, 4], 3))
    f.traces_once(draw(key, f32[3, 5], 4))
