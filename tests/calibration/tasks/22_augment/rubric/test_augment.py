"""Random flips and crops of a batch of images."""

import numpy as np

from rubrics import CheckFailed, criterion, f32, key, laws, raw_key

IMAGES = f32[4, 5, 6]
MANY = np.broadcast_to(np.arange(1, 31, dtype=np.float32).reshape(1, 5, 6), (400, 5, 6)).copy()


def versions(image):
    """All results that one image may have, by flip, dy and dx."""
    found = {}
    for flip in (0, 1):
        padded = np.pad(image[:, ::-1] if flip else image, 1)
        for dy in range(3):
            for dx in range(3):
                found[flip, dy, dx] = padded[dy : dy + image.shape[0], dx : dx + image.shape[1]]
    return found


def choices(args, result):
    """For each image its flip, dy and dx."""
    images = args[1]
    if not (isinstance(result, np.ndarray) and result.shape == images.shape and result.dtype == np.float32):
        raise CheckFailed("values.wrong_structure", {"expected": "an array of the images' shape"})
    rows = []
    for image, new in zip(images, result, strict=True):
        match = [c for c, version in versions(image).items() if np.array_equal(version, new)]
        if not match:
            says = {"says": "flipped and shifted images", "found": "another image"}
            raise CheckFailed("values.not_as_asked", says)
        rows.append(match[0])
    return np.array(rows)


def which(args, result):
    """Number of the version, from 0 to 17, of each image."""
    flip, dy, dx = choices(args, result).T
    return flip * 9 + dy * 3 + dx


@criterion("values", points=1, function="augment")
def test_values(submission, draw):
    """Flips and shifts, each as often as it should be."""
    f = submission.augment
    cases = draw(key, IMAGES), draw(raw_key, f32[1, 4, 4]), draw.numpy(key, IMAGES)
    f.satisfies(lambda *call: len(choices(*call)) > 0, *cases, says="flipped and shifted images")
    f.draws_from(laws.integers(0, 17), draw(key, MANY[:40]), numbers=which)


@criterion("purity", points=1, function="augment")
def test_purity(submission, draw):
    """Depends on key and images alone."""
    submission.augment.is_pure(draw(key, IMAGES), draw(key, f32[2, 4, 4]))


@criterion("immutability", points=1, function="augment")
def test_immutability(submission, draw):
    """Leaves the images alone."""
    submission.augment.leaves_inputs_unchanged(draw.numpy(key, IMAGES), draw(key, IMAGES))


@criterion("prng", points=1, function="augment")
def test_prng(submission, draw):
    """Each key is used once, and each image has its own."""
    submission.augment.threads_keys(draw(key, IMAGES), draw(raw_key, IMAGES))
    submission.augment.threads_keys(draw(key, MANY[:40]), draws=choices)


@criterion("jit", points=1, function="augment")
def test_jit(submission, draw):
    """Works under jit."""
    submission.augment.traces(draw(key, IMAGES), draw(raw_key, IMAGES))
    submission.augment.traces_once(draw(key, IMAGES))
