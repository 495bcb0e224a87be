"""Vocabularies: which dotted names, methods and constructs stand for what."""

from __future__ import annotations

from grader.engine.bench import keyfindings

AT_METHODS = frozenset(
    {"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"}
)
MUTATORS = frozenset(
    {"append", "extend", "insert", "remove", "pop", "clear", "update", "setdefault", "add", "discard",
     "popitem", "sort", "reverse", "fill", "itemset", "put", "resize", "partition", "write",
     "__setitem__", "setflags"}
)  # fmt: skip
MUTATING_FUNCTIONS = frozenset({"delete", "fill_diagonal", "copyto"})
"""As `MUTATORS`, of functions and methods that change their argument or the array that they belong to."""

SAMPLERS = frozenset(
    {"normal", "uniform", "bernoulli", "randint", "bits", "categorical", "choice", "permutation",
     "gumbel", "exponential", "laplace", "logistic", "truncated_normal", "gamma", "beta", "cauchy",
     "dirichlet",
     "poisson", "multivariate_normal", "rademacher", "shuffle", "t", "ball", "orthogonal", "binomial",
     "geometric", "rayleigh", "multinomial", "chisquare", "f", "generalized_normal", "double_sided_maxwell",
     "lognormal", "loggamma", "maxwell", "pareto", "triangular", "wald", "weibull_min"}
)  # fmt: skip
INLINED_SAMPLERS = frozenset(f"jax.random.{name}" for name in keyfindings.INLINED_SAMPLERS)
KEY_MAKERS = ("jax.random.key", "jax.random.PRNGKey", "jax.random.wrap_key_data")
CLOCKS = ("time.", "datetime.")
HIDDEN_GENERATORS = ("numpy.random.", "random.", "torch.rand", "secrets.", "uuid.", "os.urandom")
ENVIRONMENT = ("os.getenv", "os.environ.", "os.path.expanduser", "os.path.expandvars",
               "pathlib.Path.home", "getpass.", "tempfile.", "shutil.which")  # fmt: skip
NUMPY_SETTERS = ("numpy.seterr", "numpy.seterrcall", "numpy.set_printoptions", "numpy.setbufsize")
WHEREABOUTS = ("os.getpid", "os.getppid", "os.getenv", "os.environ.", "os.getcwd", "os.getlogin",
               "os.cpu_count", "platform.", "socket.", "threading.", "getpass.", "id", "hash")  # fmt: skip
"""What tells one process, machine or user from another."""
CALLBACKS = ("jax.debug.", "jax.pure_callback", "jax.experimental.io_callback")
PRINTERS = (
    "print",
    "sys.stdout.write",
    "sys.stderr.write",
    "os.write",
    "logging.",
    "jax.debug.print",
    "pprint.",
    "warnings.warn",
)
LOG_METHODS = frozenset({"debug", "info", "warning", "error", "exception", "critical", "write"})
STRUCTURED_LOOPS = (
    "jax.lax.scan",
    "jax.lax.fori_loop",
    "jax.lax.while_loop",
    "jax.lax.map",
    "jax.lax.associative_scan",
)
NEW_AXES = ("jax.numpy.expand_dims", "jax.numpy.broadcast_to", "jax.vmap")
CACHES = ("functools.lru_cache", "functools.cache")
FILE_FUNCTIONS = (
    "open",
    "io.open",
    "os.open",
    "numpy.save",
    "numpy.savetxt",
    "numpy.load",
    "pickle.dump",
    "os.remove",
)


def stands_for(name: str, wanted: tuple[str, ...]) -> bool:
    """Whether a dotted name is one of `wanted`; one that ends in a dot stands for all that begin so."""
    return any(
        name.startswith(prefix) if prefix.endswith((".", "rand")) else name == prefix for prefix in wanted
    )
