"""The function cannot be traced, is traced too often, grows with its input, or is slow."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import CALL, ERROR, FUNCTION, LIMIT, NAME, SOURCE, TEXT

_TRACING = "#tracing-and-jit"
_CONTROL = "#control-flow"
_SPEED = "#speed"

_TRACES = Param(name="traces", means="how often it was traced", neutral="several")
_CALLS = Param(name="calls", means="how many calls were made", neutral="a few")
_SMALL = Param(name="small", means="the smaller size", neutral="a small size")
_LARGE = Param(name="large", means="the larger size", neutral="a larger one")
_OPS_SMALL = Param(name="ops_small", means="operations at the smaller size", neutral="few")
_OPS_LARGE = Param(name="ops_large", means="operations at the larger size", neutral="many more")
_OPS = Param(name="ops", means="operations in the program", neutral="too many")
_ELEMENTS = Param(name="elements", means="elements of the largest value", neutral="far too many")
_STEPS = Param(name="steps", means="loop steps in all, nested loops multiplied", neutral="too many")
_RATIO = Param(name="ratio", means="measured speed, in times the baseline", neutral="not enough")
_NEEDED = Param(
    name="needed", means="speed asked for, in times the baseline", neutral="the required number of"
)
_LOW = Param(name="low", means="lower end of the interval", neutral="less")
_HIGH = Param(name="high", means="upper end of the interval", neutral="more")
_BEFORE = Param(name="before", means="type of the carry going in", neutral="one type")
_AFTER = Param(name="after", means="type of the carry coming out", neutral="another")
_SHAPE = Param(name="shape", means="shape of the function's output", neutral="more than one number")
_DTYPE = Param(name="dtype", means="dtype of the input", neutral="an integer type")

ENTRIES = (
    CatalogueEntry(
        code="jit.concretization",
        title="A value is needed while the function is traced",
        message="Under `jit`, {source}{at} needs the value of a traced argument, which is not known yet.",
        why=(
            "`jit` runs your Python code once with tracers: they have a shape and a dtype, but no value. "
            "`int(x)`, `float(x)` and `x.item()` ask for one, and so does whatever fixes a shape, such as "
            "the length of `jnp.arange(n)` or `jnp.zeros(n)`."
        ),
        hint=(
            "Take sizes from `x.shape`, which is known. If the value must decide a shape, mark the argument "
            "as static where the task allows it; otherwise compute over the full size and mask:"
        ),
        example=snippet("""
            def sum_first(x, n):
                inside = jnp.arange(x.shape[0]) < n
                return jnp.sum(jnp.where(inside, x, 0.0))
        """),
        lesson=_TRACING,
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="jit.tracer_bool",
        title="A Python condition on a traced value",
        message="Under `jit`, {source}{at} asks whether a traced value is true.",
        why=(
            "`if`, `while`, `and`, `or`, `not` and `assert` need a plain Python True or False while the "
            "function is traced, but a traced value has none yet. Only one branch could go into the program "
            "anyway."
        ),
        hint=(
            "Choose between two values with `jnp.where`, between two computations with `jax.lax.cond`, and "
            "loop with `jax.lax.while_loop` or `fori_loop`. Conditions on shapes are fine in Python."
        ),
        example=snippet("""
            def relu(x):
                return jnp.where(x > 0, x, 0.0)  # instead of: if x > 0
        """),
        lesson=_CONTROL,
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="jit.tracer_array",
        title="NumPy is used on a traced value",
        message="Under `jit`, {source}{at} hands a traced value to NumPy.",
        why=(
            "NumPy works on numbers that exist. A tracer has none, so `np.sin(x)`, `np.asarray(x)` and "
            "`np.sum(x)` cannot work on it."
        ),
        hint="Use the `jnp` function of the same name. NumPy on shapes and on constants is fine.",
        example=snippet("""
            def f(x):
                return jnp.sin(x)  # instead of np.sin(x)
        """),
        lesson=_TRACING,
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="jit.tracer_into_array",
        title="A traced value is written into a NumPy array",
        message="Under `jit`, {source}{at} writes a traced value into a NumPy array.",
        why=(
            "A plain call works, for there the values exist. While JAX traces the function, they are "
            "tracers, which stand for values to come: a NumPy array holds numbers and has no room for one."
        ),
        hint=(
            "Make the array with `jnp` and keep what `.at[...].set(...)` returns; better still, compute all "
            "entries at once, by broadcasting or with `jax.vmap`:"
        ),
        example=snippet("""
            def table(x):
                out = jnp.zeros((x.size, 2))  # instead of np.zeros
                out = out.at[:, 0].set(x)  # no loop over out[i, 0]
                return out.at[:, 1].set(jax.vmap(jnp.sin)(x))
        """),
        lesson=_TRACING,
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="jit.raises_when_traced",
        title="The function raises an error only while JAX traces it",
        message=(
            "Called plainly, {function} works; while JAX traces it, as under `jax.jit`, it raises "
            "{error}{at}[[: {text}]][[ (the line is {source})]]."
        ),
        why=(
            "While it is traced, a function gets tracers instead of arrays: they have a shape and a type, "
            "and no values. Whatever needs the values, or asks what kind of object it got, ends otherwise."
        ),
        hint=(
            "A plain call does not show this error, so call it under `jax.jit` yourself, with the static "
            "arguments the task names. The last line of your own file in the error does something that works "
            "on an array and not on a tracer:"
        ),
        example=snippet("""
            x = jnp.arange(3.0)
            jax.jit(f)(x)  # raises what f(x) does not
        """),
        lesson=_TRACING,
        hidden_message="Your function raises an error while JAX traces it, on an input the task allows.",
        params=(FUNCTION, ERROR, TEXT, SOURCE),
    ),
    CatalogueEntry(
        code="jit.tracer_integer",
        title="A traced value is used as a Python integer",
        message="Under `jit`, {source}{at} uses a traced value where Python needs an integer.",
        why=(
            "`range(n)` and an index into a Python list need a number while the function is traced; a traced "
            "argument has none yet."
        ),
        hint="Loop with `jax.lax.fori_loop`, and index a JAX array instead of a list:",
        example=snippet("""
            def repeat_double(x, n):
                # instead of: for i in range(n): x = x * 2
                return jax.lax.fori_loop(0, n, lambda i, acc: acc * 2, x)
        """),
        lesson=_CONTROL,
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="jit.unexpected_tracer",
        title="A tracer from another call is used",
        message="{function} uses a traced value that was left over from an earlier trace{at}.",
        why=(
            "A tracer is only valid while its own function is being traced. Stored in a global, an attribute "
            "or a list and used later, it raises `UnexpectedTracerError`."
        ),
        hint="Return values instead of storing them, and pass them on as arguments:",
        example=snippet("""
            def step(state, x):
                state = state + x
                return state, state * 2
        """),
        lesson="#pure-functions",
        params=(FUNCTION, NAME),
    ),
    CatalogueEntry(
        code="jit.unhashable_static",
        title="A static argument cannot be hashed",
        message="The call{at} passes {name} as a static argument, but it cannot be hashed.",
        why=(
            "A static argument is part of the key under which the compiled program is kept, so it needs "
            "`__hash__` and `__eq__` and must not change. Arrays, lists, dicts and sets have no hash."
        ),
        hint="Pass arrays as ordinary (traced) arguments; use a tuple or a number for what has to be static:",
        example=snippet("""
            def f(x, shape):
                return x.reshape(shape)

            y = jax.jit(f, static_argnums=1)(jnp.ones(6), (2, 3))
        """),
        lesson=_TRACING,
        params=(FUNCTION, NAME, TEXT),
    ),
    CatalogueEntry(
        code="jit.not_traceable",
        title="The function does not work under jit",
        message="Under `jit`, {function} raised {error}{at}[[: {text}]].",
        why=(
            "`jit` runs your Python code once with tracers in place of the arrays and records what is done "
            "with them. A step that needs more than shape and dtype, or is not made of JAX functions, cannot "
            "be recorded."
        ),
        hint=(
            "Try it yourself, and go from the line named upwards until the traced value goes into something "
            "else:"
        ),
        example=snippet("""
            def f(x):
                return x * 2

            print(jax.make_jaxpr(f)(jnp.ones(3)))  # what jit records
        """),
        lesson=_TRACING,
        params=(FUNCTION, ERROR, TEXT),
    ),
    CatalogueEntry(
        code="jit.disagrees",
        title="The compiled function gives another result",
        message="{function} gives another result under `jit` than in a plain call{at}.",
        why=(
            "Both run the same code, so something depends on more than the arguments: a global or an "
            "attribute that changes (under `jit` it stays as it was when traced), a `try`/`except` around a "
            "tracer error, a test whether the argument is a tracer, or a change made to an input."
        ),
        hint=(
            "Make everything that can change an argument, and do without code that behaves differently when "
            "traced."
        ),
        example=snippet("""
            def scaled(x, factor):  # instead of reading a global factor
                return x * factor
        """),
        lesson=_TRACING,
        hidden_message="Your function gives another result under `jit` than in a plain call.",
        params=(FUNCTION,),
    ),
    CatalogueEntry(
        code="jit.retraced",
        title="Traced again and again",
        message="{function} was traced {traces} times[[ in {calls} calls with equal shapes]]{at}.",
        why=(
            "Tracing and compiling take far longer than running. They should happen once for each signature. "
            "A fresh `lambda`, `partial` or nested function inside is new to `jit` at each call, and so is "
            "each new value of a static argument."
        ),
        hint="Apply `jit` once, outside, to a named function; pass values that change as ordinary arguments:",
        example=snippet("""
            @jax.jit
            def scale(x, factor):
                return x * factor

            y = [scale(x, f) for f in (1.0, 2.0, 3.0)]  # one trace
        """),
        lesson=_TRACING,
        params=(FUNCTION, _TRACES, _CALLS),
    ),
    CatalogueEntry(
        code="jit.program_grows",
        title="The program grows with the input",
        message=(
            "The program of {function} has {ops_small} operations for size {small} and {ops_large} for size "
            "{large}{at}: a loop is written out step by step."
        ),
        why=(
            "A Python loop is unrolled when it is traced: each round adds its operations to the program. "
            "Compile time grows with the number of rounds, soon to seconds and minutes."
        ),
        hint="Work on whole arrays at once, use `jax.vmap`, or write a loop that stays a loop:",
        example=snippet("""
            def running_sum(x):
                def body(total, v):
                    total = total + v
                    return total, total
                return jax.lax.scan(body, jnp.zeros((), x.dtype), x)[1]
        """),
        lesson=_CONTROL,
        params=(FUNCTION, _SMALL, _LARGE, _OPS_SMALL, _OPS_LARGE),
    ),
    CatalogueEntry(
        code="jit.too_large",
        title="The program is too large to compile",
        message="The program of {function} has {ops} operations[[, more than the limit of {limit}]]{at}.",
        why=(
            "Compiling a program of that size takes minutes. An unrolled Python loop is nearly always the "
            "reason."
        ),
        hint=(
            "Replace the Python loop by array operations, `jax.vmap`, `jax.lax.scan` or `jax.lax.fori_loop`:"
        ),
        example=snippet("""
            def power_sum(x, n):
                def body(i, total):
                    return total + x**i

                return jax.lax.fori_loop(0, n, body, jnp.zeros_like(x))
        """),
        lesson=_CONTROL,
        params=(FUNCTION, _OPS, LIMIT),
    ),
    CatalogueEntry(
        code="jit.large_temporary",
        title="A temporary that is far too large",
        message="The program of {function} makes an array of {elements} elements[[; {limit} suffice]]{at}.",
        why=(
            "Broadcasting `x[:, None, :] - y[None, :, :]` makes an array of n * m * d numbers. A plain call "
            "really builds it, and at a few thousand rows it fills the memory of any device."
        ),
        hint="Rewrite the sum so that no such array appears, with a matrix product, or go row by row:",
        example=snippet("""
            def sq_dists(x, y):
                row = lambda a: jnp.sum((a - y) ** 2, axis=1)
                return jax.lax.map(row, x)
        """),
        lesson=_SPEED,
        params=(FUNCTION, _ELEMENTS, LIMIT),
    ),
    CatalogueEntry(
        code="jit.many_steps",
        title="Too many steps one after the other",
        message="The loops of {function} take {steps} steps[[; {limit} are enough]]{at}.",
        why=(
            "The steps of `scan`, `fori_loop` and `lax.map` run one after the other. A loop over single "
            "entries leaves all but one of the device's units idle."
        ),
        hint="Let each step work on a whole row, or replace the loop by array operations or `jax.vmap`:",
        example=snippet("""
            def row_sums(x):
                return jax.vmap(jnp.sum)(x)  # no loop over x[i, j]
        """),
        lesson=_SPEED,
        params=(FUNCTION, _STEPS, LIMIT),
    ),
    CatalogueEntry(
        code="jit.callback",
        title="The compiled program calls back into Python",
        message="The program of {function} calls back into Python[[ ({call})]]{at}.",
        why=(
            "`jax.pure_callback`, `io_callback`, `jax.debug.callback` and `jax.debug.print` make the "
            "compiled program wait for Python at each call. It cannot be exported, and JAX cannot "
            "differentiate what Python does there."
        ),
        hint="Write the step with `jnp` and `jax.lax` functions:",
        example=snippet("""
            def f(x):
                return jnp.cumsum(x)  # instead of a callback to np.cumsum
        """),
        lesson=_TRACING,
        params=(FUNCTION, CALL),
    ),
    CatalogueEntry(
        code="jit.too_slow",
        title="Not fast enough",
        message=(
            "{function} runs {ratio} times as fast as the baseline[[ (between {low} and {high})]]; "
            "the check asks for at least {needed} times."
        ),
        why=(
            "The compiled program is measured, not the tracing, in turn with the baseline on the same "
            "machine. What remains is the work itself: steps taken one after the other that could be one "
            "array operation."
        ),
        hint=(
            "Look for a loop over rows or entries and replace it by one operation on the whole array, or "
            "`jax.vmap`:"
        ),
        example=snippet("""
            def row_norms(x):
                # all rows at once, not one after the other
                return jnp.sqrt(jnp.sum(x * x, axis=1))
        """),
        lesson=_SPEED,
        params=(FUNCTION, _RATIO, _NEEDED, _LOW, _HIGH),
    ),
    CatalogueEntry(
        code="jit.speed_not_judged",
        title="Speed is judged for right results only",
        message=(
            "What {function} computes for the inputs of the speed check differs from the right results{at}, "
            "so its speed was not judged."
        ),
        why="A wrong result is easy to compute fast. The outputs are compared before the times are.",
        hint=(
            "Mend the values first: the checks of the results say what is wrong with them. Then look at the "
            "speed."
        ),
        lesson=_SPEED,
        hidden_message="The results of the speed check are not right, so the speed was not judged.",
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="jit.speed_uncertain",
        title="The speed could not be decided",
        message=(
            "{function} runs {ratio} times as fast as the baseline[[ (between {low} and {high})]]; the "
            "check asks for at least {needed} times, and that is too close to tell."
        ),
        why=(
            "Every measurement has noise. Where it does not allow a verdict, the points are yours; course "
            "staff see the measurement."
        ),
        hint="Nothing has to change. Fewer passes over the data would put it clearly on the fast side.",
        lesson=_SPEED,
        params=(FUNCTION, _RATIO, _NEEDED, _LOW, _HIGH),
    ),
    CatalogueEntry(
        code="jit.scan_carry",
        title="The loop's state changes its type",
        message="The loop{at} starts with a state of type {before} and returns one of type {after}.",
        why=(
            "The state that `scan`, `fori_loop` and `while_loop` carry along keeps its structure, shape and "
            "dtype: the body is compiled once, for all rounds."
        ),
        hint="Start with the type that the body returns; `0` is an integer, `0.0` a float:",
        example=snippet("""
            def total(x):
                body = lambda c, v: (c + v, None)
                return jax.lax.scan(body, jnp.zeros((), x.dtype), x)[0]
        """),
        lesson=_CONTROL,
        params=(FUNCTION, _BEFORE, _AFTER, TEXT),
    ),
    CatalogueEntry(
        code="jit.nonscalar_grad",
        title="Gradient of something that is not one number",
        message="`jax.grad` is applied to a function that returns {shape}{at}.",
        why=(
            "A gradient is defined for a function with one number as its result. For several results there "
            "is a matrix of derivatives, which `jax.jacobian` gives."
        ),
        hint=(
            "Sum or average to one number first; for one gradient for each example use "
            "`jax.vmap(jax.grad(f))`; if the function returns more than the loss, say `has_aux=True`."
        ),
        example=snippet("""
            def loss(w, x):
                return jnp.mean((w * x) ** 2)

            per_example = jax.vmap(jax.grad(loss), in_axes=(None, 0))
            slopes = per_example(2.0, jnp.ones(4))
        """),
        lesson=_TRACING,
        params=(FUNCTION, _SHAPE, TEXT),
    ),
    CatalogueEntry(
        code="jit.integer_grad",
        title="Gradient by an integer",
        message="`jax.grad` gets an input of type {dtype}{at}.",
        why=(
            "A derivative needs a quantity that can change by a little; integers cannot, so JAX refuses them."
        ),
        hint="Pass a float, or name the float argument with `argnums`:",
        example="slope = jax.grad(lambda v: v**2)(3.0)  # not 3",
        lesson="#data-types",
        params=(FUNCTION, _DTYPE, TEXT),
    ),
    CatalogueEntry(
        code="jit.while_reverse",
        title="Gradient through a while loop",
        message="The gradient has to go backwards through a loop whose number of rounds is not known{at}.",
        why=(
            "Going backwards needs the intermediate values of every round, and `while_loop` (or `fori_loop` "
            "with traced bounds) does not know how many there will be, so it cannot keep them."
        ),
        hint="Use `scan`, or `fori_loop` with Python integers as bounds (it becomes a `scan`):",
        example=snippet("""
            def power(x):
                return jax.lax.fori_loop(0, 3, lambda i, y: y * x, 1.0)

            slope = jax.grad(power)(2.0)
        """),
        lesson=_CONTROL,
        params=(FUNCTION, TEXT),
    ),
    CatalogueEntry(
        code="jit.boolean_mask",
        title="A boolean mask picks entries",
        message=(
            "Under `jit`, {source}{at} picks entries by a mask, so the size of the result depends on values."
        ),
        why=(
            "Every array in a compiled program has a shape that is known beforehand. How many entries of a "
            "mask are true is only known when the program runs."
        ),
        hint=(
            "Keep the full size and neutralise the other entries with `jnp.where`, or use `where=` of a "
            "reduction:"
        ),
        example=snippet("""
            x = jnp.array([1.0, -2.0, 3.0])
            # instead of: x[x > 0].sum()
            total = jnp.sum(jnp.where(x > 0, x, 0.0))
        """),
        lesson=_CONTROL,
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="jit.python_loop",
        title="A Python loop makes the program too long",
        message=(
            "{function} loops in Python{at}. Written out for the sizes of this check, the loop is too long "
            "to trace and compile."
        ),
        why=(
            "`jit` runs the loop once while it traces: each round adds its own operations to the program. "
            "What is timed is the compiled program, and this one is not compiled in time."
        ),
        hint=(
            "Let one array operation do all rounds, or use `jax.vmap` (independent rounds) or `jax.lax.scan`:"
        ),
        example=snippet("""
            def total(x):
                return jnp.sum(x)  # instead of: for v in x: s += v
        """),
        lesson=_SPEED,
        params=(FUNCTION, SOURCE),
    ),
    CatalogueEntry(
        code="jit.fixed_size",
        title="The program is made for one size",
        message="{function} cannot be traced without knowing a size{at}[[: {text}]].",
        why=(
            "A Python loop over `x.shape[0]`, or a Python condition on it, writes that size into the "
            "program. The program then grows with the input, and every other size needs one of its own. "
            "Operations on whole arrays, `scan` and `vmap` stay the same for all sizes."
        ),
        hint="Let one operation do what the loop does:",
        example=snippet("""
            def running_total(x):
                def step(total, value):
                    return total + value, total + value
                return jax.lax.scan(step, jnp.zeros(()), x)[1]
        """),
        lesson=_CONTROL,
        params=(FUNCTION, SOURCE, TEXT),
    ),
    CatalogueEntry(
        code="jit.stale_static",
        title="A changed static argument gets the program of before",
        message="{function} is right without `jax.jit`, and wrong with it: a static argument changed{at}.",
        why=(
            "`jit` looks up a program by the hash and the equality of its static arguments. An object that "
            "was changed, but is equal to what it was before (`self`, for instance), gets the program of "
            "then, with the old values in it. Nothing tells you."
        ),
        hint="Pass what changes as an ordinary argument, and keep static arguments immutable:",
        example=snippet("""
            @jax.jit
            def scaled(x, factor):
                return x * factor

            y = scaled(jnp.ones(3), 2.0)
        """),
        lesson=_TRACING,
        hidden_message="Your function is right without `jax.jit`, and wrong with it.",
        params=(FUNCTION, SOURCE),
    ),
)
