"""Reads submitted source to explain a finding: which line prints, writes a global, throws an update away.

Reading decides nothing by itself: evidence from runs does. It points at lines, and tells kinds of one finding
apart.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from grader.domain.submission import SubmittedFiles

AT_METHODS = frozenset(
    {"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"}
)
MUTATORS = frozenset(
    {"append", "extend", "insert", "remove", "pop", "clear", "update", "setdefault", "add", "discard",
     "popitem", "sort", "reverse", "fill", "itemset", "put", "resize", "partition", "write",
     "__setitem__", "setflags"}
)  # fmt: skip
SAMPLERS = frozenset(
    {"normal", "uniform", "bernoulli", "randint", "bits", "categorical", "choice", "permutation",
     "gumbel", "exponential", "laplace", "logistic", "truncated_normal", "gamma", "beta", "cauchy",
     "dirichlet",
     "poisson", "multivariate_normal", "rademacher", "shuffle", "t", "ball", "orthogonal", "binomial",
     "geometric", "rayleigh"}
)  # fmt: skip
CLOCKS = ("time.", "datetime.")
HIDDEN_GENERATORS = ("numpy.random.", "random.", "torch.rand", "secrets.", "uuid.", "os.urandom")
CALLBACKS = ("jax.debug.", "jax.pure_callback", "jax.experimental.io_callback")
STRUCTURED_LOOPS = (
    "jax.lax.scan",
    "jax.lax.fori_loop",
    "jax.lax.while_loop",
    "jax.lax.map",
    "jax.lax.associative_scan",
)
LOG_METHODS = frozenset({"debug", "info", "warning", "error", "exception", "critical", "write"})
CACHES = ("functools.lru_cache", "functools.cache")
UNTELLING_MODULES = ("jax", "numpy", "math", "functools", "itertools", "operator", "typing", "dataclasses",
                        "collections", "__future__", "einops", "chex", "jaxtyping")  # fmt: skip
UNTELLING_BUILTINS = frozenset(
    {"abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float", "frozenset",
     "int", "len", "list", "map", "max", "min", "pow", "print", "property", "range", "reversed", "round",
     "set", "slice", "sorted", "staticmethod", "sum", "super", "tuple", "zip", "NotImplemented", "Ellipsis",
     "object", "isinstance"}
)  # fmt: skip
TELLTALE_NAMES = ("jax.core", "jax.extend", "jax.interpreters", "jax.ensure_compile_time_eval", "jax.config",
                  "jax.debug", "jax._src", "numpy.random", "numpy.ctypeslib", "numpy.lib")  # fmt: skip
TELLTALE_ATTRIBUTES = frozenset(
    {"Tracer", "aval", "device", "devices", "sharding", "is_deleted", "unsafe_buffer_pointer", "tobytes",
     "ctypes", "block_until_ready", "addressable_data", "is_fully_addressable", "weak_type", "item", "data"}
)  # fmt: skip
"""What differs between a value that is there and one that is only traced."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A line of a submitted file."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Module:
    """One parsed file: what names stand for in it, and its functions, methods and inner ones by name."""

    file: str
    tree: ast.Module
    aliases: dict[str, str] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=dict)


