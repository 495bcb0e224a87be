"""Loads submitted texts from memory: no folder is put on the import path, nothing is read from disk."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import linecache
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Self

PLOTTING = ("matplotlib", "seaborn", "plotly", "IPython", "google", "tqdm", "pylab")
"""Packages whose absence must not cost a point: missing ones are replaced by objects that do nothing."""


class Inert:
    """Accepts anything and does nothing; unpacks into two, as ``fig, ax = plt.subplots()`` needs."""

    def __getattr__(self, name: str) -> Inert:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert()

    def __call__(self, *args: object, **_: object) -> object:
        """A decorator's or a progress bar's argument comes back as it is; settings don't."""
        if len(args) != 1 or isinstance(args[0], str | dict):
            return Inert()
        return args[0] if callable(args[0]) or hasattr(args[0], "__iter__") else Inert()

    def __getitem__(self, _: object) -> Inert:
        return Inert()

    def __setitem__(self, _: object, __: object) -> None:
        return

    def __iter__(self) -> object:
        return iter((Inert(), Inert()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return


class _InertModule(types.ModuleType):
    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return Inert()


class _StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds plotting packages that are not installed. Comes last, so that real ones win."""

    def __init__(self) -> None:
        self.used: list[str] = []

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname.partition(".")[0] not in PLOTTING:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        if "." not in spec.name:
            self.used.append(spec.name)
        return _InertModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        module.__path__ = []


class Library(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The submitted modules, importable by name after all installed ones: a helper never shadows one."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.modules: dict[str, types.ModuleType] = {}
        self._stand_ins = _StandIns()
        self._files = {_module_name(name): name for name in texts}
        self._packages = {
            ".".join(parts[:depth])
            for parts in (module.split(".") for module in self._files)
            for depth in range(1, len(parts))
        }

    @property
    def stand_ins(self) -> Sequence[str]:
        """Names of missing plotting packages that the submission imported."""
        return self._stand_ins.used

    def install(self) -> None:
        """Make the modules importable and their lines available to tracebacks and `inspect`."""
        sys.meta_path.extend((self, self._stand_ins))
        for name, text in self.texts.items():
            lines = [f"{line}\n" for line in text.split("\n")]  # as Python counts them
            linecache.cache[name] = (len(text), None, lines, name)

    def load(self, entry: str) -> types.ModuleType:
        """Run the main module (never as ``__main__``); whatever it raises comes out."""
        name = _module_name(entry)
        spec = importlib.machinery.ModuleSpec(name, self, origin=entry)
        module = types.ModuleType(name)
        module.__spec__, module.__file__, module.__package__ = spec, entry, name.rpartition(".")[0]
        sys.modules[name] = module
        self._run(module, entry)
        return module

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname not in self._files and fullname not in self._packages:
            return None
        is_package = fullname in self._packages or self._files[fullname].endswith("__init__.py")
        return importlib.machinery.ModuleSpec(
            fullname, self, origin=self._files.get(fullname), is_package=is_package
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        del spec
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        file = self._files.get(module.__name__)
        if file is not None:
            module.__file__ = file
            self._run(module, file)

    def _run(self, module: types.ModuleType, file: str) -> None:
        self.modules[module.__name__] = module
        code = compile(self.texts[file], file, "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102 - running student code is what this process is for


def _module_name(file: str) -> str:
    stem = file.removesuffix(".py").replace("/", ".")
    return stem.removesuffix(".__init__")
