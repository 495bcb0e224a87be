"""Samples by the reparametrisation trick."""

import numpy as np

from rubrics import criterion, f32, key, laws, raw_key

MEAN, LOG_VAR = f32[3], f32[3].between(-1, 1)


def noise(args, result):
    """The samples with mean and spread taken out."""
    _, mean, log_var, n = args
    return (np.asarray(result, float).reshape(n, -1) - mean) / np.exp(log_var / 2)


def has_form(args, result):
    """Whether a result is n samples."""
    shape = args[3], len(args[1])
    return isinstance(result, np.ndarray) and result.shape == shape and result.dtype == np.float32


@criterion("values", points=1, function="sample_latent")
def test_values(submission, draw):
    """Samples of the right distribution."""
    f = submission.sample_latent
    f.satisfies(has_form, draw(key, MEAN, LOG_VAR, 5), draw(raw_key, MEAN, LOG_VAR, 1), says="n samples")
    f.draws_from(laws.normal(), draw(key, MEAN, LOG_VAR, 100), draw(key, MEAN, LOG_VAR, 101), numbers=noise)


@criterion("purity", points=1, function="sample_latent")
def test_purity(submission, draw):
    """Depends on the arguments alone."""
    submission.sample_latent.is_pure(draw(key, MEAN, LOG_VAR, 6), draw(key, f32[2], f32[2], 4))


@criterion("prng", points=1, function="sample_latent")
def test_prng(submission, draw):
    """Each key is used once."""
    submission.sample_latent.threads_keys(
        draw(key, MEAN, LOG_VAR, 12), draw(raw_key, MEAN, LOG_VAR, 12), draws=noise
    )


@criterion("jit", points=1, function="sample_latent")
def test_jit(submission, draw):
    """One program."""
    f = submission.sample_latent
    f.traces(draw(key, MEAN, LOG_VAR, 6), draw(raw_key, MEAN, LOG_VAR, 3))
    f.traces_once(draw(key, MEAN, LOG_VAR, 6))


@criterion("transforms", points=1, function="sample_latent")
def test_gradient(submission, draw):
    """Gradients flow into the mean."""
    submission.sample_latent.can_be_differentiated(draw(key, MEAN, LOG_VAR, 6), wrt=1)
