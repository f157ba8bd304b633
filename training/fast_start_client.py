"""Stands for Python in Ray's worker commands: `python -IS fast_start_client.py ADDRESS [PYTHON ARGUMENTS ...]`.

Asks `training.fast_start.ForkServer` at the socket ADDRESS for a process, passes its own streams, environment, folder
and signals on, and ends as that process ends. Standard library only, no site packages: it starts in 20 ms. When the
server cannot be reached it becomes plain Python.
"""

import json
import os
import signal
import socket
import sys
from types import FrameType

_HEADER = 8


def main(address: str, arguments: list[str]) -> int:
    """The exit code of the process that was asked for."""
    server = socket.socket(socket.AF_UNIX)
    try:
        server.connect(address)
        content = json.dumps(
            {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}  # noqa: PTH109
        ).encode()
        socket.send_fds(server, [len(content).to_bytes(_HEADER, "big")], [0, 1, 2])
        server.sendall(content)
        pid = _number(server)
    except OSError:
        pid = None
    if pid is None:
        os.execv(sys.executable, [sys.executable, *arguments])  # noqa: S606

    def forward(number: int, frame: FrameType | None) -> None:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, forward)
    code = _number(server)
    if code is None:
        return 1
    return 128 - code if code < 0 else code


def _number(server: socket.socket) -> int | None:
    content = b""
    while len(content) < _HEADER:
        part = server.recv(_HEADER - len(content))
        if not part:
            return None
        content += part
    return int.from_bytes(content, "big", signed=True)


if __name__ == "__main__":
    os._exit(main(sys.argv[1], sys.argv[2:]))
