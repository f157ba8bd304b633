"""A scripted OpenAI-compatible server on loopback: it plays a queue of replies and remembers what it was asked.

    with scripted_server([says({"kind": "compare", ...}), fails(429), says("not json")]) as server:
        os.environ["OPENAI_BASE_URL"] = server.url
        ...
    server.requests[0]["messages"]

The last reply repeats when the queue runs dry.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One scripted answer."""

    status: int = 200
    body: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    """Sends nothing until the server closes."""


def says(content: object, *, finish: str = "stop", refusal: str | None = None, tokens: int = 10) -> Reply:
    """A completion; anything but a string is sent as JSON text."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return Reply(
        body={
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": "fake",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": tokens, "completion_tokens": tokens, "total_tokens": 2 * tokens},
        }
    )


def fenced(content: dict[str, Any]) -> Reply:
    """JSON inside a Markdown fence, with chatter around it."""
    return says(f"Sure, here it is:\n```json\n{json.dumps(content)}\n```\nAnything else?")


def fails(status: int, message: str = "no", code: str | None = None, retry_after: str | None = None) -> Reply:
    """An HTTP error in the shape that the hosted API uses."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Reply(status, {"error": {"message": message, "type": "error", "param": None, "code": code}}, headers)


def hangs() -> Reply:
    """No reply at all."""
    return Reply(hangs=True)


class ScriptedServer:
    """The running server."""

    def __init__(self, script: list[Reply]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str] = []
        self._script = list(script)
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """What OPENAI_BASE_URL is set to."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def start(self) -> None:
        """Listens."""
        self._thread.start()

    def close(self) -> None:
        """Lets hanging requests go and stops."""
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()

    def _next(self) -> Reply:
        with self._lock:
            return self._script.pop(0) if len(self._script) > 1 else self._script[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server.requests.append(json.loads(body))
                server.authorizations.append(self.headers.get("Authorization", ""))
                reply = server._next()
                if reply.hangs:
                    server._closing.wait()
                    return
                data = json.dumps(reply.body).encode()
                self.send_response(reply.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
                """Keeps test output clean."""

        return Handler


@contextmanager
def scripted_server(script: list[Reply]) -> Iterator[ScriptedServer]:
    """A server that lives as long as the block."""
    server = ScriptedServer(script)
    server.start()
    try:
        yield server
    finally:
        server.close()
