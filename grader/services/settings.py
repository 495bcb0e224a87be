"""The settings of a node, read once from the environment. A misspelt name is an error, not a default."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.domain.errors import ConfigurationInvalid
from grader.domain.text import did_you_mean
from grader.engine.demands import GROUPS, REQUIRED, Demands
from grader.services.home import home_folder
from grader.services.policy import QueuePolicy
from grader.services.websettings import SETTINGS as WEB_SETTINGS
from grader.services.websettings import SettingDoc, WebSettings, load_web_settings

PREFIX = "GRADER_"
FOREIGN_PREFIXES = ("GRADER_TEST_",)
"""Names that belong to the test suite."""


SETTINGS: tuple[SettingDoc, ...] = (
    SettingDoc(
        name="GRADER_HOME",
        about="Folder for the embedded database, the server's secret and caches.",
        default="$XDG_DATA_HOME/grader, or ~/.local/share/grader",
    ),
    SettingDoc(
        name="GRADER_DATABASE_URL",
        about="SQLite or PostgreSQL, as sqlite:////path/file.db or postgresql://user@host/name.",
        default="sqlite:///$GRADER_HOME/grader.db",
    ),
    SettingDoc(
        name="GRADER_BROKER_URL",
        about="Redis or Valkey, as redis://:PASSWORD@host:6379/0 or redis+socket:///path/to.sock.",
        default="none: `grader up` and `grader demo` start their own",
    ),
    SettingDoc(
        name="GRADER_SECRET",
        about="Secret from which the seeds of attempts are derived, at least 32 characters.",
        default="made on first use and kept in $GRADER_HOME/secret, readable by its owner only",
    ),
    SettingDoc(
        name="GRADER_ENGINE",
        about="What grades, as module:factory. Tests put a quick stand-in here.",
        default="grader.engine:Engine",
    ),
    SettingDoc(
        name="GRADER_LEASE_S",
        about="Seconds after its last sign of life when a worker's attempt is given to another.",
        default=f"{QueuePolicy().lease_s:g}",
    ),
    SettingDoc(
        name="GRADER_MAX_TRIES",
        about="Runs of one attempt before staff are asked to look at it.",
        default=f"{QueuePolicy().max_tries}",
    ),
    SettingDoc(
        name="GRADER_RETRY_DELAY_S",
        about="Seconds before an attempt is run again after a fault that was not the student's.",
        default=f"{QueuePolicy().retry_delay_s:g}",
    ),
    SettingDoc(
        name="GRADER_RESEND_AFTER_S",
        about="Seconds before a queued attempt's message is taken for lost; doubles with each repeat.",
        default=f"{QueuePolicy().resend_after_s:g}",
    ),
    SettingDoc(
        name="GRADER_SWEEP_EVERY_S",
        about="Seconds between two looks for expired leases and lost messages.",
        default=f"{QueuePolicy().sweep_every_s:g}",
    ),
    SettingDoc(
        name=REQUIRED,
        about="Layers of the seal, by comma, without which nothing is graded; `all` is every one.",
        default="none but those that always are: see `grader doctor`",
    ),
    SettingDoc(
        name=GROUPS,
        about="Folders of control groups, by colon, below which each box gets its own.",
        default="the worker's own group, if it was delegated to it",
    ),
    *WEB_SETTINGS,
    SettingDoc(
        name="GRADER_SERVER",
        about="The server that the command line talks to, as https://grader.example.edu.",
        default="that of the last `grader login`, else this machine's own database",
    ),
    SettingDoc(
        name="GRADER_TOKEN",
        about="A personal token for GRADER_SERVER; it is sent nowhere else.",
        default="the one that `grader login` keeps",
    ),
)

_KNOWN = frozenset(setting.name for setting in SETTINGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything a node must be told. Build it with `load_settings`."""

    home: Path
    database_url: str = field(repr=False)
    broker_url: str | None = field(default=None, repr=False)
    secret: str | None = field(default=None, repr=False)
    engine: str = "grader.engine:Engine"
    policy: QueuePolicy = field(default_factory=QueuePolicy)
    web: WebSettings = field(default_factory=WebSettings)
    seal: Demands = field(default_factory=Demands)
    """Read here to be checked; the engine, which also runs without a node, reads the same variables."""

    @property
    def version_cache(self) -> Path:
        """Where assignment versions are unpacked for the engine."""
        return self.home / "versions"

    def require_broker(self) -> str:
        """The broker's URL, or an error that says how to get one."""
        if self.broker_url is None:
            raise ConfigurationInvalid(
                "GRADER_BROKER_URL",
                "it is not set, and this command needs a broker.",
                "Set it to a Redis or Valkey server, or use `grader up`, which starts one.",
            )
        return self.broker_url


BROKER_SCHEMES = ("redis://", "rediss://", "redis+socket://")


def _broker_url(url: str | None) -> str | None:
    if url and not url.startswith(BROKER_SCHEMES):
        raise ConfigurationInvalid(
            "GRADER_BROKER_URL",
            f"{url.partition(':')[0]!r} names no Redis or Valkey server.",
            "Write redis://host:6379/0, or redis+socket:///path/to.sock.",
        )
    return url or None


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings; ConfigurationInvalid names the variable that cannot be used and how to mend it."""
    values = _ours(os.environ if environ is None else environ)
    home = home_folder(environ)
    return Settings(
        home=home,
        database_url=values.get("GRADER_DATABASE_URL") or f"sqlite:///{home / 'grader.db'}",
        broker_url=_broker_url(values.get("GRADER_BROKER_URL")),
        secret=values.get("GRADER_SECRET") or None,
        engine=values.get("GRADER_ENGINE") or "grader.engine:Engine",
        policy=_policy(values),
        web=load_web_settings(values),
        seal=Demands.from_environment(values),
    )


def _ours(environ: Mapping[str, str]) -> dict[str, str]:
    ours = {
        name: value
        for name, value in environ.items()
        if name.startswith(PREFIX) and not name.startswith(FOREIGN_PREFIXES)
    }
    for name in sorted(ours.keys() - _KNOWN):
        remedy = did_you_mean(name, _KNOWN) or f"Known are: {', '.join(sorted(_KNOWN))}."
        raise ConfigurationInvalid(name, "there is no such setting.", remedy)
    return ours


def _policy(values: Mapping[str, str]) -> QueuePolicy:
    default = QueuePolicy()
    return QueuePolicy(
        lease_s=_number(values, "GRADER_LEASE_S", default.lease_s),
        max_tries=_whole_number(values, "GRADER_MAX_TRIES", default.max_tries),
        retry_delay_s=_number(values, "GRADER_RETRY_DELAY_S", default.retry_delay_s),
        resend_after_s=_number(values, "GRADER_RESEND_AFTER_S", default.resend_after_s),
        sweep_every_s=_number(values, "GRADER_SWEEP_EVERY_S", default.sweep_every_s),
    )


def _number(values: Mapping[str, str], name: str, default: float) -> float:
    text = values.get(name)
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise ConfigurationInvalid(
            name, f"{text!r} is not a number of 0 or more.", f"The default is {default:g}."
        )
    return number


def _whole_number(values: Mapping[str, str], name: str, default: int) -> int:
    number = _number(values, name, default)
    if number != int(number):
        raise ConfigurationInvalid(name, f"{number:g} is not a whole number.", f"The default is {default}.")
    return int(number)
