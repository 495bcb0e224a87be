"""Single sign-on with an OpenID Connect provider: the protocol alone; who the person is, `sso` decides."""

from __future__ import annotations

from grader.services.websettings import OidcSettings


class OidcProvider:
    """A provider that vouches for people."""

    def __init__(self, settings: OidcSettings) -> None:
        self.settings = settings
