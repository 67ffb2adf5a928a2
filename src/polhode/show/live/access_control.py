"""Access control of the live viewer: who may open it.

The viewer listens on this machine only. A page of another site could still reach it
through the user's own browser, so every request must name this host, come from this
page, and begin its path with the word that was drawn for this run. Nothing is taken
in: what brings a body is refused before it is read.
"""

from __future__ import annotations

import hmac
import http
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from threading import Lock
from typing import Any
from urllib.parse import unquote

LONGEST = 2048  # characters of an address
LARGEST = 2**20  # bytes of a message: those of a page that looks are small
HEAD = 16_384  # bytes of a request before its body
LONG = http.HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
PATCHING = Lock()


class Gate:
    """A request hook that lets through who knows the word, and asks the inner hook."""

    def __init__(self, token: str) -> None:
        self.token, self.port = token, 0
        self.inner: Callable[[Any, Any], Any] | None = None

    def __call__(self, connection: Any, request: Any) -> Any:
        """The response of a refusal, or what the inner hook answers."""
        refused = self.refusal(request.path, request.headers)
        if refused is not None or self.inner is None:
            status = refused or http.HTTPStatus.NOT_FOUND
            return connection.respond(status, f"{status.phrase}\n")
        rest = request.path[1 + len(self.token) :] or "/"
        answer = self.inner(connection, replace(request, path=rest))
        if answer is not None:
            _guard(answer.headers, self.port)
        return answer

    def refusal(self, path: str, headers: Any) -> http.HTTPStatus | None:
        """Why a request is refused; None if it is not."""
        if len(path) > LONGEST:
            return http.HTTPStatus.REQUEST_URI_TOO_LONG
        hosts = [f"{name}:{self.port}" for name in ("127.0.0.1", "localhost")]
        origin = headers.get("Origin")
        is_socket = headers.get("Upgrade", "").lower() == "websocket"
        if headers.get("Host") not in hosts:
            return http.HTTPStatus.FORBIDDEN
        if origin not in [f"http://{host}" for host in hosts] and (origin or is_socket):
            return http.HTTPStatus.FORBIDDEN
        word, _, rest = path.partition("?")[0].removeprefix("/").partition("/")
        if not hmac.compare_digest(word.encode(), self.token.encode()):
            return http.HTTPStatus.FORBIDDEN
        parts = unquote(rest).replace("\\", "/").split("/")
        return http.HTTPStatus.NOT_FOUND if ".." in parts else None


def _guard(headers: Any, port: int) -> None:
    """The page may fetch from nowhere else, be framed by none, and tell nobody."""
    socket = f"ws://127.0.0.1:{port} ws://localhost:{port}"
    local = "'self' 'unsafe-inline' 'unsafe-eval' data: blob:"
    policy = f"default-src {local}; connect-src 'self' data: blob: {socket}"
    headers["Content-Security-Policy"] = policy
    headers["Referrer-Policy"] = "no-referrer"
    headers["X-Content-Type-Options"] = "nosniff"
    headers["X-Frame-Options"] = "DENY"
    headers["Cache-Control"] = "no-store"


def too_much(head: bytes) -> http.HTTPStatus | None:
    """Why the head of a request is refused before it is parsed; None if it is not."""
    first, *lines = head.split(b"\r\n")
    if not first.startswith(b"GET "):
        return http.HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    names = [line.partition(b":")[0].strip().lower() for line in lines]
    brings = b"content-length" in names or b"transfer-encoding" in names
    return http.HTTPStatus.REQUEST_ENTITY_TOO_LARGE if brings else None


def look_before(connection: Any) -> Any:
    """The connection, which now looks at a request's head before it is parsed.

    A head that is refused is answered at once; another is handed on, with what follows.
    """
    plain, seen = connection.data_received, bytearray()

    def data_received(data: bytes) -> None:
        seen.extend(data)
        end = seen.find(b"\r\n\r\n")
        if end < 0 and len(seen) <= HEAD:
            return
        status = too_much(bytes(seen[:end])) if 0 <= end <= HEAD else LONG
        if status is None:
            connection.data_received = plain
            plain(bytes(seen))
            return
        line = f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        ending = "Connection: close\r\nContent-Length: 0\r\n\r\n"
        connection.transport.write((line + ending).encode("ascii"))
        connection.transport.close()

    connection.data_received = data_received
    return connection


@contextmanager
def before_every_server(gate: Gate) -> Iterator[None]:
    """Servers that websockets starts meanwhile have the gate before their own hook.

    The viewer library has no place for a hook, so its call of `serve` is caught.
    """
    server: Any = import_module("websockets.asyncio.server")
    plain = server.serve

    def connected(*arguments: Any, **options: Any) -> Any:
        return look_before(server.ServerConnection(*arguments, **options))

    def serve(handler: Any, host: Any, port: Any, **wishes: Any) -> Any:
        gate.inner = wishes.pop("process_request")
        options = {**wishes, "max_size": LARGEST, "create_connection": connected}
        return plain(handler, host, port, process_request=gate, **options)

    with PATCHING:
        server.serve = serve
        try:
            yield
        finally:
            server.serve = plain
