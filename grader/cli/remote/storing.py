"""Files that a server sends, written where the user says."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from grader.cli.remote.client import Reply
from grader.domain.errors import ConfigurationInvalid

FALLBACK = "download"


def store(reply: Reply, out: Path | None) -> Path:
    """Write an answer to `out`, a file or a folder; by default here, under the name that it came with.

    A file whose name only the server chose is never put over one that is there already.
    """
    # The last part of the name only, whatever the server says.
    own = PurePosixPath(reply.filename.replace("\\", "/")).name.lstrip(".") or FALLBACK
    path = Path(own) if out is None else out
    if out is not None and out.is_dir():
        path = out / own
    if path != out and path.exists():
        raise ConfigurationInvalid("-o", f"{path} is there already.", "Give a name to write to.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(reply.data)
    except OSError as error:
        problem = f"cannot write {path}: {error.strerror or error}."
        raise ConfigurationInvalid("-o", problem, "Name another place.") from error
    return path
