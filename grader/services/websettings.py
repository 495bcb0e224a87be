"""The web server's settings: where people reach it, who stands before it, who else vouches for people."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit

from grader.domain.errors import ConfigurationInvalid

DEFAULT_URL = "http://127.0.0.1:8000"
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_HOURS_IN_A_YEAR = 366 * 24


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingDoc:
    """What one environment variable means; documentation and the check of names are made from these."""

    name: str
    about: str
    default: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcSettings:
    """An OpenID Connect provider that people may log in with.

    `domains` are those of e-mail addresses that may come in, empty for all; `new_people` says whether
    somebody whom no course knows yet gets an account.
    """

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    domains: frozenset[str] = frozenset()
    new_people: bool = False
    name: str = "single sign-on"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """What the web server must be told. `url` has no path and no slash at its end."""

    url: str = DEFAULT_URL
    trusted_proxies: tuple[str, ...] = ()
    session_idle: timedelta = timedelta(hours=24)
    session_longest: timedelta = timedelta(days=14)
    oidc: OidcSettings | None = None

    @property
    def secure(self) -> bool:
        """Whether browsers reach us through TLS only."""
        return self.url.startswith("https://")

    @property
    def hosts(self) -> frozenset[str]:
        """The values of a Host header that are ours. On one machine, all its names for itself are.

        Browsers leave a scheme's own port out of the header, also where GRADER_URL has it.
        """
        parts = urlsplit(self.url)
        port = "" if parts.port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{parts.port}"
        written = parts.netloc.lower()
        if parts.hostname is None or not is_loopback(parts.hostname):
            return frozenset({written, written.removesuffix(f":{parts.port}") + port})
        return frozenset({written, *(f"{host}{port}" for host in LOOPBACK_HOSTS)})

    @property
    def port(self) -> int:
        """The port in the address, written or implied."""
        parts = urlsplit(self.url)
        return parts.port or _DEFAULT_PORTS[parts.scheme]


SETTINGS: tuple[SettingDoc, ...] = (
    SettingDoc(
        name="GRADER_URL",
        about="Where people reach the web server; links are made from it, and other hosts are refused.",
        default=DEFAULT_URL,
    ),
    SettingDoc(
        name="GRADER_TRUSTED_PROXY",
        about="Addresses of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.",
        default="none",
    ),
    SettingDoc(
        name="GRADER_SESSION_IDLE_H",
        about="Hours without a page after which somebody is logged out.",
        default="24",
    ),
    SettingDoc(
        name="GRADER_SESSION_LONGEST_H",
        about="Hours after which somebody has to log in again in any case.",
        default="336",
    ),
    SettingDoc(
        name="GRADER_OIDC_ISSUER",
        about="An OpenID Connect provider that people may log in with, as https://login.example.edu.",
        default="none: people log in with a password",
    ),
    SettingDoc(
        name="GRADER_OIDC_CLIENT_ID",
        about="What that provider calls this server.",
        default="none; needed with an issuer",
    ),
    SettingDoc(
        name="GRADER_OIDC_CLIENT_SECRET",
        about="This server's secret at that provider.",
        default="none; needed with an issuer",
    ),
    SettingDoc(
        name="GRADER_OIDC_DOMAINS",
        about="Domains of e-mail addresses that may come in, with commas between them.",
        default="all that the provider vouches for",
    ),
    SettingDoc(
        name="GRADER_OIDC_NEW_PEOPLE",
        about="yes: whoever the provider knows gets an account; no: only those a course knows already.",
        default="no",
    ),
    SettingDoc(
        name="GRADER_OIDC_NAME",
        about="What the button says: Log in with ...",
        default="single sign-on",
    ),
)


def load_web_settings(values: Mapping[str, str]) -> WebSettings:
    """Read the web server's variables; ConfigurationInvalid names the one that cannot be used."""
    default = WebSettings()
    return WebSettings(
        url=_url(values.get("GRADER_URL") or DEFAULT_URL),
        trusted_proxies=_proxies(values.get("GRADER_TRUSTED_PROXY", "")),
        session_idle=_hours(values, "GRADER_SESSION_IDLE_H", default.session_idle),
        session_longest=_hours(values, "GRADER_SESSION_LONGEST_H", default.session_longest),
        oidc=_oidc(values),
    )


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _url(text: str) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in _DEFAULT_PORTS and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise ConfigurationInvalid(
            "GRADER_URL",
            f"{text!r} is not the address of a server.",
            "Write https://grader.example.edu, without a path.",
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _proxies(text: str) -> tuple[str, ...]:
    proxies = tuple(part.strip() for part in text.split(",") if part.strip())
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy, strict=False)
        except ValueError as error:
            raise ConfigurationInvalid(
                "GRADER_TRUSTED_PROXY",
                f"{proxy!r} is no address or network.",
                "Write 10.0.0.5 or 10.0.0.0/24, several with commas between them.",
            ) from error
    return proxies


def _hours(values: Mapping[str, str], name: str, default: timedelta) -> timedelta:
    text = values.get(name)
    if not text:
        return default
    try:
        hours = float(text)
        usable = 0 < hours <= _HOURS_IN_A_YEAR
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationInvalid(
            name, f"{text!r} is not a number of hours above 0, up to a year.", "Write 24 for a day."
        )
    return timedelta(hours=hours)


def _oidc(values: Mapping[str, str]) -> OidcSettings | None:
    issuer = values.get("GRADER_OIDC_ISSUER")
    if not issuer:
        return None
    parts = urlsplit(issuer)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        raise ConfigurationInvalid(
            "GRADER_OIDC_ISSUER", f"{issuer!r} is no https address.", "Write it as the provider gives it."
        )
    return OidcSettings(
        issuer=issuer,
        client_id=_with_issuer(values, "GRADER_OIDC_CLIENT_ID"),
        client_secret=_with_issuer(values, "GRADER_OIDC_CLIENT_SECRET"),
        domains=frozenset(
            part.strip().lower() for part in values.get("GRADER_OIDC_DOMAINS", "").split(",") if part.strip()
        ),
        new_people=_yes_or_no(values, "GRADER_OIDC_NEW_PEOPLE"),
        name=values.get("GRADER_OIDC_NAME") or "single sign-on",
    )


def _with_issuer(values: Mapping[str, str], name: str) -> str:
    if value := values.get(name):
        return value
    raise ConfigurationInvalid(name, "it is not set, but GRADER_OIDC_ISSUER is.", "Set both, or neither.")


def _yes_or_no(values: Mapping[str, str], name: str) -> bool:
    text = values.get(name, "no").lower()
    if text not in ("yes", "no", ""):
        raise ConfigurationInvalid(name, f"{text!r} is not an answer.", "Write yes or no.")
    return text == "yes"
