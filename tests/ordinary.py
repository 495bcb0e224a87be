"""Runs a command as somebody else than the root user a test was started by, where the interpreter lets it.

    python -m tests.ordinary user ARGUMENT..        an ordinary user
    python -m tests.ordinary container ARGUMENT..   root with the few capabilities a hardened container keeps

The arguments are the interpreter's. Where Python or the repository lie below a private home, that home is
replaced by an open one that holds only them, in a mount namespace of our own: the machine does not change.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from grader.engine.linux import libc
from grader.engine.linux.seal import namespaces, root

UID = 54_321
REPOSITORY = Path(__file__).parents[1]

_PR_CAPBSET_DROP = 24
_KEPT = {0, 5, 6, 7}  # CHOWN, KILL, SETGID, SETUID
_HIGHEST = 40
_MS_REC_PRIVATE = 16384 | 1 << 18
_MS_BIND_REC = 4096 | 16384


def main(kind: str, arguments: list[str]) -> None:
    namespaces.own_mounts()
    libc.call("mount", b"none", b"/", None, _MS_REC_PRIVATE, None)
    _open_up([Path(sys.base_prefix), Path(sys.prefix), REPOSITORY])
    os.chdir(REPOSITORY)
    if kind == "user":
        os.setgroups([])
        os.setresgid(UID, UID, UID)
        os.setresuid(UID, UID, UID)
    else:
        for capability in set(range(_HIGHEST + 1)) - _KEPT:
            libc.prctl(_PR_CAPBSET_DROP, capability)
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
    os.execve(sys.executable, [sys.executable, *arguments], environment)  # noqa: S606 - ourselves, again


def _open_up(needed: list[Path]) -> None:
    """Make every path of `needed` reachable for everybody."""
    private = {path: home for path in needed if (home := private_part(path))}
    held = {path: os.open(path, os.O_PATH) for path in private}
    for home in set(private.values()):
        root.mount_tmpfs(home, flags=0, options="size=1m,mode=755")
    for path, descriptor in held.items():
        path.mkdir(mode=0o755, parents=True, exist_ok=True)
        source = f"/proc/self/fd/{descriptor}".encode()
        libc.call("mount", source, os.fsencode(path), None, _MS_BIND_REC, None)
        os.close(descriptor)


def private_part(path: Path) -> Path | None:
    """The topmost folder on the way that not everybody may enter."""
    for folder in (*reversed(path.parents), path):
        if not folder.stat().st_mode & 0o001:
            return folder
    return None


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
