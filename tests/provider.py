"""A real OpenID Connect provider on this machine, for tests of single sign-on.

It has discovery, an authorization endpoint that logs in whoever the test says, a token endpoint that checks
client, code, redirect and PKCE, and published keys. `spoil` changes what it puts into a token, and `sign` how
that is signed, so that tests can lie.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey

from grader.services.websettings import OidcSettings

CLIENT_ID, CLIENT_SECRET = "grader", "a client's + secret"

Sign = Callable[[dict[str, Any]], str]


class Provider:
    """What the provider knows, and what the test has it say."""

    def __init__(self) -> None:
        self.key = self._new_key()
        self.person: dict[str, Any] = {
            "sub": "u-1",
            "email": "carla@example.edu",
            "email_verified": True,
            "name": "Carla",
            "preferred_username": "carla",
        }
        self.spoil: dict[str, Any] = {}
        self.sign: Sign = self.signed
        self.issuer = ""
        self._codes: dict[str, dict[str, str]] = {}

    def settings(self, **changes: Any) -> OidcSettings:  # noqa: ANN401 - any field of OidcSettings
        """What our server is told about this provider."""
        values = {"issuer": self.issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
        return OidcSettings(**{**values, **changes})

    def log_in(self, address: str) -> str:
        """What a browser does with the address that it is sent to: the address it is sent back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT_ID
        assert "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def change_keys(self) -> None:
        """Sign with another key from now on, as providers do every few weeks."""
        self.key = self._new_key()

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def keys(self) -> dict[str, Any]:
        return dict(KeySet([self.key]).as_dict(private=False))

    def redeem(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """Tokens for a code that is used for the first time, by the client and browser it was made for."""
        scheme, _, packed = authorization.partition(" ")
        client = base64.b64decode(packed).decode("ascii").split(":") if scheme == "Basic" else []
        asked = self._codes.pop(form.get("code", ""), None)
        if [unquote_plus(part) for part in client] != [CLIENT_ID, CLIENT_SECRET] or asked is None:
            return None
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return None
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **self.person,
            **self.spoil,
        }
        token = self.sign({name: value for name, value in claims.items() if value is not None})
        return {"access_token": "opaque", "token_type": "Bearer", "id_token": token}

    def signed(self, claims: dict[str, Any]) -> str:
        """As an honest provider signs."""
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    def signed_by_another(self, claims: dict[str, Any]) -> str:
        """By a key that is not the provider's, under the name of one that is."""
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self._new_key())

    def unsigned(self, claims: dict[str, Any]) -> str:
        """With the algorithm "none"."""
        parts = [json.dumps(part).encode() for part in ({"alg": "none", "typ": "JWT"}, claims)]
        return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + "."

    def signed_with_the_client_secret(self, claims: dict[str, Any]) -> str:
        """By an HMAC that everybody who knows the client's secret can make."""
        key = OctKey.import_key(CLIENT_SECRET.ljust(64, "x"))
        return jwt.encode({"alg": "HS256"}, claims, key)

    @staticmethod
    def _new_key() -> RSAKey:
        return RSAKey.generate_key(2048, {"kid": secrets.token_hex(4), "use": "sig"})


@contextmanager
def oidc_provider() -> Iterator[Provider]:
    """A provider that answers until the block ends."""
    provider = Provider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(provider))
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler_of(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = {
                "/.well-known/openid-configuration": provider.metadata,
                "/keys": provider.keys,
            }.get(self.path)
            self._answer(404 if found is None else 200, found() if found else {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode("ascii")
            form = {name: values[0] for name, values in parse_qs(body).items()}
            tokens = provider.redeem(form, self.headers.get("authorization", ""))
            self._answer(400 if tokens is None else 200, tokens or {"error": "invalid_grant"})

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def _answer(self, status: int, value: dict[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler
