"""Who may talk to the viewer: checks of every HTTP and websocket request.

A page of any website that is open in the same browser can send requests to servers on this machine. Three things keep
it out: the Host header must name this server (a name that an attacker points at 127.0.0.1 does not), the Origin header
must be the page that this server delivered, and, with a token, the request must carry it.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Mapping, Sequence
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from tarsus.errors import ArgumentError

SHORTEST_TOKEN = 16
"""Characters a token must have at least."""

SECURITY_HEADERS: Mapping[str, str] = {
    # Scripts of the page itself only; connections to this server only; no page may frame it.
    "Content-Security-Policy": (
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' data: blob:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every answer."""


class Answer(NamedTuple):
    """What a request gets instead of the page."""

    status: int
    phrase: str
    text: str
    headers: Mapping[str, str] = {}


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine reach a server that listens on `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_token(host: str, token: str | None) -> str | None:
    """Return the token, or say what is wrong with it; every address but this machine's own needs one."""
    if token is None:
        if is_loopback(host):
            return None
        raise ArgumentError(
            f"host = {host!r} can be reached from other machines, which needs a token that clients must present, "
            f"for example {secrets.token_urlsafe(24)!r}"
        )
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise ArgumentError(
            f"token has {len(token)} characters, expected at least {SHORTEST_TOKEN} printable ASCII characters "
            f"without spaces, for example {secrets.token_urlsafe(24)!r}"
        )
    return token


class Guard:
    """Judge of requests.

    Parameters
    ----------
    host : str
        Address the server listens on.
    token : str, optional
        Secret that clients must present, as ``?token=`` in the address. A browser then gets a cookie, which its
        websocket presents.
    """

    def __init__(self, host: str, token: str | None = None) -> None:
        self._host = host
        self._token = checked_token(host, token)
        # Cookies of one host are shared by all its ports: every server has a name and a key of its own.
        self._cookie = f"tarsus-viewer-{secrets.token_hex(8)}"
        self._key = secrets.token_urlsafe(32)

    def answer(self, path: str, headers: Sequence[tuple[str, str]]) -> Answer | None:
        """Refusal or redirection of a request, None where it may pass.

        Parameters
        ----------
        path : str
            Path and query of the request.
        headers : sequence of pairs
            Names and values as they came, repeated ones included.
        """
        hosts, origins, upgrades = (_values(headers, name) for name in ("host", "origin", "upgrade"))
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return _refused(403, "Forbidden", "this server is not known under the name in the Host header")
        if upgrades and len(origins) != 1:
            return _refused(403, "Forbidden", "a websocket request must have one Origin header")
        if any(not _same_place(origin, hosts[0]) for origin in origins):
            return _refused(403, "Forbidden", "requests from pages of other origins are refused")
        return self._token_answer(path, headers, websocket=bool(upgrades))

    def _token_answer(self, path: str, headers: Sequence[tuple[str, str]], *, websocket: bool) -> Answer | None:
        if self._token is None:
            return None
        given = parse_qs(path.partition("?")[2]).get("token", [])
        if len(given) != 1 or not hmac.compare_digest(given[0].encode(errors="replace"), self._token.encode()):
            return None if self._has_cookie(headers) else _refused(401, "Unauthorized", "add ?token=... to the address")
        if websocket:
            return None
        # The page is loaded again without the token, which then stays out of the history.
        cookie = f"{self._cookie}={self._key}; Path=/; HttpOnly; SameSite=Lax"
        return Answer(303, "See Other", "", {**SECURITY_HEADERS, "Location": "/", "Set-Cookie": cookie})

    def _has_cookie(self, headers: Sequence[tuple[str, str]]) -> bool:
        for value in _values(headers, "cookie"):
            try:
                morsel = SimpleCookie(value).get(self._cookie)
            except CookieError:
                continue
            if morsel is not None and hmac.compare_digest(morsel.value.encode(errors="replace"), self._key.encode()):
                return True
        return False

    def _is_own(self, value: str) -> bool:
        """Whether a Host header names this server; the port may differ, as it does behind a forwarded port."""
        name = _host_name(value)
        if name is None:
            return False
        if name == "localhost" or is_loopback(name):
            return True
        if is_loopback(self._host):
            return False
        if name == self._host.lower():
            return True
        if not _is_any_address(self._host):
            return False
        # Nobody can point a bare address somewhere else, as can be done with a name.
        return _is_address(name) or name in {socket.gethostname().lower(), socket.getfqdn().lower()}


def _refused(status: int, phrase: str, reason: str) -> Answer:
    text = f"tarsus viewer: {reason}\n"
    return Answer(status, phrase, text, {**SECURITY_HEADERS, "Content-Type": "text/plain; charset=utf-8"})


def _values(headers: Sequence[tuple[str, str]], name: str) -> list[str]:
    return [value.strip() for key, value in headers if key.lower() == name]


def _host_name(value: str) -> str | None:
    """Name or address in a Host header, without port and brackets; None if there is no sense in it."""
    try:
        parts = urlsplit(f"//{value}")
        _ = parts.port
    except ValueError:
        return None
    if parts.netloc != value or "@" in value:
        return None
    return parts.hostname


def _same_place(origin: str, host: str) -> bool:
    """Whether an Origin is a page of the server that the Host header names."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_any_address(host: str) -> bool:
    return _is_address(host) and ipaddress.ip_address(host).is_unspecified
