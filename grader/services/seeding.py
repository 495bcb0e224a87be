"""Secret, reproducible seeds: without the server's secret nobody can guess an attempt's hidden inputs."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from grader.db.database import make_folder
from grader.domain.errors import ConfigurationInvalid
from grader.services.settings import Settings

MIN_SECRET_CHARACTERS = 32
_PURPOSE = b"grader attempt seed, version 1\0"


def derive_seed(secret: bytes, attempt_id: UUID) -> str:
    """The seed of an attempt: 64 hexadecimal digits, the same whenever it is asked for."""
    return hmac.new(secret, _PURPOSE + attempt_id.bytes, hashlib.sha256).hexdigest()


def load_secret(settings: Settings) -> bytes:
    """The server's secret: from the settings, else from its file, which is made on first use."""
    if settings.secret is not None:
        return _checked(settings.secret, where="GRADER_SECRET")
    path = settings.home / "secret"
    try:
        text = path.read_text("ascii")
    except FileNotFoundError:
        text = _create(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationInvalid(str(path), f"the secret cannot be read ({error}).") from error
    return _checked(text.strip(), where=str(path))


def _checked(secret: str, *, where: str) -> bytes:
    if len(secret) < MIN_SECRET_CHARACTERS:
        raise ConfigurationInvalid(
            where,
            f"a secret needs at least {MIN_SECRET_CHARACTERS} characters.",
            'Make one with: python -c "import secrets; print(secrets.token_hex(32))"',
        )
    return secret.encode("utf-8")


def _create(path: Path) -> str:
    """Write a new secret, or return the one that another process wrote first; never a half-written one."""
    make_folder(path.parent)
    mine = path.with_name(f".secret-{secrets.token_hex(8)}")
    descriptor = os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        with suppress(FileExistsError):
            path.hardlink_to(mine)
        return path.read_text("ascii")
    finally:
        mine.unlink()
