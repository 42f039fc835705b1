"""The running server: where it listens, whom it refuses, and that no tunnel leaves the machine."""

import http.client
import socket
import subprocess
import sys
import threading

import msgspec
import pytest
import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tarsus.errors import ArgumentError
from tarsus.viewer.live import server as server_module
from tarsus.viewer.live.server import ServerError, listening_socket, start_server

TOKEN = "0123456789abcdef-secret"
PROTOCOL = f"viser-v{viser.__version__}"


@pytest.fixture(name="server", scope="module")
def _server():
    server = start_server(port=0)
    yield server
    server.stop()


@pytest.fixture(name="locked", scope="module")
def _locked():
    server = start_server(port=0, token=TOKEN)
    yield server
    server.stop()


def get(server, path="/", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.get_port(), timeout=10)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def websocket(server, origin="own", path="/", **options):
    own = f"http://127.0.0.1:{server.get_port()}"
    return connect(
        f"ws://127.0.0.1:{server.get_port()}{path}",
        origin=own if origin == "own" else origin,
        subprotocols=[PROTOCOL],
        compression=None,
        proxy=None,
        **options,
    )


def refusal(*arguments, **options):
    with pytest.raises(InvalidStatus) as caught:
        websocket(*arguments, **options)
    return caught.value.response.status_code


def test_default_is_this_machine_only(server):
    assert server.get_host() == "127.0.0.1"
    # A server on every interface would answer here, too: all of 127.0.0.0/8 is this machine.
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", server.get_port()), timeout=5)


def test_other_interface_without_token_is_refused_before_anything_listens():
    with pytest.raises(ArgumentError, match="token"):
        start_server("0.0.0.0", 0)


def test_page_is_delivered_with_headers_that_keep_other_pages_out(server):
    answer, body = get(server)
    assert answer.status == 200
    assert b"<html" in body
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "connect-src 'self'" in answer.headers["Content-Security-Policy"]


def test_rebound_name_is_refused(server):
    assert get(server, Host=f"attacker.example:{server.get_port()}")[0].status == 403


def test_foreign_origin_is_refused(server):
    assert get(server, Origin="http://attacker.example")[0].status == 403
    assert refusal(server, "http://attacker.example") == 403
    assert refusal(server, "null") == 403
    assert refusal(server, None) == 403


def test_own_page_gets_the_scene(server):
    with websocket(server) as connection:
        assert connection.recv(10)


def test_without_token_nothing_is_delivered(locked):
    assert get(locked)[0].status == 401
    assert get(locked, "/?token=wrong-and-long-enough")[0].status == 401
    assert refusal(locked) == 401
    assert refusal(locked, path="/?token=wrong-and-long-enough") == 401


def test_token_opens_page_and_websocket(locked):
    answer, _ = get(locked, f"/?token={TOKEN}")
    assert answer.status == 303
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    assert get(locked, Cookie=cookie)[0].status == 200
    with websocket(locked, additional_headers={"Cookie": cookie}) as connection:
        assert connection.recv(10)


def ask_for_tunnel(server, monkeypatch):
    """Whether a client's request made the server open a tunnel; the tunnel itself is replaced."""
    opened = threading.Event()

    class Tunnel:
        def __init__(self, *_):
            opened.set()

        def get_status(self):
            return "failed"

        def get_url(self):
            return None

        def __getattr__(self, _):
            return lambda *_: None

    monkeypatch.setattr("viser._viser.ViserTunnel", Tunnel)
    with websocket(server) as connection:
        connection.send(msgspec.msgpack.encode({"type": "ShareUrlRequest"}))
        return opened.wait(1.0)


def test_tunnel_request_of_a_client_is_ignored(server, monkeypatch):
    assert not ask_for_tunnel(server, monkeypatch)
    assert server._share_tunnel is None


def test_same_request_opens_a_tunnel_in_a_server_without_guard(monkeypatch, capsys):
    plain = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        assert ask_for_tunnel(plain, monkeypatch)
    finally:
        plain.stop()


def test_tunnel_cannot_be_asked_for_in_python_either(server, monkeypatch):
    monkeypatch.setattr("viser._viser.ViserTunnel", None)
    assert server.request_share_url() is None


def test_library_is_left_as_it_was(server):
    import websockets
    from viser.infra import _infra

    assert _infra.websockets is websockets


def test_server_that_would_not_be_guarded_is_not_started(monkeypatch):
    class Unused(server_module._Gate):
        @property
        def used(self):
            return False

        @used.setter
        def used(self, value):
            pass

    monkeypatch.setattr(server_module, "_Gate", Unused)
    with pytest.raises(ServerError, match="guarded"):
        start_server(port=0)


def test_port_in_use_is_told():
    with listening_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ArgumentError, match=str(port)):
            listening_socket("127.0.0.1", port)


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", -1), ("127.0.0.1", 70000), ("no.such.host.invalid", 0)])
def test_impossible_addresses_are_told(host, port):
    with pytest.raises(ArgumentError, match="found|not an address"):
        listening_socket(host, port)


def test_missing_extra_is_told_with_the_command_that_installs_it():
    code = """if True:
        import sys
        sys.modules["viser"] = None
        import tarsus as ts
        from tarsus.errors import MissingExtraError
        try:
            ts.viewer.show(ts.robots.rabbit())
        except MissingExtraError as error:
            assert "pip install 'tarsus[viewer]'" in str(error), error
        else:
            sys.exit("no error")
    """
    subprocess.run([sys.executable, "-c", code], check=True)


def test_neither_the_package_nor_its_viewer_imports_viser():
    code = "import sys, tarsus, tarsus.viewer.live.browser, tarsus.cli.main; sys.exit('viser' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
