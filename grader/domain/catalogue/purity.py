"""The function does more than compute its result from its arguments, or depends on more than them."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import CALL, FUNCTION, NAME, SOURCE

_WHAT = Param(
    name="what", means="what changed, such as an attribute of self", neutral="something outside itself"
)
_OUTPUT = Param(name="output", means="what was printed, shortened", neutral="some text", code=True)
_PATH = Param(name="path", means="the file as the code names it", neutral="a file", code=True)
_SETTING = Param(name="setting", means="name of the JAX setting", neutral="a setting", code=True)
_VARIABLE = Param(name="variable", means="name of the environment variable", neutral="a variable", code=True)
_FIRST = Param(name="first", means="result of the first run", neutral="one result")
_SECOND = Param(name="second", means="result of the second run", neutral="another")

_ANCHOR = "#pure-functions"

ENTRIES = (
    CatalogueEntry(
        code="purity.prints",
        title="The function prints",
        message="{function} writes output while it runs{at}[[: {output}]].",
        why=(
            "Printing is a side effect. Under `jit` the Python code runs only while the function is traced, "
            "so the line prints once for each signature instead of once for each call, and shows a tracer, "
            "not numbers."
        ),
        hint=(
            "Return what you want to see and print it outside. While you are debugging, "
            "`jax.debug.print` shows the real values of every call; take it out before you hand in."
        ),
        example=snippet("""
            def f(x):
                return x * 2

            print(f(jnp.ones(3)))  # outside the function
        """),
        lesson=_ANCHOR,
        hidden_message="Your function writes output while it runs.",
        params=(FUNCTION, _OUTPUT),
    ),
    CatalogueEntry(
        code="purity.changes_global",
        title="The function changes a global",
        message="{function} changes a global[[, {name}]]{at}.",
        why=(
            "Under `jit` the assignment happens while the function is traced, not at each call, so the "
            "global soon holds an old value or a leaked tracer. The result of a call then depends on what "
            "ran before it."
        ),
        hint="Take the state as an argument and return the new one; the caller passes it on:",
        example=snippet("""
            def step(count, x):
                return count + 1, x * 2

            count, y = step(0, jnp.ones(3))
        """),
        lesson=_ANCHOR,
        hidden_message="Your function changes a variable outside itself.",
        params=(FUNCTION, NAME),
    ),
    CatalogueEntry(
        code="purity.changes_state",
        title="The function changes something outside itself",
        message="A call of {function} changes {what}{at}.",
        why=(
            "State kept in an object, a closure, a default argument or a function attribute is invisible to "
            "JAX: a compiled function keeps the value that it saw when it was traced, without any warning."
        ),
        hint="Take the state as an argument and return the new state beside the result:",
        example=snippet("""
            def update(stats, x):
                new = {'n': stats['n'] + 1, 'sum': stats['sum'] + x}
                return new, new['sum'] / new['n']
        """),
        lesson=_ANCHOR,
        hidden_message="Your function changes something outside itself.",
        params=(FUNCTION, _WHAT),
    ),
    CatalogueEntry(
        code="purity.hidden_randomness",
        title="Randomness that does not come from the arguments",
        message="{function} draws random numbers from a hidden generator[[, {call}]]{at}.",
        why=(
            "NumPy's and Python's generators are hidden state. Under `jit` their number is drawn once, while "
            "tracing, and then stays the same in every later call."
        ),
        hint="Take a key as an argument and draw from it:",
        example=snippet("""
            def noisy(key, x):
                return x + jax.random.normal(key, x.shape)
        """),
        lesson="#prng-keys",
        hidden_message="Your function draws random numbers that do not come from its arguments.",
        params=(FUNCTION, CALL),
    ),
    CatalogueEntry(
        code="purity.reads_clock",
        title="The function reads the clock",
        message="{function} reads the time[[ with {call}]]{at}.",
        why=(
            "The same arguments then give different results. Under `jit` the clock is read once, while "
            "tracing, and the old time stays in the compiled program."
        ),
        hint="Take the time (or a seed) as an argument, and measure durations outside the function:",
        example=snippet("""
            start = time.perf_counter()
            y = f(x).block_until_ready()  # wait until it is done
            seconds = time.perf_counter() - start
        """),
        lesson=_ANCHOR,
        hidden_message="Your function reads the clock.",
        params=(FUNCTION, CALL),
    ),
    CatalogueEntry(
        code="purity.reads_environment",
        title="The function reads an environment variable",
        message="{function} reads the environment variable {name}{at}.",
        why=(
            "What stands there differs from machine to machine, so equal arguments give different results. "
            "Under `jit` it is read once, while tracing, and a later change has no effect."
        ),
        hint="Read it outside, once, and pass what it says as an argument:",
        example=snippet("""
            def f(x, rate):  # the caller read it
                return rate * x
        """),
        lesson=_ANCHOR,
        hidden_message="Your function reads an environment variable.",
        params=(FUNCTION, NAME),
    ),
    CatalogueEntry(
        code="purity.touches_files",
        title="The function uses files",
        message="{function} opens {path}{at}.",
        why=(
            "Reading a file makes the result depend on more than the arguments, and writing one is a side "
            "effect. Under `jit` either happens once, while tracing, and not at each call."
        ),
        hint=(
            "Load the data outside and pass it in as an array; return what is to be saved, and save it "
            "outside."
        ),
        lesson=_ANCHOR,
        hidden_message="Your function uses files.",
        params=(FUNCTION, _PATH),
    ),
    CatalogueEntry(
        code="purity.differs_between_runs",
        title="The same arguments give different results",
        message=(
            "{function} gave different results for equal arguments{at}[[: first {first}, then {second}]]."
        ),
        why=(
            "A pure function's result depends on its arguments alone. Something else comes in here: earlier "
            "calls, a random generator, the clock, the environment, or the order of a set."
        ),
        hint=(
            "Look for every name the function reads that is neither an argument nor a constant. Whatever can "
            "change between two calls has to become an argument."
        ),
        example=snippet("""
            def scaled(x, factor):  # instead of reading a global factor
                return x * factor
        """),
        lesson=_ANCHOR,
        hidden_message="Your function gave different results for equal arguments.",
        params=(FUNCTION, _FIRST, _SECOND),
    ),
    CatalogueEntry(
        code="purity.reads_global",
        title="The result depends on a variable that can change",
        message="{function} reads a module-level variable that another function of your file changes{at}.",
        why=(
            "After such a change the same arguments give another result. Under `jit` they do not: the "
            "program keeps the value that the variable had when it was traced. Reading a constant is fine."
        ),
        hint="Take the value as an argument, or make it a constant that nothing changes:",
        example=snippet("""
            def scaled(x, factor=2.0):  # instead of a global
                return factor * x
        """),
        lesson=_ANCHOR,
        hidden_message="The result of your function depends on a variable that can change.",
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="purity.leaks_tracer",
        title="A traced value escapes from the function",
        message="While {function} is traced, it stores a tracer outside itself[[, in {name}]]{at}.",
        why=(
            "A tracer stands for a value that is not known yet and is only valid while its function is being "
            "traced. Used later, it raises `UnexpectedTracerError`, often far from the line that stored it."
        ),
        hint="Return the value instead of storing it:",
        example=snippet("""
            def f(x):
                y = x + 1
                return y * 2, y  # instead of storing y
        """),
        lesson=_ANCHOR,
        hidden_message="A traced value escapes from your function.",
        params=(FUNCTION, NAME),
    ),
    CatalogueEntry(
        code="purity.changes_config",
        title="The submission changes JAX's settings",
        message="Your code changes {setting}{at}.",
        why=(
            "Settings such as `jax_enable_x64` hold for the whole process: every other function, also other "
            "people's, then computes with other types or rules."
        ),
        hint="Remove the line. If one step needs another precision or dtype, ask for it in that step:",
        example='y = jnp.dot(x, x, precision="highest")',
        lesson="#data-types",
        hidden_message="Your code changes settings of JAX.",
        params=(FUNCTION, _SETTING),
    ),
    CatalogueEntry(
        code="purity.callback",
        title="The program calls back into Python",
        message="{function} contains a call back into Python[[ ({call})]]{at}.",
        why=(
            "`jax.debug.print`, `jax.debug.callback`, `io_callback` and `pure_callback` leave the compiled "
            "program at each call. The result is then no longer a program of arrays alone, and it is slow on "
            "a GPU."
        ),
        hint="Write the step with `jnp` functions; take debugging prints out before you hand in.",
        example=snippet("""
            def f(x):
                return jnp.sin(x)  # instead of a callback to np.sin
        """),
        lesson=_ANCHOR,
        hidden_message="Your function contains a call back into Python.",
        params=(FUNCTION, CALL),
    ),
    CatalogueEntry(
        code="purity.changes_environment",
        title="The function changes the process around it",
        message="A call of {function} changes {what}{at}[[ ({variable})]].",
        why=(
            "Environment variables, the working folder, signal handlers, NumPy's print options and threads "
            "belong to the whole process. A change there reaches code that never called your function."
        ),
        hint="Remove the change. What the function needs to know comes in as an argument.",
        lesson=_ANCHOR,
        hidden_message="Your function changes the process around it.",
        params=(FUNCTION, _WHAT, _VARIABLE),
    ),
)
