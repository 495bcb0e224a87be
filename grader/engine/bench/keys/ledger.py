"""Follows every key from the inputs through the generator's calls, and says which were misused.

The rules. A key serves once: for one draw, or for one split, or for any number of `fold_in` with different
numbers. Since a draw and the making of new keys hash the same counters, any breach either repeats a
(key, counter) block or mixes purposes, and both are visible here. A key is known if it is an input, or the
output of an earlier block. A returned key is fresh if it is known, is no input, and has not served.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from grader.engine.bench.keyfindings import KeyFault, KeyFinding, KeyUse, Purpose, SourceLine
from grader.engine.bench.keys.probes import KernelCall
from grader.engine.bench.keys.threefry import Words, threefry2x32
from grader.engine.bench.text import printable

Key = tuple[int, int]

USES_LISTED = 4
FINDINGS_KEPT = 20

SAMPLERS: Mapping[str, str] = {"_poisson": "poisson"}
"""Library samplers that use a key twice inside, by their function in the program. Of 51 public samplers and
initialisers, `binomial` and `multinomial` do too, but leave no function behind (jax 0.10.2)."""

_PURPOSES = {"_threefry_split": Purpose.SPLIT, "_threefry_fold_in": Purpose.FOLD_IN}
_NAME_LENGTH = 60
_COPY_NUMBER = re.compile(r"_\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """One key in one call of the generator."""

    call: KernelCall
    purpose: Purpose
    counters: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class _Origin:
    """Where a key comes from: an input row if `parent` is None, else a child of `parent`."""

    label: str
    parent: Key | None = None


@dataclass(slots=True)
class Ledger:
    """All keys of one run. Feed it the inputs, then the calls in order, then ask for findings."""

    _origins: dict[Key, _Origin] = field(default_factory=dict)
    _inputs: dict[int, list[Key]] = field(default_factory=dict)
    _uses: defaultdict[Key, list[_Use]] = field(default_factory=lambda: defaultdict(list))
    _drawn: list[tuple[Words, Words]] = field(default_factory=list)
    """(keys, outputs) of draws: rarely searched, so kept as arrays."""
    _foreign: list[Key] = field(default_factory=list)
    draws: int = 0
    blocks: int = 0
    derivations: int = 0

    @property
    def keys_used(self) -> int:
        return len(self._uses)

    def add_input(self, position: int, keys: Words) -> None:
        """The keys of one input: uint32[n, 2]."""
        rows = _as_keys(keys)
        self._inputs[position] = rows
        for row, key in enumerate(rows):
            label = f"input {position}" if len(rows) == 1 else f"input {position}[{row}]"
            self._origins.setdefault(key, _Origin(label=label))

    def add_seed(self, position: int, seed: int) -> None:
        """An integer input: a key made from it by `jax.random.key` is known."""
        self._origins.setdefault((0, seed & 0xFFFFFFFF), _Origin(label=f"key(input {position})"))

    def add_call(self, call: KernelCall) -> None:
        """One evaluation of the generator; calls come in the order they ran."""
        if not len(call.keys):
            return
        purpose = _purpose(call)
        self.draws += purpose is Purpose.DRAW
        self.derivations += purpose is not Purpose.DRAW
        for key, counters in _by_key(call):
            if not self._is_known(key):
                self._foreign.append(key)
                self._origins[key] = _Origin(label=f"foreign {len(self._foreign)}")
            self._uses[key].append(_Use(call=call, purpose=purpose, counters=counters))
        outputs = threefry2x32(call.keys, call.counters)
        if purpose is Purpose.DRAW:
            self.blocks += len(call.keys)
            self._drawn.append((call.keys, outputs))
        else:
            self._add_children(call, outputs, purpose)

    def findings(self, returned: Mapping[int, Words]) -> Iterator[KeyFinding]:
        """Every misuse; `returned` holds the keys of each output that is one, uint32[n, 2]."""
        yield from _merged(self._reuses())
        for key in self._foreign:
            yield self._about(KeyFault.FOREIGN, key, words=key)
        yield from self._returned(returned)
        yield from self._unused({key for keys in returned.values() for key in _as_keys(keys)})

    def _add_children(self, call: KernelCall, outputs: Words, purpose: Purpose) -> None:
        parents = _as_keys(call.keys)
        for parent, child, counter in zip(
            parents, _as_keys(outputs), call.counters[:, 1].tolist(), strict=True
        ):
            step = f"fold_in({counter})" if purpose is Purpose.FOLD_IN else f"split[{counter}]"
            self._origins.setdefault(child, _Origin(label=step, parent=parent))
        # With `jax_threefry_partitionable` off, a split pairs the words the other way round: first all left
        # ones, then all right ones, cut into pairs.
        rows = outputs.reshape(-1, call.last_axis, 2).swapaxes(1, 2).reshape(-1, 2)
        for row, (parent, child) in enumerate(zip(parents, _as_keys(rows), strict=True)):
            self._origins.setdefault(child, _Origin(label=f"split[{row % call.last_axis}]", parent=parent))

    def _is_known(self, key: Key) -> bool:
        """Whether a key is an input or was made before; a draw whose output serves as a key made it."""
        if key in self._origins:
            return True
        for keys, outputs in self._drawn:
            rows = np.flatnonzero((outputs[:, 0] == key[0]) & (outputs[:, 1] == key[1]))
            if rows.size:
                parent = _as_keys(keys[rows[:1]])[0]
                self._origins[key] = _Origin(label=f"split[{int(rows[0])}]", parent=parent)
                return True
        return False

    def _label(self, key: Key) -> str:
        steps: list[str] = []
        at: Key | None = key
        while at is not None:
            origin = self._origins[at]
            steps.append(origin.label)
            at = origin.parent
        return ".".join(reversed(steps))

    def _reuses(self) -> Iterator[KeyFinding]:
        for key, uses in self._uses.items():
            if not _serves_twice(uses):
                continue
            sampler = _common_sampler(uses)
            fault = KeyFault.REUSED if sampler is None else KeyFault.SAMPLER_REUSE
            yield self._about(fault, key, sampler=sampler)

    def _about(
        self,
        fault: KeyFault,
        key: Key,
        *,
        words: Key | None = None,
        output: int | None = None,
        sampler: str | None = None,
    ) -> KeyFinding:
        uses = self._uses.get(key, [])
        return KeyFinding(
            fault=fault,
            key=self._label(key) if key in self._origins else "unknown",
            times=sum(_multiplicity(use) for use in uses),
            uses=_described(uses),
            words=words,
            output=output,
            sampler=sampler,
        )

    def _returned(self, returned: Mapping[int, Words]) -> Iterator[KeyFinding]:
        inputs = {key for keys in self._inputs.values() for key in keys}
        seen: set[Key] = set()
        for output, rows in returned.items():
            faults: dict[KeyFault, Key] = {}
            for key in _as_keys(rows):
                fault = self._returned_fault(key, inputs, seen)
                seen.add(key)
                if fault is not None:
                    faults.setdefault(fault, key)
            for fault, key in faults.items():
                yield self._about(fault, key, output=output)

    def _returned_fault(self, key: Key, inputs: set[Key], seen: set[Key]) -> KeyFault | None:
        if key in inputs:
            return KeyFault.RETURNED_INPUT
        if key in self._foreign or not self._is_known(key):
            return KeyFault.RETURNED_FOREIGN
        if key in self._uses:
            return KeyFault.RETURNED_USED
        return KeyFault.RETURNED_TWICE if key in seen else None

    def _unused(self, returned: set[Key]) -> Iterator[KeyFinding]:
        for keys in self._inputs.values():
            if keys and not any(key in self._uses or key in returned for key in keys):
                yield self._about(KeyFault.UNUSED, keys[0])


def _as_keys(words: Words) -> list[Key]:
    return [(first, second) for first, second in words.tolist()]


def _purpose(call: KernelCall) -> Purpose:
    return _PURPOSES.get(_COPY_NUMBER.sub("", call.site.caller), Purpose.DRAW)


def _by_key(call: KernelCall) -> Iterator[tuple[Key, Words]]:
    """Each different key of a call with its counters, in order of first appearance."""
    if (call.keys == call.keys[0]).all():
        yield _as_keys(call.keys[:1])[0], call.counters
        return
    keys, first, inverse = np.unique(call.keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    groups = np.split(call.counters[order], np.cumsum(np.bincount(inverse))[:-1])
    for position in np.argsort(first):
        yield _as_keys(keys[position : position + 1])[0], groups[position]


def _serves_twice(uses: Sequence[_Use]) -> bool:
    plain = sum(use.purpose is not Purpose.FOLD_IN for use in uses)
    if plain > 1 or 0 < plain < len(uses):
        return True
    counters = np.concatenate([use.counters for use in uses])
    return len(np.unique(counters, axis=0)) < len(counters)


def _multiplicity(use: _Use) -> int:
    """How often one call used its key: more than once if rows repeat a block."""
    _, counts = np.unique(use.counters, axis=0, return_counts=True)
    return int(counts.max())


def _common_sampler(uses: Sequence[_Use]) -> str | None:
    """The library sampler one run of which contains all uses, None if there is none."""
    shared = {frame.number for frame in uses[0].call.stack}.intersection(
        *({frame.number for frame in use.call.stack} for use in uses)
    )
    names = [
        SAMPLERS.get(_COPY_NUMBER.sub("", frame.site.callee))
        for frame in uses[0].call.stack
        if frame.number in shared
    ]
    return next((name for name in names if name is not None), None)


def _described(uses: Sequence[_Use]) -> tuple[KeyUse, ...]:
    """The different uses, with the lines of the first call on which they part."""
    depth = _parting(uses)
    unique: dict[KeyUse, None] = {}
    for use in uses[:200]:
        described = KeyUse(purpose=use.purpose, by=_by(use), lines=_lines(use.call, depth))
        unique.setdefault(described)
    return tuple(unique)[:USES_LISTED]


def _parting(uses: Sequence[_Use]) -> int:
    """How many outer runs of functions all uses share, by the calls in the text that started them."""
    paths = [[frame.site for frame in use.call.stack] for use in uses]
    depth = 0
    for sites in zip(*paths, strict=False):
        if any(site is not sites[0] for site in sites):
            break
        depth += 1
    return depth


def _lines(call: KernelCall, depth: int) -> tuple[SourceLine, ...]:
    """Lines of the user's code for one use: of the call where uses part, or of the last outside the library.

    Inside library functions the recorded lines are those of whoever called them first, so they are not used.
    """
    sites = [frame.site for frame in call.stack] + [call.site]
    own = 0
    while own < len(sites) - 1 and not _is_library(sites[own].callee):
        own += 1
    return sites[min(depth, own)].lines


def _is_library(function: str) -> bool:
    return function.startswith("_")


def _by(use: _Use) -> str:
    """The outermost library function around a use, as its caller wrote it."""
    names = [_COPY_NUMBER.sub("", frame.site.callee) for frame in use.call.stack]
    outermost = next((name for name in names if _is_library(name)), "")
    return printable(outermost.removeprefix("_threefry").removeprefix("_"))[:_NAME_LENGTH] or "bits"


def _merged(findings: Iterable[KeyFinding]) -> Iterator[KeyFinding]:
    """Equal misuses of several keys in the same places, as one finding each."""
    groups: dict[tuple[KeyFault, tuple[KeyUse, ...]], list[KeyFinding]] = defaultdict(list)
    for finding in findings:
        groups[finding.fault, finding.uses].append(finding)
    for group in groups.values():
        yield replace(group[0], keys=len(group), times=max(finding.times for finding in group))
