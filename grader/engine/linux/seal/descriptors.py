"""Layer: a box holds its standard streams and its channel, and no other descriptor."""

from __future__ import annotations

import os

CHANNEL = 3
"""Where the channel is after `keep_only`."""

_HIGHEST = 1 << 20


def keep_only(channel: int, stdout: int, stderr: int) -> None:
    """Move the three to 3, 1 and 2, put the null device on 0, and close everything else."""
    nothing = os.open("/dev/null", os.O_RDONLY)
    # Copies above the targets first, so that no move overwrites what is still to be moved.
    sources = [os.dup(descriptor) for descriptor in (nothing, stdout, stderr, channel)]
    while min(sources) <= CHANNEL:
        sources = [os.dup(descriptor) for descriptor in sources]
    for target, source in enumerate(sources):
        os.dup2(source, target, inheritable=False)
    os.closerange(CHANNEL + 1, _HIGHEST)
