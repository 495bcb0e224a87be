"""Layer: a user and group that own nothing and are nobody else's."""

from __future__ import annotations

import os


def become(uid: int) -> None:
    """Give up who we are for the user and group `uid`, for good, with no further groups."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
