"""What every request needs: the settings, the database, the server's secret, and the links of this site."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from grader.db.database import Database
from grader.db.migrate import require_current
from grader.services.accounts.oidc import OidcProvider
from grader.services.seeding import load_secret
from grader.services.settings import Settings
from grader.services.websettings import WebSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class WebContext:
    """One web server's means, made once at its start. `sso` is None where only passwords are used."""

    settings: Settings
    database: Database
    secret: bytes = field(repr=False)
    sso: OidcProvider | None = None

    @property
    def web(self) -> WebSettings:
        return self.settings.web

    def link(self, path: str) -> str:
        """The full address of a page, made from GRADER_URL: a Host header is what its sender likes."""
        return f"{self.web.url}{path}"


@contextmanager
def open_context(settings: Settings) -> Iterator[WebContext]:
    """The context of these settings, closed afterwards; ConfigurationInvalid where something is missing."""
    database = Database(settings.database_url)
    try:
        require_current(database)
        sso = OidcProvider(settings.web.oidc) if settings.web.oidc else None
        yield WebContext(settings=settings, database=database, secret=load_secret(settings), sso=sso)
    finally:
        database.close()