class Source:
    """The submitted texts, parsed. A file that does not parse is left out."""

    def __init__(self, files: SubmittedFiles) -> None:
        self._files = files
        self._telltales: dict[str, Spot | None] = {}

    @cached_property
    def modules(self) -> tuple[Module, ...]:
        """The files that parse, the main one first."""
        ordered = sorted(self._files.files, key=lambda file: file.name != self._files.entry)
        return tuple(module for file in ordered if (module := _parse(file.name, file.text)) is not None)

    def live(self, functions: Iterable[str]) -> Iterator[tuple[Module, ast.AST]]:
        """What runs, as far as names tell, when the submission is loaded and `functions` are called.

        Methods count as run wherever they are, since Python calls many of them by itself. What stands under
        ``if __name__ == "__main__"``, and functions that nothing names, do not.
        """
        waiting: list[tuple[Module, ast.AST]] = [
            (module, node) for module in self.modules for node in _run_at_import(module.tree)
        ]
        wanted, seen = list(functions), set[int]()
        while waiting or wanted:
            while waiting:
                module, root = waiting.pop()
                for node in _walk_now(root):
                    yield module, node
                    if isinstance(node, ast.Name | ast.Attribute):
                        wanted.append(node.id if isinstance(node, ast.Name) else node.attr)
            name = wanted.pop() if wanted else ""
            for module in self.modules:
                function = module.functions.get(name)
                if function is not None and id(function) not in seen:
                    seen.add(id(function))
                    waiting += [(module, node) for node in function.body]

    def telltale(self, function: str) -> Spot | None:
        """Something by which the function might tell how, when or by whom it is called.

        Such code is nothing wrong, but it is really run besides being traced. Decided by a list of what
        cannot tell, so that what is not known counts.
        """
        if function not in self._telltales:
            self._telltales[function] = next(self._told(function), None)
        return self._telltales[function]

    def _told(self, function: str) -> Iterator[Spot]:
        for module, node in self.live([function]):
            if _might_tell(node, module):
                yield Spot(file=module.file, line=getattr(node, "lineno", 1))

    def defined(self) -> tuple[str, ...]:
        """Names of all functions that the submission defines."""
        return tuple(name for module in self.modules for name in module.functions)

    def definition(self, function: str) -> Spot | None:
        """Where a function of the main module begins."""
        for module, node in self._reached(function):
            return Spot(file=module.file, line=node.lineno)
        return None

    def prints(self, function: str) -> Spot | None:
        """A call that writes to the screen."""
        names = (
            "print",
            "sys.stdout.write",
            "sys.stderr.write",
            "os.write",
            "logging.",
            "jax.debug.print",
            "pprint.",
        )
        logs = self._call(function, lambda name: name.rpartition(".")[2] in LOG_METHODS)
        return self._call(function, lambda name: _starts(name, names)) or logs

    def calls(self, function: str, *names: str) -> Spot | None:
        """A call of one of these dotted names; a name that ends in a dot stands for all that begin so."""
        return self._call(function, lambda name: _starts(name, names))

    def anywhere(self, *names: str) -> Spot | None:
        """A call of one of these dotted names in any submitted file, also outside functions."""
        for module in self.modules:
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Call) and _starts(dotted(node.func, module.aliases), names):
                    return Spot(file=module.file, line=node.lineno)
        return None

    def remembering(self, spot: Spot) -> Spot:
        """The cache (`functools.lru_cache`, `cache`) that keeps what the line `spot` makes; else `spot`."""
        for module in self.modules:
            for node in ast.walk(module.tree):
                if module.file != spot.file or not isinstance(node, ast.FunctionDef):
                    continue
                inside = node.lineno <= spot.line <= (node.end_lineno or node.lineno)
                for decorator in node.decorator_list if inside else ():
                    target = decorator.func if isinstance(decorator, ast.Call) else decorator
                    if dotted(target, module.aliases) in CACHES:
                        return Spot(file=module.file, line=decorator.lineno)
        return spot

    def jit_option(self, function: str, option: str) -> Spot | None:
        """Where `jax.jit` gets an option that begins so, in the file that defines the function."""
        for module, _ in self._reached(function):
            for node in ast.walk(module.tree):
                if isinstance(node, ast.keyword) and str(node.arg).startswith(option):
                    return Spot(file=module.file, line=node.value.lineno)
        return None

    def reads_changeable_global(self, function: str) -> Spot | None:
        """Where a function reads a module-level name that some other submitted function rebinds or mutates.

        What the graded function itself writes is left out: runs show that, and whether it matters.
        """
        reached = list(self._reached(function))
        inside = {id(node) for _, node in reached}
        for module in self.modules:
            outer = _module_names(module.tree)
            changed = {
                name
                for node in ast.walk(module.tree)
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and id(node) not in inside
                for name in _changes_outside(node) & outer
            }
            for home, node in reached:
                if home is module and changed:
                    line = _reads(node, changed)
                    if line is not None:
                        return Spot(file=module.file, line=line)
        return None

    def discarded_update(self, function: str) -> Spot | None:
        """An ``x.at[i].set(v)`` whose result is thrown away, or kept in a name that nothing reads."""
        for module, node in self._nodes(function):
            if isinstance(node, ast.Expr) and _is_at_update(node.value):
                return Spot(file=module.file, line=node.lineno)
        for module, owner in self._reached(function):
            read = {
                child.id
                for child in ast.walk(owner)
                if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load)
            }
            for child in ast.walk(owner):
                if not (isinstance(child, ast.Assign) and _is_at_update(child.value)):
                    continue
                if all(isinstance(name, ast.Name) and name.id not in read for name in child.targets):
                    return Spot(file=module.file, line=child.lineno)
        return None

    def writes(self, function: str, name: str) -> Spot | None:
        """A statement that rebinds or mutates the outer variable, attribute or object called `name`."""
        root = name.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0].split("(", maxsplit=1)[0]
        inner = name[len(root) :].strip("()")
        wanted = {root, inner.split("(")[0].split(".")[0].split("[")[0]} - {""}
        for module, node in self._nodes(function):
            if any(written in wanted for written in _written(node)):
                return Spot(file=module.file, line=node.lineno)
        return None

    def uses(self, function: str, name: str) -> Spot | None:
        """The first place where a dotted name stands, called or not."""
        for module, node in self._nodes(function):
            if isinstance(node, ast.Attribute) and dotted(node, module.aliases) == name:
                return Spot(file=module.file, line=node.lineno)
        return None

    def mentions(self, function: str, name: str) -> Spot | None:
        """The first place that names the outer variable of a path such as ``rng`` or ``box.items``."""
        root = name.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0].split("(", maxsplit=1)[0]
        for module, node in self._nodes(function):
            if isinstance(node, ast.Name) and node.id == root:
                return Spot(file=module.file, line=node.lineno)
        return None

    def mutates_argument(self, function: str, argument: str | None = None) -> Spot | None:
        """A statement that changes a parameter's object in place: ``x[i] =``, ``+=``, ``out=``, a mutator."""
        for module, owner in self._reached(function):
            parameters = {arg.arg for arg in ast.walk(owner) if isinstance(arg, ast.arg)}
            views = _views(owner, {argument} if argument in parameters else parameters)
            for node in ast.walk(owner):
                if any(name in views for name in _mutated(node)):
                    return Spot(file=module.file, line=getattr(node, "lineno", owner.lineno))
        return None

    def loop(self, function: str) -> Spot | None:
        """The first Python loop or comprehension."""
        kinds = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
        for module, node in self._nodes(function):
            if isinstance(node, kinds):
                return Spot(file=module.file, line=node.lineno)
        return None

    def written_out(self, function: str) -> Spot | None:
        """The first Python loop, of a function that has no `while`: long perhaps, but not without an end."""
        endless = any(isinstance(node, ast.While) for _, node in self._nodes(function))
        return None if endless else self.loop(function)

    def structured_loop(self, function: str) -> Spot | None:
        """The first loop that stays a loop in the program, else the first Python loop."""
        return self.calls(function, *STRUCTURED_LOOPS) or self.loop(function)

    def broadcasts(self, function: str) -> Spot | None:
        """The first place where an array gets a new axis: there a large temporary begins."""
        for module, node in self._nodes(function):
            if isinstance(node, ast.Subscript) and any(
                isinstance(part, ast.Constant) and part.value is None for part in _indices(node)
            ):
                return Spot(file=module.file, line=node.lineno)
        return self.calls(function, "jax.numpy.expand_dims", "jax.numpy.broadcast_to", "jax.vmap")

    def reused_key(self, function: str) -> Spot | None:
        """The second use of a key: one expression handed to two `jax.random` calls, or to one in a loop."""
        for module, owner in self._reached(function):
            line = _reused_in(owner, module)
            if line is not None:
                return Spot(file=module.file, line=line)
        return None

    def makes_key(self, function: str) -> Spot | None:
        """A key made inside, from a number of its own."""
        return self._call(
            function,
            lambda name: name in ("jax.random.key", "jax.random.PRNGKey", "jax.random.wrap_key_data"),
        )

    def draws(self, function: str) -> Spot | None:
        """The first call of a `jax.random` sampler."""
        return self._call(
            function, lambda name: name.startswith("jax.random.") and name.rpartition(".")[2] in SAMPLERS
        )

    def returns(self, function: str) -> Spot | None:
        """The last return statement: the helper's, where the function only hands on what a helper returns."""
        spot: Spot | None = None
        for module, owner in self._handing_on(function):
            returns = [node for node in _own_nodes(owner) if isinstance(node, ast.Return)]
            if returns:
                spot = Spot(file=module.file, line=max(node.lineno for node in returns))
        return spot

    def casts(self, function: str) -> Spot | None:
        """The first place where a dtype is asked for: ``x.astype(..)``, ``jnp.float32(x)``, ``dtype=..``."""
        for module, node in self._nodes(function):
            if isinstance(node, ast.Call) and _is_cast(node, module.aliases):
                return Spot(file=module.file, line=node.lineno)
        return None

    def _handing_on(self, function: str) -> Iterator[tuple[Module, ast.FunctionDef | ast.AsyncFunctionDef]]:
        """The function, then the submitted one whose call it returns as it is, and so on."""
        reached = list(self._reached(function))[:1]
        seen: set[int] = set()
        while reached and id(reached[0][1]) not in seen:
            module, owner = reached[0]
            seen.add(id(owner))
            yield module, owner
            name = _handed_on(owner)
            reached = [] if name is None else list(self._reached(name))[:1]

    def _call(self, function: str, wanted: Callable[[str], bool]) -> Spot | None:
        for module, node in self._nodes(function):
            if isinstance(node, ast.Call) and wanted(dotted(node.func, module.aliases)):
                return Spot(file=module.file, line=node.lineno)
        return None

    def _nodes(self, function: str) -> Iterator[tuple[Module, ast.stmt | ast.expr]]:
        for module, owner in self._reached(function):
            for node in ast.walk(owner):
                if isinstance(node, ast.stmt | ast.expr):
                    yield module, node

    def _reached(self, function: str) -> Iterator[tuple[Module, ast.FunctionDef | ast.AsyncFunctionDef]]:
        """The function and every submitted function that it names, directly or not."""
        waiting, seen = [function], set()
        while waiting:
            name = waiting.pop(0)
            for module in self.modules:
                node = module.functions.get(name)
                if node is None or (module.file, name) in seen:
                    continue
                seen.add((module.file, name))
                yield module, node
                waiting.extend(
                    child.id if isinstance(child, ast.Name) else child.attr
                    for child in ast.walk(node)
                    if isinstance(child, ast.Name | ast.Attribute)
                )


