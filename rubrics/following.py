"""The key log of a plain call, for functions without a program: the bench's rules, the candidate's word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from grader.engine.bench.keyfindings import KeyLog, SourceLine
from grader.engine.bench.keys.ledger import FINDINGS_KEPT, Ledger
from grader.engine.bench.keys.probes import KernelCall, Site
from grader.engine.bench.keys.threefry import Words
from grader.engine.protocol import Leaf
from grader.engine.testimony import FollowedCall, HashCall

_CALLERS: Mapping[str, str] = {"split": "_threefry_split", "fold_in": "_threefry_fold_in"}
"""The functions in which a program makes new keys, by what for."""


def key_log(
    call: FollowedCall, inputs: Sequence[Leaf], *, key_inputs: Sequence[int], key_outputs: Sequence[int]
) -> KeyLog:
    """Which keys a followed call used, and which wrongly. Positions are flat."""
    ledger = Ledger()
    for position in key_inputs:
        ledger.add_input(position, _rows(inputs[position]))
    for each in call.calls:
        ledger.add_call(_kernel_call(each))
    returned = {position: _rows(call.leaves[position]) for position in key_outputs}
    return KeyLog(
        findings=tuple(islice(ledger.findings(returned), FINDINGS_KEPT)),
        draws=ledger.draws,
        blocks=ledger.blocks,
        derivations=ledger.derivations,
        keys_used=ledger.keys_used,
        cost={},
    )


def _kernel_call(call: HashCall) -> KernelCall:
    frame = call.frame
    lines = () if frame is None else (SourceLine(file=frame.file, line=frame.line, function=frame.function),)
    site = Site(caller=_CALLERS.get(call.purpose, ""), callee="", lines=lines)
    return KernelCall(
        site=site, stack=(), keys=call.keys, counters=call.counters, last_axis=max(call.last_axis, 1)
    )


def _rows(leaf: Leaf) -> Words:
    """The keys of a leaf as uint32[n, 2]; none for a leaf that holds none."""
    array = leaf.array
    if array is None or array.dtype != np.uint32 or array.ndim == 0 or array.shape[-1] != 2:  # noqa: PLR2004
        return np.zeros((0, 2), np.uint32)
    return array.reshape(-1, 2)
