"""Keys are reused, ignored, made up, or handed back used."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import CALL, FUNCTION, NAME

_ANCHOR = "#prng-keys"
_TIMES = Param(name="times", means="how often the key is used", neutral="several")
_FIRST_LINE = Param(
    name="first_line", means="place of the first use, such as on line 7", neutral="on an earlier line"
)
_REASON = Param(
    name="reason", means="what stood in the way", neutral="the program uses a step that cannot be followed"
)

_SPLIT = snippet("""
    def f(key):
        key, sub = jax.random.split(key)
        return key, jax.random.normal(sub, (3,))
""")

ENTRIES = (
    CatalogueEntry(
        code="prng.key_reused",
        title="A key is used more than once",
        message="{function} uses the same key {times} times{at}[[; the first use is {first_line}]].",
        why=(
            "A key does not change when it is used: the same key gives the same numbers. Draws that share a "
            "key are copies of each other, not independent. A key that a loop body takes from outside is "
            "used in every round."
        ),
        hint="Split once for each draw, and use every key exactly once, for one draw or one split:",
        example=snippet("""
            def f(key):
                k1, k2 = jax.random.split(key)
                a = jax.random.normal(k1, (3,))
                return a + jax.random.uniform(k2, (3,))
        """),
        lesson=_ANCHOR,
        hidden_message="A key is used more than once.",
        params=(FUNCTION, NAME, _TIMES, _FIRST_LINE),
    ),
    CatalogueEntry(
        code="prng.key_ignored",
        title="The key makes no difference",
        message="{function} gives the same result whatever key it is called with{at}.",
        why=(
            "The caller decides with the key which random numbers come out. Where it has no effect, every "
            "caller gets the same ones."
        ),
        hint="Draw from the key that comes in, or from keys split off from it:",
        example=snippet("""
            def f(key, x):
                return x + jax.random.normal(key, x.shape)
        """),
        lesson=_ANCHOR,
        hidden_message="The result does not depend on the key.",
        params=(FUNCTION,),
    ),
    CatalogueEntry(
        code="prng.hidden_key",
        title="A key of the function's own",
        message="{function} draws from a key that does not come from its arguments[[: {call}]]{at}.",
        why=(
            "A key made from a fixed seed inside the function gives the same numbers at every call, and the "
            "caller can neither change nor repeat them."
        ),
        hint=(
            "Take every key from the argument: split it, or fold a number in. Seeds belong to the main "
            "program."
        ),
        example=snippet("""
            def f(key, step):
                # not: sub = jax.random.key(step)
                sub = jax.random.fold_in(key, step)
                return jax.random.normal(sub, (3,))
        """),
        lesson=_ANCHOR,
        hidden_message="Your function draws from a key that does not come from its arguments.",
        params=(FUNCTION, CALL),
    ),
    CatalogueEntry(
        code="prng.returned_key_used",
        title="The returned key was already used",
        message="{function} returns a key that it has already used{at}.",
        why=(
            "The caller draws from the returned key next. If it was used inside, the caller's numbers repeat "
            "yours."
        ),
        hint="Split first: one part is carried on and returned, the other is used up here:",
        example=_SPLIT,
        lesson=_ANCHOR,
        hidden_message="The returned key was already used.",
        params=(FUNCTION, NAME),
    ),
    CatalogueEntry(
        code="prng.returned_same_key",
        title="The incoming key is returned",
        message="{function} returns the key that it was called with{at}.",
        why="The next call then starts from the same key and gives exactly the same numbers again.",
        hint="Return a new key that was split off and not used:",
        example=_SPLIT,
        lesson=_ANCHOR,
        hidden_message="The returned key is the one that came in.",
        params=(FUNCTION, NAME),
    ),
    CatalogueEntry(
        code="prng.parent_used_after_split",
        title="A key is both drawn from and split",
        message=(
            "{function} uses one key for a draw and for a split{at}"
            "[[; the first of the two is {first_line}]]."
        ),
        why=(
            "A draw uses a key up, and so does a split: the numbers and the children are made from the same "
            "random bits, so what is drawn from them is not independent."
        ),
        hint="Give the parent's name to one of the children, so that the old key cannot be used again:",
        example=_SPLIT,
        lesson=_ANCHOR,
        hidden_message="A key is both drawn from and split.",
        params=(FUNCTION, NAME, _FIRST_LINE),
    ),
    CatalogueEntry(
        code="prng.numpy_random",
        title="Random numbers from outside JAX",
        message="{function} draws[[ with {call}]]{at}, not with `jax.random` and the key.",
        why=(
            "NumPy's, Python's and PyTorch's generators keep hidden state. Under `jit` their numbers are "
            "drawn once, while tracing, and are constants from then on; under `vmap` all rows get the same "
            "ones."
        ),
        hint="Every sampler has a counterpart in `jax.random` that takes the key first:",
        example=snippet("""
            # instead of: noise = np.random.randn(3)
            noise = jax.random.normal(key, (3,))
        """),
        lesson=_ANCHOR,
        hidden_message="Your function draws random numbers from outside JAX.",
        params=(FUNCTION, CALL),
    ),
    CatalogueEntry(
        code="prng.key_not_used",
        title="The key is never used",
        message="{function} never draws from its key{at}.",
        why=(
            "The task asks for random numbers, and in JAX all of them come from the key that the caller "
            "passes in."
        ),
        hint="Draw from the key, or from keys split off from it:",
        example=_SPLIT,
        lesson=_ANCHOR,
        hidden_message="Your function never draws from its key.",
        params=(FUNCTION,),
    ),
    CatalogueEntry(
        code="prng.unverifiable",
        title="The keys could not be followed",
        message="How {function} uses its keys could not be followed here: {reason}.",
        why=(
            "Key use is judged by running the traced program step by step. Some programs, such as a draw "
            "inside `jax.lax.cond`, cannot be run that way. This costs no points; course staff can look at "
            "it."
        ),
        hint=(
            "Nothing has to change. Drawing before the branch, and choosing afterwards, makes it easy to "
            "follow:"
        ),
        example=snippet("""
            draw = jax.random.normal(key, (3,))
            y = jnp.where(x > 0, draw, 0.0)
        """),
        lesson=_ANCHOR,
        params=(FUNCTION, _REASON),
    ),
)
