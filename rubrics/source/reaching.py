"""What runs: the functions that a function names, directly or not, and what loading a file runs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rubrics.source.names import stands_for
from rubrics.source.parsing import Function, Module, Spot, dotted

Node = ast.stmt | ast.expr


@dataclass(frozen=True, slots=True)
class Program:
    """All parsed files of a submission, the main one first."""

    modules: tuple[Module, ...]

    def reached(self, function: str) -> Iterator[tuple[Module, Function]]:
        """The function and every submitted function that it names, directly or not.

        A name that the file binds to something else leads on to what is named there.
        """
        waiting, seen = [function], set[tuple[str, str]]()
        while waiting:
            name = waiting.pop(0)
            for module in self.modules:
                if (module.file, name) in seen:
                    continue
                seen.add((module.file, name))
                node = module.functions.get(name)
                if node is not None:
                    yield module, node
                waiting.extend(_named_in(node) if node is not None else _stands_for(module, name))

    def nodes(self, function: str) -> Iterator[tuple[Module, Node]]:
        """Every statement and expression of the reached functions."""
        for module, owner in self.reached(function):
            for node in ast.walk(owner):
                if isinstance(node, ast.stmt | ast.expr):
                    yield module, node

    def first(self, function: str, wanted: Callable[[Node, Module], bool]) -> Spot | None:
        """Where the first such node of the reached functions begins."""
        for module, node in self.nodes(function):
            if wanted(node, module):
                return module.spot(node)
        return None

    def first_call(self, function: str, wanted: Callable[[str], bool]) -> Spot | None:
        """The first call, in the reached functions, of such a dotted name."""
        return self.first(
            function,
            lambda node, module: isinstance(node, ast.Call) and wanted(dotted(node.func, module.aliases)),
        )

    def calls(self, function: str, *names: str) -> Spot | None:
        """A call of one of these dotted names; a name that ends in a dot stands for all that begin so."""
        return self.first_call(function, lambda name: stands_for(name, names))

    def handing_on(self, function: str) -> Iterator[tuple[Module, Function]]:
        """The function, then the submitted one whose call it returns as it is, and so on."""
        reached = list(self.reached(function))[:1]
        seen: set[int] = set()
        while reached and id(reached[0][1]) not in seen:
            module, owner = reached[0]
            seen.add(id(owner))
            yield module, owner
            name = _handed_on(owner)
            reached = [] if name is None else list(self.reached(name))[:1]

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
                for function in module.definitions.get(name, ()):  # whichever of them a name leads to
                    if id(function) not in seen:
                        seen.add(id(function))
                        waiting += [(module, node) for node in function.body]


def _stands_for(module: Module, name: str) -> Iterator[str]:
    """What is named where the file binds `name` to something else than a function.

    ``f = jax.vmap(one)`` names what `f` runs; a class names its methods.
    """
    for node in module.tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            yield from (child.name for child in node.body if isinstance(child, Function))
        elif isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in node.targets
        ):
            yield from _named_in(node.value)


def _named_in(root: ast.AST) -> Iterator[str]:
    for node in ast.walk(root):
        if isinstance(node, ast.Name | ast.Attribute):
            yield node.id if isinstance(node, ast.Name) else node.attr


def own_nodes(owner: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a function without those of functions defined inside it."""
    for child in ast.iter_child_nodes(owner):
        yield child
        if not isinstance(child, Function | ast.Lambda | ast.ClassDef):
            yield from own_nodes(child)


def _handed_on(owner: Function) -> str | None:
    """The name of the function whose result the only return statement hands on, if that is all it does."""
    returns = [node for node in own_nodes(owner) if isinstance(node, ast.Return)]
    value = returns[0].value if len(returns) == 1 else None
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None


def _run_at_import(tree: ast.Module) -> Iterator[ast.AST]:
    for node in tree.body:
        if not (isinstance(node, ast.If) and "__name__" in ast.dump(node.test)):
            yield node


def _walk_now(root: ast.AST) -> Iterator[ast.AST]:
    """Like `ast.walk`, but not into the bodies of functions that are only defined here.

    Their decorators, defaults and annotations are run where they are defined. A node comes after the one that
    it is part of.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Function):
            waiting += [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
            continue
        if isinstance(node, ast.ClassDef):
            methods = (child for child in node.body if isinstance(child, ast.FunctionDef))
            waiting += [statement for method in methods for statement in method.body]
        waiting += ast.iter_child_nodes(node)
