"""Single sign-on with an OpenID Connect provider: the protocol alone; who the person is, `sso` decides.

The authorization code flow with PKCE. Each log-in has a state, which ties the answer to the browser that
asked, and a nonce, which ties the provider's token to the question. The token's signature is checked with the
provider's published keys and asymmetric algorithms only: "none" is not one, and an HMAC would make our client
secret a signing key.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus

import httpx
from authlib.common.errors import AuthlibBaseError
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from grader.domain.errors import NotLoggedIn, ServiceUnavailable
from grader.services.accounts.secrets import new_secret
from grader.services.websettings import OidcSettings

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
SCOPE = "openid email profile"
LEEWAY_S = 60
"""How far the provider's clock and ours may be apart."""

_TIMEOUT_S = 10.0
_METADATA_LIFE_S = 3600.0
_LARGEST_ANSWER = 1 << 20
_BASIC = "client_secret_basic"
_WELL_KNOWN = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What one log-in sent the browser away with; the browser keeps it in a cookie until it comes back."""

    state: str
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """What the provider says of a person. `email` only where it says that it has verified it."""

    issuer: str
    subject: str
    email: str | None
    name: str | None
    username: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Provider:
    """What the provider publishes about itself, and when we asked."""

    metadata: dict[str, Any]
    keys: KeySet
    fetched_at: float


class OidcProvider:
    """A provider that vouches for people. Safe to use from many threads."""

    def __init__(
        self,
        settings: OidcSettings,
        *,
        clock: Callable[[], float] = time.time,
        http: httpx.Client | None = None,
    ) -> None:
        self.settings = settings
        self._clock = clock
        self._http = http or httpx.Client(timeout=_TIMEOUT_S, follow_redirects=False)
        self._provider: _Provider | None = None
        self._lock = threading.Lock()

    def ask(self, *, redirect_uri: str) -> tuple[str, Question]:
        """Where to send the browser, and what it has to bring back."""
        question = Question(state=new_secret(), nonce=new_secret(), verifier=new_secret())
        address = prepare_grant_uri(
            self._known().metadata["authorization_endpoint"],
            client_id=self.settings.client_id,
            response_type="code",
            redirect_uri=redirect_uri,
            scope=SCOPE,
            state=question.state,
            nonce=question.nonce,
            code_challenge=create_s256_code_challenge(question.verifier),
            code_challenge_method="S256",
        )
        return str(address), question

    def redeem(self, question: Question, *, code: str, redirect_uri: str) -> Vouched:
        """What the provider says of the person whose code this is; NotLoggedIn where that does not hold."""
        answer = self._exchange(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": redirect_uri,
                "code_verifier": question.verifier,
            }
        )
        claims = self._verified(str(answer.get("id_token") or ""), question, answer)
        subject = claims["sub"]
        if not isinstance(subject, str) or not subject:
            raise _not_vouched("its answer names nobody")
        return Vouched(
            issuer=self.settings.issuer,
            subject=subject,
            email=_text(claims.get("email")) if claims.get("email_verified") is True else None,
            name=_text(claims.get("name")),
            username=_text(claims.get("preferred_username")),
        )

    def _exchange(self, form: dict[str, str]) -> dict[str, Any]:
        """A code for the provider's tokens."""
        metadata = self._known().metadata
        basic = _BASIC in metadata.get("token_endpoint_auth_methods_supported", [_BASIC])
        ours, secret = self.settings.client_id, self.settings.client_secret
        # RFC 6749, 2.3.1: both are form-encoded before they are joined.
        auth = httpx.BasicAuth(quote_plus(ours), quote_plus(secret)) if basic else httpx.USE_CLIENT_DEFAULT
        data = form if basic else {**form, "client_id": ours, "client_secret": secret}
        try:
            answer = self._http.post(metadata["token_endpoint"], data=data, auth=auth)
            content = answer.json() if len(answer.content) <= _LARGEST_ANSWER else None
        except (httpx.HTTPError, ValueError) as error:
            raise _away() from error
        if answer.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
            raise _away()
        if answer.is_error or not isinstance(content, dict):
            raise _not_vouched("the provider did not accept the log-in")
        return content

    def _verified(self, id_token: str, question: Question, answer: dict[str, Any]) -> CodeIDToken:
        """The token's claims, after signature, issuer, audience, nonce and times were checked."""
        token = self._opened(id_token)
        claims = CodeIDToken(
            token.claims,
            token.header,
            options={
                "iss": {"essential": True, "value": self.settings.issuer},
                "aud": {"essential": True, "value": self.settings.client_id},
            },
            params={
                "nonce": question.nonce,
                "client_id": self.settings.client_id,
                "access_token": answer.get("access_token"),
            },
        )
        try:
            claims.validate(now=int(self._clock()), leeway=LEEWAY_S)
        except (JoseError, AuthlibBaseError) as error:
            raise _not_vouched("its answer is not for this log-in, or is too old") from error
        return claims

    def _opened(self, id_token: str) -> jwt.Token:
        try:
            return jwt.decode(id_token, self._known().keys, algorithms=ALGORITHMS)
        except (JoseError, ValueError):
            # Perhaps a key that we do not know yet: the provider may have changed them since we asked.
            try:
                return jwt.decode(id_token, self._known(fresh=True).keys, algorithms=ALGORITHMS)
            except (JoseError, ValueError) as error:
                raise _not_vouched("its answer is not signed by it") from error

    def _known(self, *, fresh: bool = False) -> _Provider:
        with self._lock:
            known = self._provider
            if fresh or known is None or self._clock() - known.fetched_at > _METADATA_LIFE_S:
                known = self._provider = self._fetch()
            return known

    def _fetch(self) -> _Provider:
        metadata = self._get(self.settings.issuer.rstrip("/") + _WELL_KNOWN)
        if metadata.get("issuer") != self.settings.issuer:
            raise ServiceUnavailable(
                "the log-in provider calls itself by another name than GRADER_OIDC_ISSUER."
            )
        try:
            keys = KeySet.import_key_set(self._get(str(metadata["jwks_uri"])))
            _ = metadata["authorization_endpoint"], metadata["token_endpoint"]
        except (KeyError, ValueError, JoseError) as error:
            raise _away() from error
        return _Provider(metadata=metadata, keys=keys, fetched_at=self._clock())

    def _get(self, address: str) -> Any:  # noqa: ANN401 - JSON
        try:
            answer = self._http.get(address)
            answer.raise_for_status()
            if len(answer.content) > _LARGEST_ANSWER:
                raise _away()
            return answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise _away() from error


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _not_vouched(why: str) -> NotLoggedIn:
    return NotLoggedIn(f"single sign-on did not work: {why}. Try again from the log-in page.")


def _away() -> ServiceUnavailable:
    return ServiceUnavailable(
        "the log-in provider cannot be reached, or gave no usable answer. Try again later."
    )
