"""What checks ask of a submission's text, in one place."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property

from grader.domain.submission import SubmittedFiles
from rubrics.source import effects, keys, mutations, scopes, shapes, telltales
from rubrics.source.parsing import Module, Spot, parse_all
from rubrics.source.reaching import Program


class Source:
    """The submitted texts, parsed. A file that does not parse is left out.

    A question about a function is asked of it and of every submitted function that it names.
    """

    def __init__(self, files: SubmittedFiles) -> None:
        self._files = files
        self._telltales: dict[str, Spot | None] = {}

    @cached_property
    def program(self) -> Program:
        return Program(parse_all(self._files))

    @property
    def modules(self) -> tuple[Module, ...]:
        """The files that parse, the main one first."""
        return self.program.modules

    def live(self, functions: Iterable[str]) -> Iterator[tuple[Module, ast.AST]]:
        """What runs when the submission is loaded and `functions` are called."""
        return self.program.live(functions)

    def defined(self) -> tuple[str, ...]:
        """Names of all functions that the submission defines."""
        return tuple(name for module in self.modules for name in module.functions)

    def telltale(self, function: str) -> Spot | None:
        """Something by which the function might tell how, when or by whom it is called.

        Such code is nothing wrong, but it is really run besides being traced.
        """
        if function not in self._telltales:
            self._telltales[function] = self._unread or telltales.telltale(self.program, function)
        return self._telltales[function]

    @cached_property
    def _unread(self) -> Spot | None:
        """The first file that could not be read: what runs there, nobody knows."""
        read = {module.file for module in self.modules}
        names = (file.name for file in self._files.files if file.name.endswith(".py"))
        return next((Spot(file=name, line=1) for name in names if name not in read), None)

    # --- how it is built ----------------------------------------------------------------------------------

    def definition(self, function: str) -> Spot | None:
        """Where the function begins."""
        return shapes.definition(self.program, function)

    def returns(self, function: str) -> Spot | None:
        """The last return statement: the helper's, where the function only hands on what that returns."""
        return shapes.returns(self.program, function)

    def returns_argument(self, function: str, argument: str) -> Spot | None:
        """The first return statement that hands back a parameter itself, alone or within a container."""
        return shapes.returns_argument(self.program, function, argument)

    def loop(self, function: str) -> Spot | None:
        """The first Python loop or comprehension."""
        return shapes.loop(self.program, function)

    def written_out(self, function: str) -> Spot | None:
        """The first Python loop, of a function without a `while`: long perhaps, but not without an end."""
        return shapes.written_out(self.program, function)

    def structured_loop(self, function: str) -> Spot | None:
        """The first loop that stays a loop in the program, else the first Python loop."""
        return shapes.structured_loop(self.program, function)

    def broadcasts(self, function: str) -> Spot | None:
        """The first place where an array gets a new axis."""
        return shapes.broadcasts(self.program, function)

    def casts(self, function: str) -> Spot | None:
        """The first place where a dtype is asked for."""
        return shapes.casts(self.program, function)

    def jit_option(self, function: str, option: str) -> Spot | None:
        """Where `jax.jit` gets an option that begins so."""
        return shapes.jit_option(self.program, function, option)

    def wrapping(self, function: str, spot: Spot) -> Spot:
        """The call of `jax.jit` inside the function that wraps what is defined at `spot`; else `spot`."""
        return shapes.wrapping(self.program, function, spot)

    def remembering(self, spot: Spot) -> Spot:
        """The cache that keeps what the line `spot` makes; else `spot`."""
        return shapes.remembering(self.program, spot)

    # --- what it does besides returning -------------------------------------------------------------------

    def calls(self, function: str, *names: str) -> Spot | None:
        """A call of one of these dotted names; a name that ends in a dot stands for all that begin so."""
        return self.program.calls(function, *names)

    def uses(self, function: str, name: str) -> Spot | None:
        """The first place where a dotted name stands, called or not."""
        return effects.uses(self.program, function, name)

    def is_cached_property(self, name: str) -> bool:
        """Whether some class computes the attribute `name` once, by `functools.cached_property`."""
        return effects.is_cached_property(self.program, name)

    def anywhere(self, *names: str) -> Spot | None:
        """As `calls`, in any submitted file, also outside functions."""
        return effects.anywhere(self.program, *names)

    def prints(self, function: str) -> Spot | None:
        """A call that writes to the screen."""
        return effects.prints(self.program, function)

    def reads_changeable_global(self, function: str) -> Spot | None:
        """Where it reads a module-level name that another submitted function rebinds or mutates."""
        return scopes.reads_changeable_global(self.program, function)

    def writes(self, function: str, name: str) -> Spot | None:
        """A statement that rebinds or mutates the outer variable, attribute or object called `name`."""
        return mutations.writes(self.program, function, name)

    def mentions(self, function: str, name: str) -> Spot | None:
        """The first place that names the outer variable of a path such as ``rng`` or ``box.items``."""
        return mutations.mentions(self.program, function, name)

    def mutates_argument(self, function: str, argument: str | None = None) -> Spot | None:
        """A statement that changes a parameter's object in place: ``x[i] =``, ``+=``, ``out=``, a mutator."""
        return mutations.mutates_argument(self.program, function, argument)

    def discarded_update(self, function: str) -> Spot | None:
        """An ``x.at[i].set(v)`` whose result is thrown away, or kept in a name that nothing reads."""
        return mutations.discarded_update(self.program, function)

    # --- its keys -----------------------------------------------------------------------------------------

    def makes_key(self, function: str) -> Spot | None:
        """A key made inside, from a number of its own."""
        return keys.makes_key(self.program, function)

    def draws(self, function: str) -> Spot | None:
        """The first call of a `jax.random` sampler."""
        return keys.draws(self.program, function)

    def calls_inlined_sampler(self, function: str, spot: Spot | None) -> bool:
        """Whether a library sampler that uses keys twice inside is called, on the line `spot` if known."""
        return keys.calls_inlined_sampler(self.program, function, spot)

    def reused_key(self, function: str) -> Spot | None:
        """The second use of a key: one expression handed to two `jax.random` calls, or to one in a loop."""
        return keys.reused_key(self.program, function)
