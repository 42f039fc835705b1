"""The web server of the viewer: viser behind a guard, on an address that we choose.

Left alone, viser listens on every interface, takes the next port when one is in use, accepts websockets from pages of
any origin, and opens a public tunnel when a client asks for one. Here the listening socket is made by us, every request
passes `tarsus.viewer.live.guard`, and tunnels do not exist.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import socket
import threading
from collections.abc import Callable
from typing import Any

from tarsus.errors import ArgumentError, MissingExtraError, TarsusError
from tarsus.viewer.live.guard import SECURITY_HEADERS, Guard

FIRST_PORT = 8080
_PORTS_TRIED = 20
_START_LOCK = threading.Lock()

INSTALL = "pip install 'tarsus[viewer]'"


class ServerError(TarsusError, RuntimeError):
    """The viewer cannot be started safely."""


def import_viser() -> Any:
    """Module viser, or an error that says how it is installed."""
    try:
        return importlib.import_module("viser")
    except ImportError as error:
        raise MissingExtraError(f"the browser viewer needs viser ({error}); install it with: {INSTALL}") from None


def listening_socket(host: str, port: int | None) -> socket.socket:
    """Socket bound to one address.

    Parameters
    ----------
    host : str
        Address or name of an interface of this machine.
    port : int, optional
        0 lets the system choose; None takes the first free one from 8080.
    """
    if port is not None and not 0 <= port <= 65535:
        raise ArgumentError(f"port = {port} found, expected 0 to 65535")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise ArgumentError(f"host = {host!r} is not an address of this machine: {error}") from None
    tried = range(FIRST_PORT, FIRST_PORT + _PORTS_TRIED) if port is None else (port,)
    problem: OSError | None = None
    for number in tried:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address[0], number, *address[2:]))
            listener.listen()
        except OSError as error:
            listener.close()
            problem = error
        else:
            return listener
    raise ArgumentError(f"cannot listen on {host}, port {port or tried[0]}: {problem}")


def start_server(host: str = "127.0.0.1", port: int | None = None, token: str | None = None) -> Any:
    """Start viser on one address behind a guard; `get_port()` of the result says where.

    Parameters
    ----------
    host : str
        Interface to listen on. Every other than this machine's own needs a token.
    port : int, optional
        The first free one from 8080 by default.
    token : str, optional
        Secret of at least 16 characters that clients must present.

    Returns
    -------
    server : viser.ViserServer
    """
    viser = import_viser()
    guard = Guard(host, token)
    listener = listening_socket(host, port)
    try:
        server = _start_guarded(viser, guard, listener)
    except BaseException:
        listener.close()
        raise
    return server


def _start_guarded(viser: Any, guard: Guard, listener: socket.socket) -> Any:
    _infra: Any = importlib.import_module("viser.infra._infra")

    class Server(viser.ViserServer):  # type: ignore[misc]
        def request_share_url(self, verbose: bool = True) -> None:
            """No tunnels: nothing of this machine is made public."""

        def disconnect_share_url(self) -> None:
            """There is nothing to disconnect."""

        def stop(self) -> None:
            with contextlib.redirect_stdout(io.StringIO()):  # it tells the terminal that it stopped
                super().stop()

    host, number = listener.getsockname()[:2]
    gate = _Gate(_infra.websockets, guard, listener)
    # viser starts its network in its constructor and offers no hook: for that time the library it uses is the gate.
    with _START_LOCK:
        library, _infra.websockets = _infra.websockets, gate
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # its banner; the caller says where it listens
                server = Server(host=host, port=number, verbose=False)
        finally:
            _infra.websockets = library
    if not gate.used or server.get_port() != number:
        server.stop()
        raise ServerError(f"viser {viser.__version__} cannot be guarded: its network works in another way than known")
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    return server


class _Gate:
    """Stands for the module `websockets`; its `asyncio.server.serve` uses our socket and asks the guard."""

    def __init__(self, library: Any, guard: Guard, listener: socket.socket) -> None:
        self._library = library
        self._guard = guard
        self._listener = listener
        self.used = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    @property
    def asyncio(self) -> _Gate:
        return self

    @property
    def server(self) -> _Gate:
        return self

    def serve(self, handler: Any, host: Any, port: Any, **options: Any) -> Any:
        """Like websockets' `serve`, with the guard before it."""
        self.used = True
        options["process_request"] = self._guarded(options.get("process_request"))
        return self._library.asyncio.server.serve(handler, sock=self._listener, **options)

    def _guarded(self, inner: Callable[[Any, Any], Any] | None) -> Callable[[Any, Any], Any]:
        from websockets import Headers
        from websockets.http11 import Response

        def process_request(connection: Any, request: Any) -> Any:
            answer = self._guard.answer(request.path, list(request.headers.raw_items()))
            if answer is not None:
                body = answer.text.encode()
                headers = Headers({**answer.headers, "Content-Length": str(len(body)), "Connection": "close"})
                return Response(answer.status, answer.phrase, headers, body)
            response = inner(connection, request) if inner is not None else None
            if response is not None:
                for name, value in SECURITY_HEADERS.items():
                    response.headers[name] = value
            return response

        return process_request
