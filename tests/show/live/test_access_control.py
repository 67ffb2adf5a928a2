"""Who may look at the live viewer, and what its gate refuses."""

from __future__ import annotations

import http
import sys
from dataclasses import dataclass

import pytest

from polhode.errors import ShowError
from polhode.show.live.access_control import Gate, look_before, too_much
from polhode.show.live.viewer import _serve
from polhode.show.plots.palette import LIGHT

TOKEN = "word-of-this-run"
HOST = {"Host": "127.0.0.1:4000"}
OWN = {"Origin": "http://127.0.0.1:4000"}
SOCKET = {"Upgrade": "websocket"}
FORBIDDEN, MISSING = http.HTTPStatus.FORBIDDEN, http.HTTPStatus.NOT_FOUND


def gate():
    made = Gate(TOKEN)
    made.port = 4000
    return made


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (f"/{TOKEN}/", HOST, None),
        (f"/{TOKEN}", HOST | OWN | SOCKET, None),
        (f"/{TOKEN}/?x=1", HOST, None),
        (f"/{TOKEN}/", {"Host": "localhost:4000"}, None),
        ("/", HOST, FORBIDDEN),
        ("/another-word/", HOST, FORBIDDEN),
        (f"/{TOKEN}x/", HOST, FORBIDDEN),
        (f"/?token={TOKEN}", HOST, FORBIDDEN),
        (f"/{TOKEN}/", {}, FORBIDDEN),
        (f"/{TOKEN}/", {"Host": "evil.example:4000"}, FORBIDDEN),
        (f"/{TOKEN}/", {"Host": "127.0.0.1:4001"}, FORBIDDEN),
        (f"/{TOKEN}", HOST | SOCKET | {"Origin": "http://evil.example"}, FORBIDDEN),
        (f"/{TOKEN}", HOST | SOCKET | {"Origin": "null"}, FORBIDDEN),
        (f"/{TOKEN}", HOST | SOCKET, FORBIDDEN),
        (f"/{TOKEN}/../../etc/passwd", HOST, MISSING),
        (f"/{TOKEN}/%2e%2e/%2e%2e/etc/passwd", HOST, MISSING),
        (f"/{TOKEN}/..\\..\\secret", HOST, MISSING),
        (f"/{TOKEN}/" + 3000 * "a", HOST, http.HTTPStatus.REQUEST_URI_TOO_LONG),
    ],
)
def test_the_gate_lets_through_who_knows_the_word(path, headers, status):
    """Word, host and origin must all be right; paths stay inside."""
    assert gate().refusal(path, headers) is status


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict


class Connection:
    """Remembers what it was told to answer."""

    def respond(self, status, text):
        return status


def test_the_server_behind_sees_no_word_and_its_pages_are_guarded():
    """The inner hook gets the rest of the path; its answer forbids the outside."""
    asked = []

    class Answer:
        headers: dict

    def inner(connection, request):
        asked.append(request.path)
        answer = Answer()
        answer.headers = {}
        return answer

    made = gate()
    assert made(Connection(), Request("/x", HOST)) is FORBIDDEN
    assert made(Connection(), Request(f"/{TOKEN}/", HOST)) is MISSING  # no inner yet
    made.inner = inner
    headers = made(Connection(), Request(f"/{TOKEN}/a.js", HOST)).headers
    made(Connection(), Request(f"/{TOKEN}", HOST))
    assert asked == ["/a.js", "/"]
    assert (
        "connect-src 'self' data: blob: ws://127.0.0.1:4000"
        in (headers["Content-Security-Policy"])
    )
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("head", "is_refused"),
    [
        (b"GET / HTTP/1.1\r\nHost: a", False),
        (b"POST / HTTP/1.1\r\nHost: a", True),
        (b"GET / HTTP/1.1\r\nContent-Length: 99999999999", True),
        (b"GET / HTTP/1.1\r\ntransfer-encoding: chunked", True),
    ],
)
def test_nothing_can_be_sent_up(head, is_refused):
    """A request with a body is too large, whatever its size."""
    assert (too_much(head) is http.HTTPStatus.REQUEST_ENTITY_TOO_LARGE) is is_refused


class Wire:
    """A connection with its transport: what came through and what was answered."""

    def __init__(self):
        self.through, self.sent, self.closed = b"", b"", False
        self.transport = self

    def data_received(self, data):
        self.through += data

    def write(self, data):
        self.sent += data

    def close(self):
        self.closed = True


def test_a_head_is_read_whole_before_it_is_handed_on():
    """In pieces or at once, every byte goes on; after it the gate steps back."""
    wire = look_before(Wire())
    for piece in (b"GET / HT", b"TP/1.1\r\nHost: a\r", b"\n\r\nmore", b" and more"):
        wire.data_received(piece)
    assert wire.through == b"GET / HTTP/1.1\r\nHost: a\r\n\r\nmore and more"
    assert not wire.closed


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\n", b"HTTP/1.1 413 "),
        (b"GET /" + 20_000 * b"a", b"HTTP/1.1 431 "),
    ],
)
def test_what_is_too_large_is_answered_and_closed(data, status):
    """Nothing of it reaches the server."""
    wire = look_before(Wire())
    wire.data_received(data)
    assert wire.sent.startswith(status)
    assert wire.closed
    assert wire.through == b""


def test_without_the_extra_the_viewer_says_what_to_install(monkeypatch):
    """The page needs no extra, and the error says so."""
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ShowError, match=r"polhode\[view\]"):
        _serve(Gate(TOKEN), LIGHT)