def _parse(file: str, text: str) -> Module | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    module = Module(file, tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                module.aliases[bound] = alias.name if alias.asname else bound
        elif isinstance(node, ast.ImportFrom) and node.module:
            module.aliases.update(
                {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            )
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            module.functions.setdefault(node.name, node)
    return module


def _run_at_import(tree: ast.Module) -> Iterator[ast.AST]:
    for node in tree.body:
        if not (isinstance(node, ast.If) and "__name__" in ast.dump(node.test)):
            yield node


def _walk_now(root: ast.AST) -> Iterator[ast.AST]:
    """Like `ast.walk`, but not into the bodies of functions that are only defined here."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += node.decorator_list
            continue
        if isinstance(node, ast.ClassDef):
            methods = (child for child in node.body if isinstance(child, ast.FunctionDef))
            waiting += [statement for method in methods for statement in method.body]
        waiting += ast.iter_child_nodes(node)


def _might_tell(node: ast.AST, module: Module) -> bool:
    match node:
        case ast.Try() | ast.With() | ast.ClassDef() | ast.Match() | ast.Global() | ast.JoinedStr():
            return True
        case ast.Attribute(attr=attr) if attr in TELLTALE_ATTRIBUTES or attr.startswith("_"):
            return True
        case ast.Name(id=name) if name not in module.aliases and name not in module.functions:
            return name in _BUILTINS and name not in UNTELLING_BUILTINS
        case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
            name = dotted(node, module.aliases)
            return _of_another_module(name, module) or name.startswith(TELLTALE_NAMES)
    return False


_BUILTINS = frozenset(
    name
    for name, value in vars(builtins).items()
    if not (isinstance(value, type) and issubclass(value, BaseException))
)


def _of_another_module(name: str, module: Module) -> bool:
    root = name.partition(".")[0]
    imported = {target.partition(".")[0] for target in module.aliases.values()}
    return root in imported and root not in UNTELLING_MODULES


def _module_names(tree: ast.Module) -> set[str]:
    """Variables assigned at the top level of a module."""
    return {
        child.id
        for node in tree.body
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for child in ast.walk(node)
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)
    }


def _locals(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Names that are the function's own: parameters and what it binds without declaring it global."""
    outer = {
        name
        for node in ast.walk(function)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }
    bound = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    bound |= {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return bound - outer


def _changes_outside(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Names from outside that a function rebinds (declared global) or whose object it mutates."""
    own = _locals(function)
    written = {
        name for node in ast.walk(function) for name in (*_rebound(node), *_mutated(node)) if name not in own
    }
    return written - {""}


def _rebound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (child.id for child in ast.walk(target) if isinstance(child, ast.Name))


def _reads(function: ast.FunctionDef | ast.AsyncFunctionDef, names: set[str]) -> int | None:
    own = _locals(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names - own:
            return node.lineno
    return None


def dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    """The full dotted name of a call's target, aliases resolved; empty if it has none."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value, aliases)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def _starts(name: str, wanted: tuple[str, ...]) -> bool:
    return any(
        name.startswith(prefix) if prefix.endswith((".", "rand")) else name == prefix for prefix in wanted
    )


def _is_at_update(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in AT_METHODS
        and isinstance(node.func.value, ast.Subscript)
        and isinstance(node.func.value.value, ast.Attribute)
        and node.func.value.value.attr == "at"
    )


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _written(node: ast.AST) -> Iterator[str]:
    """Names that a statement or call rebinds or mutates, attributes included."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = list(node.targets)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr):
        targets = [node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        yield _root(node.func.value)
    for target in targets:
        for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            yield _root(part)
            if isinstance(part, ast.Attribute):
                yield part.attr


def _mutated(node: ast.AST) -> Iterator[str]:
    """Names whose object a statement or call changes in place (rebinding a name does not)."""
    if isinstance(node, ast.AugAssign):
        yield _root(node.target)
    elif isinstance(node, ast.Assign | ast.Delete):
        for target in node.targets:
            for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
                if isinstance(part, ast.Subscript | ast.Attribute):
                    yield _root(part)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in (
            MUTATORS | {"delete", "fill_diagonal", "copyto"}
        ):
            yield _root(node.func.value)
            yield from (_root(arg) for arg in node.args[:1])
        yield from (_root(keyword.value) for keyword in node.keywords if keyword.arg == "out")


def _views(owner: ast.AST, names: set[str]) -> set[str]:
    """`names` and local names that may stand for the same memory (``flat = x.ravel()``)."""
    known = set(names)
    for node in ast.walk(owner):
        if isinstance(node, ast.Assign) and _root(node.value) in known:
            known |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if any(_root(arg) in known for arg in node.value.args[:1]):
                known |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.For) and _root(node.iter) in known and isinstance(node.target, ast.Name):
            known.add(node.target.id)
    return known


def _handed_on(owner: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The name of the function whose result the only return statement hands on, if that is all it does."""
    returns = [node for node in _own_nodes(owner) if isinstance(node, ast.Return)]
    value = returns[0].value if len(returns) == 1 else None
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None


def _is_cast(node: ast.Call, aliases: dict[str, str]) -> bool:
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("astype", "view"):
        return True
    library, _, name = dotted(node.func, aliases).rpartition(".")
    if library in ("jax.numpy", "numpy") and name.rstrip("0123456789") in ("float", "int", "uint", "bfloat"):
        return True
    return any(keyword.arg == "dtype" for keyword in node.keywords)


def _own_nodes(owner: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a function without those of functions defined inside it."""
    for child in ast.iter_child_nodes(owner):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from _own_nodes(child)


def _reused_in(owner: ast.AST, module: Module) -> int | None:
    used: dict[str, int] = {}
    for node in sorted(
        (child for child in ast.walk(owner) if isinstance(child, ast.stmt | ast.Call)),
        key=lambda child: (child.lineno, isinstance(child, ast.stmt)),
    ):
        if isinstance(node, ast.Call):
            key = _key_of(node, module)
            if key is None:
                continue
            if key in used and not _same_call(used[key], node):
                return node.lineno
            if _loops_over(owner, node, key):
                return node.lineno
            used[key] = node.lineno
        elif isinstance(node, ast.Assign | ast.For):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in {
                child.id for target in targets for child in ast.walk(target) if isinstance(child, ast.Name)
            }:
                used = {
                    key: line for key, line in used.items() if key != name and not key.startswith(f"{name}[")
                }
    return None


def _same_call(line: int, node: ast.Call) -> bool:
    return node.lineno < line


def _key_of(node: ast.Call, module: Module) -> str | None:
    """The text of the key handed to a sampler or to `split`; None for other calls."""
    name = dotted(node.func, module.aliases)
    tail = name.rpartition(".")[2]
    if not name.startswith("jax.random.") or (tail not in SAMPLERS and tail != "split"):
        return None
    named = [keyword.value for keyword in node.keywords if keyword.arg == "key"]
    argument = named[0] if named else node.args[0] if node.args else None
    return ast.unparse(argument) if isinstance(argument, ast.Name | ast.Subscript | ast.Attribute) else None


def _loops_over(owner: ast.AST, call: ast.Call, key: str) -> bool:
    """Whether `call` runs often with one key: in a loop or an inner function that never rebinds it."""
    root = key.split("[", maxsplit=1)[0].split(".", maxsplit=1)[0]
    for loop in ast.walk(owner):
        if loop is owner or not isinstance(
            loop, ast.For | ast.While | ast.ListComp | ast.FunctionDef | ast.Lambda
        ):
            continue
        inside = list(ast.walk(loop))
        if call not in inside:
            continue
        bound = {
            child.id for child in inside if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)
        }
        bound |= {child.arg for child in inside if isinstance(child, ast.arg)}
        if root not in bound:
            return True
    return False
