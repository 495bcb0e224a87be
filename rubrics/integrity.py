"""Constructs that honest submissions hardly need, pointed out to staff by line; no point depends on them.

A flag is a reason for a person to look, never a verdict: the checks have judged the program by what it does.
Two kinds are looked for: code that reaches past JAX and Python (raw memory, other objects, callers' frames,
patched libraries, the system), and what a candidate reported although the source says otherwise.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum

from grader.engine.testimony import Seen
from rubrics.source import Module, Source, dotted

MAX_LINES = 5
"""Lines told for one kind of construct."""


class Suspicion(StrEnum):
    """What a flag speaks of, in the words that staff read."""

    RAW_MEMORY = "reaches raw memory"
    OTHER_OBJECTS = "searches the interpreter's objects"
    FRAMES = "looks at its callers"
    PRIVATE_JAX = "uses private parts of JAX"
    PATCHES = "replaces parts of a library"
    PROCESSES = "starts, ends or signals processes"
    DESCRIPTORS = "works on open descriptors"
    AT_EXIT = "asks to run when the process ends"
    NETWORK = "opens network connections"
    SYSTEM_FILES = "names files of the system"
    GRADER = "reaches for the grader"
    UNSEEN_OUTPUT = "prints always, but no output was seen"


_NAMES: tuple[tuple[Suspicion, tuple[str, ...]], ...] = (
    (Suspicion.RAW_MEMORY, ("ctypes.", "_ctypes.", "cffi.", "numpy.ctypeslib.")),
    (Suspicion.OTHER_OBJECTS, ("gc.get_objects", "gc.get_referrers", "gc.get_referents")),
    (Suspicion.FRAMES, ("sys._getframe", "sys._current_frames", "inspect.stack", "inspect.currentframe",
                        "inspect.getouterframes", "inspect.trace")),
    (Suspicion.PRIVATE_JAX, ("jax._src", "jaxlib.")),
    (Suspicion.PROCESSES, ("os.fork", "os.forkpty", "os.kill", "os.killpg", "os.exec", "os.spawn",
                           "os.posix_spawn", "os.system", "os.popen", "os._exit", "os.abort", "os.getppid",
                           "subprocess.", "multiprocessing.", "signal.", "pty.")),
    (Suspicion.DESCRIPTORS, ("os.dup", "os.dup2", "os.close", "os.closerange", "os.write", "os.fstat",
                             "os.pread", "os.pipe")),
    (Suspicion.AT_EXIT, ("atexit.register",)),
    (Suspicion.GRADER, ("grader.",)),
    (Suspicion.NETWORK, ("socket.", "urllib.request.", "http.client.", "requests.", "httpx.")),
)  # fmt: skip
"""Dotted names; one that ends in a dot, or in ``exec`` and ``spawn``, stands for all that begin so."""

_ATTRIBUTES = {
    "unsafe_buffer_pointer": Suspicion.RAW_MEMORY,
    "f_back": Suspicion.FRAMES,
    "f_locals": Suspicion.FRAMES,
    "f_globals": Suspicion.FRAMES,
    "tb_frame": Suspicion.FRAMES,
}
_OPEN_ENDED = (".", "exec", "spawn", "_src")
_SYSTEM_PLACES = ("/proc/", "/etc/", "/dev/", "/var/run/", "/run/", "/root", "/home/")
_LIBRARIES = frozenset(
    {"jax", "jaxlib", "numpy", "time", "json", "pickle", "sys", "os", "builtins", "random"}
)


def flags(
    source: Source, functions: Sequence[str], observed: Callable[[str], Iterable[Seen]]
) -> tuple[str, ...]:
    """What staff should look at: one text for each kind of construct, with its lines."""
    places: defaultdict[Suspicion, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for suspicion, file, line in (*_constructs(source, functions), *_unseen(source, functions, observed)):
        places[suspicion][file].add(line)
    return tuple(f"{found.value} ({_lines(places[found])})" for found in Suspicion if found in places)


def _lines(places: dict[str, set[int]]) -> str:
    parts = []
    for file, lines in places.items():
        told = " ".join(map(str, sorted(lines)[:MAX_LINES]))
        parts.append(f"{file}:{told}{' …' if len(lines) > MAX_LINES else ''}")
    return "; ".join(parts)


def _constructs(source: Source, functions: Sequence[str]) -> Iterator[tuple[Suspicion, str, int]]:
    for module, node in source.live(functions):
        for suspicion in _of_node(node, module):
            yield suspicion, module.file, getattr(node, "lineno", 1)


def _of_node(node: ast.AST, module: Module) -> Iterator[Suspicion]:
    match node:
        case ast.Import(names=names):
            yield from (found for alias in names for found in _private(f"{alias.name}."))
        case ast.ImportFrom(module=str(name)):
            yield from _private(f"{name}.")
        case ast.Assign(targets=targets) if any(_belongs_to_library(target, module) for target in targets):
            yield Suspicion.PATCHES
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, *_]) if _is_library(owner, module):
            yield Suspicion.PATCHES
        case ast.Attribute(attr=attr) if attr in _ATTRIBUTES:
            yield _ATTRIBUTES[attr]
        case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
            yield from _of_name(dotted(node, module.aliases))
        case ast.Constant(value=str(text)) if text.startswith(_SYSTEM_PLACES):
            yield Suspicion.SYSTEM_FILES


def _private(name: str) -> Iterator[Suspicion]:
    if name.startswith("grader."):
        yield Suspicion.GRADER
    if "jax._src." in name or name.startswith("jaxlib."):
        yield Suspicion.PRIVATE_JAX


def _of_name(name: str) -> Iterator[Suspicion]:
    for suspicion, wanted in _NAMES:
        if any(name.startswith(each) if each.endswith(_OPEN_ENDED) else name == each for each in wanted):
            yield suspicion


def _belongs_to_library(target: ast.expr, module: Module) -> bool:
    return isinstance(target, ast.Attribute) and _is_library(target.value, module)


def _is_library(owner: ast.expr, module: Module) -> bool:
    """Whether an expression names an imported library, or something in one. Settings of JAX may be set."""
    root = owner
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or root.id not in module.aliases:
        return False
    name = dotted(owner, module.aliases)
    return name.partition(".")[0] in _LIBRARIES and not name.startswith("jax.config")


def _unseen(
    source: Source, functions: Sequence[str], observed: Callable[[str], Iterable[Seen]]
) -> Iterator[tuple[Suspicion, str, int]]:
    """A function that begins by printing, of whose calls not one was said to have printed."""
    for module in source.modules:
        for name in functions:
            function = module.functions.get(name)
            seen = list(observed(name))
            if function is None or not seen or any(call.output_bytes for call in seen):
                continue
            for statement in _first_statements(function):
                if _prints(statement, module):
                    yield Suspicion.UNSEEN_OUTPUT, module.file, statement.lineno


def _first_statements(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.stmt]:
    """Those that every call reaches: up to the first that could raise or branch."""
    for statement in function.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if not isinstance(statement, ast.Expr):
            return
        yield statement


def _prints(statement: ast.stmt, module: Module) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[ast.Constant(), *_], keywords=[])):
            return "print" not in module.functions and "print" not in module.aliases
    return False
