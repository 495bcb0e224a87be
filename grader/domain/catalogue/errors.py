"""What JAX itself raises: its words are for those who know it, these are for those who learn it."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, snippet
from grader.domain.catalogue.params import ERROR, FUNCTION, SOURCE, TEXT

_SHOWN = (FUNCTION, ERROR, TEXT, SOURCE)

ENTRIES = (
    CatalogueEntry(
        code="call.list_argument",
        title="A list is not an array",
        message="{source}{at} hands a Python list or tuple to a function of JAX, which takes arrays.",
        why=(
            "NumPy turns lists into arrays on its own. JAX refuses: under `jit` each number of a list would "
            "become an argument of its own, and a long list a slow program."
        ),
        hint="Make one array of the list first, and work with that:",
        example="largest = jnp.max(jnp.array([1.0, 2.0]))",
        lesson="#pure-functions",
        hidden_message="A Python list or tuple is handed to a function of JAX, which takes arrays.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="call.not_an_array",
        title="An argument is neither an array nor a number",
        message="{source}{at} hands something to JAX that is neither an array nor a number[[: {text}]].",
        why=(
            "What `jit` and the functions of `jax.numpy` take are arrays, numbers, and tuples, lists and "
            "dicts of them. A string, `None` or an object of your own class, such as the `self` of a method, "
            "cannot become part of a compiled program."
        ),
        hint=(
            "Hand over the arrays that are needed, not the object that holds them; jit a plain function in "
            "place of a method:"
        ),
        example=snippet("""
            @jax.jit
            def apply(weights, x):  # not apply(self, x)
                return weights @ x
        """),
        lesson="#tracing-and-jit",
        hidden_message="Something that is neither an array nor a number is handed to JAX.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="call.shape_mismatch",
        title="Two shapes do not fit together",
        message="In {source}{at}, the shapes do not fit together[[: {text}]].",
        why=(
            "Shapes are compared from the last axis backwards: two sizes fit if they are equal or one of them"
            " is 1. `a @ b` needs the last axis of `a` to be as long as the last but one of `b`."
        ),
        hint="Print the shape of each array just before this line, and give one of them the axis it lacks:",
        example=snippet("""
            x, weights = jnp.ones((4, 3)), jnp.ones(4)
            y = x * weights[:, None]  # (4, 3) and (4, 1)
        """),
        lesson="#pure-functions",
        hidden_message="Two arrays whose shapes do not fit together meet in your function.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="call.no_such_axis",
        title="The array has no such axis",
        message="{source}{at} names an axis that the array does not have[[: {text}]].",
        why=(
            "Axes are counted from 0, so an array of two dimensions has the axes 0 and 1, also reachable from"
            " the end as -1 and -2. Under `vmap` a function sees one axis less."
        ),
        hint="Print the shape just before this line. Counting from the end, as in `axis=-1`, works for any:",
        example="total = jnp.sum(jnp.ones((4, 3)), axis=-1)",
        lesson="#pure-functions",
        hidden_message="Your function names an axis that an array does not have.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="call.bad_index",
        title="This cannot be an index",
        message="{source}{at} indexes an array with something that is no integer[[: {text}]].",
        why=(
            "JAX arrays take integers, slices, `None`, `...`, and arrays of integers or booleans. A list, "
            "which NumPy would turn into an array, a string or a float number is refused."
        ),
        hint="Make a list an array, and a float an integer:",
        example="rows = jnp.ones((4, 3))[jnp.array([0, 2])]",
        lesson="#pure-functions",
        hidden_message="An array is indexed with something that is no integer.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="call.not_in_jax",
        title="JAX has no such thing",
        message="{source}{at} uses what NumPy or PyTorch may have, and JAX has not[[: {text}]].",
        why=(
            "A JAX array never changes, so it has no `fill`, `append` or other method that would change it. "
            "It belongs to no graph of gradients, so there is no `detach` or `backward`; and what PyTorch "
            "calls `dim` is `axis`."
        ),
        hint="Look for the function in `jax.numpy`; it returns a new array:",
        example=snippet("""
            y = jnp.full_like(x, 1.0)  # instead of x.fill(1.0)
            mean = x.mean(axis=0)  # instead of x.mean(dim=0)
        """),
        lesson="#immutability",
        hidden_message="Your function uses something that JAX does not have.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="call.ambiguous_truth",
        title="One condition on many values",
        message="{source}{at} asks whether a whole array is true.",
        why=(
            "An array of several truth values is neither true nor false. `if`, `while`, `and`, `or` and `not`"
            " want one; and under `jit` not even that is known."
        ),
        hint="Choose for each element by itself, or say which one answer is meant:",
        example=snippet("""
            y = jnp.where(x > 0, x, 0.0)
            all_positive = jnp.all(x > 0)
        """),
        lesson="#control-flow",
        hidden_message="A Python condition is asked of a whole array.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="call.unhashable_array",
        title="An array cannot be a key of a dict",
        message="{source}{at} uses an array where Python needs a value that it can hash.",
        why=(
            "Keys of dicts, members of sets and arguments of functions under `functools.lru_cache` are looked"
            " up by a hash. Arrays have none, since comparing two of them gives an array."
        ),
        hint="Use a name, a number or a shape as the key:",
        example="table = {x.shape: x}",
        lesson="#pure-functions",
        hidden_message="An array is used where Python needs a value that it can hash.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="call.no_length",
        title="A single number has no elements",
        message="{source}{at} goes through, or counts, the elements of an array that has no axis.",
        why=(
            "An array of shape `()` is one number. A loop over an array takes it apart along its first axis, "
            "so what comes out of a vector are such numbers."
        ),
        hint="Check which shape arrives here; under `vmap` it is one axis less than outside.",
        lesson="#pure-functions",
        hidden_message="Your function goes through the elements of an array that has no axis.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="call.mixed_dtypes",
        title="Two data types meet where one is needed",
        message="In {source}{at}, arrays of different types meet[[: {text}]].",
        why=(
            "Functions of `jax.lax` do exactly what they say and convert nothing. Those of `jax.numpy` find a"
            " common type first."
        ),
        hint="Use the function of `jax.numpy`, or convert one of the two:",
        example="y = jnp.add(x, 1)  # instead of lax.add(x, 1)",
        lesson="#data-types",
        hidden_message="Arrays of different types meet where one type is needed.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="call.missing_rule",
        title="JAX cannot do this here",
        message="{source}{at} asks JAX for something that it does not offer[[: {text}]].",
        why=(
            "Not every operation can be differentiated, batched or compiled. JAX then raises "
            "`NotImplementedError` and names the operation."
        ),
        hint="Look for another function that gives the same numbers, in `jax.numpy` or `jax.lax`.",
        lesson="#pure-functions",
        hidden_message="Your function asks JAX for something that it does not offer.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="immutability.out_argument",
        title="Results are not written into arrays",
        message="{source}{at} asks for the result to be written into an array, which JAX never does.",
        why="JAX arrays never change, so a function of `jax.numpy` has no use for NumPy's `out=`.",
        hint="Leave `out=` away, and give the result a name:",
        example="x = jnp.add(x, 1.0)",
        lesson="#immutability",
        hidden_message="Your function asks for a result to be written into an array.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="jit.branch_types",
        title="The branches of a condition do not fit together",
        message="In {source}{at}, the branches or the condition have other types than needed[[: {text}]].",
        why=(
            "`jax.lax.cond` and `switch` are one operation with one result, whichever branch is taken. So all"
            " branches give the same structure, shapes and types, and the condition is a single truth value."
        ),
        hint="Give the branches one type; where each element decides for itself, use `jnp.where`:",
        example="y = jax.lax.cond(x[0] > 0, lambda v: v, lambda v: 0 * v, x)",
        lesson="#control-flow",
        hidden_message="The branches of a condition have different types, or the condition is an array.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="jit.scan_pair",
        title="The body of a scan returns a pair",
        message="The body of the scan in {source}{at} does not return a pair.",
        why=(
            "`jax.lax.scan` keeps two things apart: the carry, handed on to the next step, and an output that"
            " is stacked over all steps. The body returns both, in this order."
        ),
        hint="Return the carry and the output, `None` if there is none:",
        example=snippet("""
            def body(carry, v):
                return carry + v, None

            total, _ = jax.lax.scan(body, 0.0, x)
        """),
        lesson="#control-flow",
        hidden_message="The body of a scan does not return a pair.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="prng.key_batch",
        title="Many keys where one is taken",
        message="{source}{at} hands several keys to a function that takes one.",
        why=(
            "`jax.random.split(key, n)` gives an array of `n` keys. A sampler draws with a single one, and "
            "gives as many numbers as its shape says."
        ),
        hint="Draw all numbers with one key, or map over the keys:",
        example=snippet("""
            keys = jax.random.split(key, 4)
            draws = jax.vmap(jax.random.normal)(keys)
        """),
        lesson="#prng-keys",
        hidden_message="Several keys are handed to a function that takes one.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="prng.not_a_key",
        title="This is not a key",
        message="{source}{at} hands something to `jax.random` that is no key[[: {text}]].",
        why=(
            "Functions of `jax.random` have no state: all their randomness comes from a key. A number is a "
            "seed, of which a key is made once, outside of the function."
        ),
        hint="Pass on the key that the function was given. Where a program starts, make one of a seed:",
        example=snippet("""
            key = jax.random.key(0)
            x = jax.random.normal(key, (3,))
        """),
        lesson="#prng-keys",
        hidden_message="Something that is no key is handed to a function of `jax.random`.",
        params=_SHOWN,
    ),
    CatalogueEntry(
        code="device.not_there",
        title="There is no such device",
        message="{source}{at} asks for a device that is not there[[: {text}]].",
        why=(
            "A program that names a GPU runs on no other machine. JAX places arrays on the best device that "
            "there is without being asked."
        ),
        hint="Leave the device away, or ask for what is there:",
        example="device = jax.devices()[0]",
        lesson="#data-types",
        hidden_message="Your function asks for a device that is not there.",
        params=_SHOWN,
    ),
)
