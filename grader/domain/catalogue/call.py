"""A call of the student's function ended without a result."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import ERROR, FUNCTION, LIMIT, SECONDS, SOURCE, TEXT

_EXIT = Param(name="exit", means="how the process ended, such as signal 11", neutral="no explanation")

ENTRIES = (
    CatalogueEntry(
        code="call.raised",
        title="The function raised an error",
        message="{function} raised {error}{at}[[: {text}]][[ (the line is {source})]].",
        why="A call that raises has no result, so whatever this check looks at could not be judged.",
        hint=(
            "Call the function yourself with a small array of the shapes the task names, and read the last "
            "lines of the error from below: the last one inside your own file is where to look."
        ),
        hidden_message="Your function raised an error on an input the task allows.",
        params=(FUNCTION, ERROR, TEXT, SOURCE),
    ),
    CatalogueEntry(
        code="call.timed_out",
        title="The call does not end in time",
        message=(
            "{function} was still running after {seconds} seconds, so it was stopped[[ near {source}]]{at}."
        ),
        why=(
            "The checks use small inputs, which a right solution handles in well under a second. Two causes "
            "are common: a loop whose end condition never comes true, silent inside `jax.lax.while_loop`, "
            "and a long Python loop over JAX operations, each of which is sent off by itself or, under "
            "`jit`, makes the program longer."
        ),
        hint=(
            "Check that every loop makes progress: that the value in its condition really changes in the "
            "body, and that the condition is false at some point also for sizes 0 and 1. Replace a long "
            "Python loop by whole arrays, `jax.vmap` or `jax.lax.scan`."
        ),
        lesson="#control-flow",
        hidden_message="Your function did not return in time on an input the task allows.",
        params=(FUNCTION, SECONDS, SOURCE),
    ),
    CatalogueEntry(
        code="call.out_of_memory",
        title="The call needs too much memory",
        message="{function} needed more memory than {limit}, so it was stopped{at}.",
        why=(
            "The inputs are small; something in between is much larger. Typical are an intermediate array "
            "over all pairs and all features at once, and a list that grows without end."
        ),
        hint=(
            "Multiply the shape of each intermediate result. For distances between rows, for example, the "
            "squares and one matrix product are enough:"
        ),
        example=snippet("""
            def sq_dists(a, b):
                aa = jnp.sum(a * a, axis=1)[:, None]
                bb = jnp.sum(b * b, axis=1)[None, :]
                return aa + bb - 2 * a @ b.T
        """),
        lesson="#speed",
        hidden_message="Your function needed too much memory on an input the task allows.",
        params=(FUNCTION, LIMIT),
    ),
    CatalogueEntry(
        code="call.died",
        title="The process ended during the call",
        message="Python ended while {function} was running[[ ({exit})]]{at}.",
        why=(
            "The function must hand its result back to the caller. `exit()`, `sys.exit()` or `os._exit()` "
            "end the whole program instead; so does a crash inside a compiled extension."
        ),
        hint="Return a value in every branch, and raise an exception where there is nothing to return.",
        hidden_message="Python ended while your function was running on an input the task allows.",
        params=(FUNCTION, _EXIT),
    ),
)
