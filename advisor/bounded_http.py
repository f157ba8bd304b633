"""An HTTP client for a server that is not trusted: bounded in bytes and in time, and it follows no redirect.

A redirect would carry the question to another host. Compression is not asked for and not accepted, since a few
kilobytes of it can unfold to gigabytes.
"""

import time
from collections.abc import Iterator

import httpx2

MOST_BYTES = 4_000_000
_DEADLINE = "advisor.deadline"


class TooMuchError(httpx2.TransportError):
    """The server sent more than it may."""


def bounded_client(seconds: float) -> httpx2.Client:
    """A client whose whole reply must be here within `seconds` and `MOST_BYTES`; it honours proxy settings."""

    def begin(request: httpx2.Request) -> None:
        request.extensions[_DEADLINE] = time.monotonic() + seconds

    def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise TooMuchError("a compressed reply, which was not asked for", request=response.request)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Bounded(response.stream, response.request)

    return httpx2.Client(
        timeout=seconds,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [begin], "response": [bound]},
    )


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, request: httpx2.Request) -> None:
        self._stream, self._request = stream, request

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._stream:
            size += len(part)
            if size > MOST_BYTES:
                raise TooMuchError(f"more than {MOST_BYTES} bytes", request=self._request)
            if time.monotonic() > self._request.extensions[_DEADLINE]:
                raise httpx2.ReadTimeout("the reply is not whole", request=self._request)
            yield part

    def close(self) -> None:
        self._stream.close()
