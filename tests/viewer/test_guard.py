"""Who gets in: names, origins, tokens."""

import pytest

from tarsus.errors import ArgumentError
from tarsus.viewer.live.guard import SECURITY_HEADERS, Guard, checked_token, is_loopback

TOKEN = "0123456789abcdef-secret"
OWN = ("Host", "127.0.0.1:8080")
SAME = ("Origin", "http://127.0.0.1:8080")
UPGRADE = ("Upgrade", "websocket")


def status(guard, *headers, path="/"):
    answer = guard.answer(path, list(headers))
    return None if answer is None else answer.status


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "LOCALHOST:8080", "127.0.0.1"])
def test_page_is_delivered_under_the_names_of_this_machine(host):
    assert status(Guard("127.0.0.1"), ("Host", host)) is None


@pytest.mark.parametrize(
    "host",
    [
        "attacker.example:8080",
        "127.0.0.1.attacker.example",
        "localhost.attacker.example:8080",
        "attacker.example@127.0.0.1",
        "127.0.0.1:8080@attacker.example",
        "192.168.0.7:8080",
        "localhost:port",
        "localhost/path",
        "[::1",
        "",
    ],
)
def test_other_names_are_refused_so_that_a_rebound_name_reaches_nothing(host):
    assert status(Guard("127.0.0.1"), ("Host", host)) == 403


def test_missing_and_repeated_host_are_refused():
    assert status(Guard("127.0.0.1")) == 403
    assert status(Guard("127.0.0.1"), OWN, ("host", "attacker.example")) == 403


def test_websocket_of_the_page_itself_passes():
    assert status(Guard("127.0.0.1"), OWN, SAME, UPGRADE) is None


@pytest.mark.parametrize(
    "origin",
    [
        "http://attacker.example",
        "http://127.0.0.1:9999",
        "http://localhost:8080",
        "null",
        "",
        "file://",
        "http://127.0.0.1:8080.attacker.example",
        "http://127.0.0.1:80801",
        "ws://127.0.0.1:8080",
    ],
)
@pytest.mark.parametrize("upgrade", [[], [UPGRADE]])
def test_requests_from_pages_of_other_origins_are_refused(origin, upgrade):
    assert status(Guard("127.0.0.1"), OWN, ("Origin", origin), *upgrade) == 403


def test_websocket_without_origin_or_with_two_is_refused():
    assert status(Guard("127.0.0.1"), OWN, UPGRADE) == 403
    assert status(Guard("127.0.0.1"), OWN, SAME, SAME, UPGRADE) == 403


def test_any_upgrade_counts_as_websocket():
    assert status(Guard("127.0.0.1"), OWN, ("upgrade", "WebSocket")) == 403
    assert status(Guard("127.0.0.1"), OWN, ("UPGRADE", "h2c, websocket")) == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "robot.lab", "10.0.0.1"])
def test_other_interfaces_need_a_token(host):
    with pytest.raises(ArgumentError, match="token"):
        Guard(host)
    assert Guard(host, TOKEN)


@pytest.mark.parametrize(
    "token", ["", "short", "fifteen-letters", "white space in it, long enough", "ä" * 20, "\n" * 20]
)
def test_tokens_that_can_be_guessed_or_not_be_sent_are_refused(token):
    with pytest.raises(ArgumentError, match="at least 16"):
        checked_token("127.0.0.1", token)


@pytest.mark.parametrize(
    ("host", "own"), [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("localhost", True)]
)
def test_loopback_addresses_are_known(host, own):
    assert is_loopback(host) is own


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "localhost.attacker.example", "", "host"])
def test_other_addresses_are_not_loopback(host):
    assert not is_loopback(host)


@pytest.fixture(name="guard")
def _guard():
    return Guard("127.0.0.1", TOKEN)


@pytest.mark.parametrize(
    "path", ["/", "/?token=", "/?token=wrong-but-long-enough", f"/?token={TOKEN}&token=x", f"/{TOKEN}"]
)
@pytest.mark.parametrize("websocket", [[], [SAME, UPGRADE]])
def test_without_the_token_nothing_is_delivered(guard, path, websocket):
    assert status(guard, OWN, *websocket, path=path) == 401


def test_token_gives_a_cookie_which_opens_page_and_websocket(guard):
    answer = guard.answer(f"/?token={TOKEN}", [OWN])
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert TOKEN not in cookie
    sent = ("Cookie", "other=1; " + cookie.partition(";")[0])
    assert status(guard, OWN, sent) is None
    assert status(guard, OWN, SAME, UPGRADE, sent) is None


def test_cookie_does_not_open_another_server_and_not_another_origin(guard):
    answer = guard.answer(f"/?token={TOKEN}", [OWN])
    sent = ("Cookie", answer.headers["Set-Cookie"].partition(";")[0])
    assert status(Guard("127.0.0.1", TOKEN), OWN, sent) == 401
    assert status(guard, OWN, ("Origin", "http://attacker.example"), UPGRADE, sent) == 403


def test_token_leaves_the_address_also_when_the_browser_has_the_cookie(guard):
    answer = guard.answer(f"/?token={TOKEN}", [OWN])
    sent = ("Cookie", answer.headers["Set-Cookie"].partition(";")[0])
    assert status(guard, OWN, sent, path=f"/?token={TOKEN}") == 303


@pytest.mark.parametrize("path", ["//[?token=", "?", "/?token=%ff", "/?token=\udcff", "/?%00&&==", "x" * 5000])
def test_senseless_paths_are_refused_like_others(guard, path):
    assert status(guard, OWN, path=path) == 401


@pytest.mark.parametrize("cookie", ["", "=", "a=b; ;;", 'x="', "tarsus-viewer-0=1"])
def test_senseless_cookies_open_nothing(guard, cookie):
    assert status(guard, OWN, ("Cookie", cookie)) == 401


def test_program_may_give_the_token_with_its_websocket(guard):
    assert status(guard, OWN, SAME, UPGRADE, path=f"/?token={TOKEN}") is None


def test_server_on_all_interfaces_answers_to_addresses_but_not_to_foreign_names():
    guard = Guard("0.0.0.0", TOKEN)
    path = f"/?token={TOKEN}"
    assert status(guard, ("Host", "192.168.0.7:8080"), path=path) == 303
    assert status(guard, ("Host", "localhost:8080"), path=path) == 303
    assert status(guard, ("Host", "attacker.example:8080"), path=path) == 403


def test_server_on_one_interface_answers_to_its_own_address_only():
    guard = Guard("192.168.0.7", TOKEN)
    assert status(guard, ("Host", "192.168.0.7:8080"), path=f"/?token={TOKEN}") == 303
    assert status(guard, ("Host", "192.168.0.8:8080"), path=f"/?token={TOKEN}") == 403


def test_refusals_carry_the_headers_that_keep_pages_apart():
    answer = Guard("127.0.0.1").answer("/", [])
    assert SECURITY_HEADERS.items() <= answer.headers.items()
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
