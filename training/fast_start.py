"""Ray workers that start in a tenth of a second: forked from a process that has the slow libraries loaded already.

A verl job on a CPU spends two thirds of its CPU time importing the same libraries in eight processes, one after the
other. `ForkServer.start` forks a server off the driver once those libraries are loaded; Ray starts its workers through
`fast_start_client.py` (`runtime_env.py_executable`), which asks the server for a fork and stands for it until it ends.
Nothing that it computes changes: the environment, arguments and streams of each worker are its own.

Rules that were paid for: neither ray nor verl may be loaded before the fork (Ray reads its environment at import); a
child leads a process group of its own (Ray kills the group of a dead worker); the server has one thread, or there is
no server. Where there is none the client runs plain Python.

`ADVISOR_FAST_START=0` switches it off: Ray then starts its workers itself, and a run takes longer to the same numbers.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path

from policies.errors import InputError

SWITCH = "ADVISOR_FAST_START"
_ON, _OFF = ("1", "true", "yes", "on"), ("0", "false", "no", "off")

LIBRARIES = (
    "torch", "torch.distributed.fsdp", "torch.distributed.checkpoint", "torch.distributed.tensor", "tensordict",
    "transformers.models.qwen2.modeling_qwen2", "transformers.models.qwen2.tokenization_qwen2",
    "transformers.models.auto.modeling_auto", "transformers.models.auto.tokenization_auto", "transformers.generation",
    "peft", "datasets", "pandas", "pyarrow.parquet", "omegaconf", "hydra", "torchdata.stateful_dataloader", "zmq",
    "msgspec", "fastapi", "uvicorn", "aiohttp",
)  # fmt: skip
FORBIDDEN = ("ray", "verl", "transfer_queue")
CLIENT = Path(__file__).resolve().with_name("fast_start_client.py")
_HEADER = 8


def is_wanted(environment: Mapping[str, str] = os.environ) -> bool:
    """What the switch says; on where it is unset or empty. Raises InputError for a word that it does not know."""
    said = environment.get(SWITCH, "").strip().lower()
    if said and said not in (*_ON, *_OFF):
        raise InputError(f"{SWITCH} is {said[:40]!r}; set {', '.join(_OFF)} to switch it off, {', '.join(_ON)} for on")
    return said not in _OFF


def worker_python(address: Path) -> list[str] | None:
    """The command that stands for Python in Ray's workers; None: plain Python, where switched off or unsafe."""
    if not is_wanted():
        return None
    load_libraries()
    return ForkServer.start(address)


def load_libraries() -> None:
    """Imports what verl's processes will want; one that is not installed is left to them."""
    for name in LIBRARIES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue


class ForkServer:
    """Forks on request, from a process with the libraries loaded."""

    @staticmethod
    def start(address: Path) -> list[str] | None:
        """Forks the server off this process; the command that stands for Python from now on, or None where unsafe."""
        if sys.platform != "linux" or any(name in sys.modules for name in FORBIDDEN):
            return None
        if len(os.listdir("/proc/self/task")) != 1:  # noqa: PTH208 - a count, of threads
            return None
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(address))
        address.chmod(0o600)
        listener.listen(64)
        gc.collect()
        gc.freeze()  # the collector would touch, and so copy, every page that the children share
        sys.stdout.flush()
        sys.stderr.flush()
        if os.fork() == 0:
            try:
                _end_with_parent()
                ForkServer(listener).serve()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        listener.close()
        return [sys.executable, "-IS", str(CLIENT), str(address)]

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener
        self.selector = selectors.DefaultSelector()
        self.selector.register(listener, selectors.EVENT_READ)

    def serve(self) -> None:
        """Answers for ever; the kernel ends it with the driver."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.listener:
                    self._fork()
                else:
                    self._report(key)

    def _fork(self) -> None:
        client, _ = self.listener.accept()
        request, streams = _receive(client)
        pid = os.fork()
        if pid == 0:
            self.selector.close()
            self.listener.close()
            client.close()
            _become(request, streams)
        for stream in streams:
            os.close(stream)
        self.selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, client))
        _send(client, pid)

    def _report(self, key: selectors.SelectorKey) -> None:
        pid, client = key.data
        _, status = os.waitpid(pid, 0)
        self.selector.unregister(key.fileobj)
        assert isinstance(key.fileobj, int)
        os.close(key.fileobj)
        _send(client, os.waitstatus_to_exitcode(status))
        client.close()


def _receive(client: socket.socket) -> tuple[dict[str, object], list[int]]:
    header, streams, _, _ = socket.recv_fds(client, _HEADER, 3)
    size = int.from_bytes(header, "big")
    content = b""
    while len(content) < size:
        part = client.recv(size - len(content))
        if not part:
            break
        content += part
    request: dict[str, object] = json.loads(content)
    return request, list(streams)


def _send(client: socket.socket, number: int) -> None:
    try:
        client.sendall(number.to_bytes(_HEADER, "big", signed=True))
    except OSError:  # the client was killed: its worker lives on, as Ray wants
        return


def _become(request: dict[str, object], streams: list[int]) -> None:
    """In the child: turns into the requested Python process, and never returns."""
    code = 1
    try:
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
        for stream in streams:
            if stream > 2:
                os.close(stream)
        environment, arguments = request["environment"], request["arguments"]
        assert isinstance(environment, dict)
        assert isinstance(arguments, list)
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(str(request["folder"]))
        code = _run([str(one) for one in arguments])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _run(arguments: list[str]) -> int:
    """Runs `[-u] [-m MODULE | SCRIPT] ...` as the main program; its exit code."""
    while arguments and arguments[0] in {"-u", "-B"}:
        arguments = arguments[1:]
    try:
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            sys.path.insert(0, str(Path(arguments[0]).parent))
            runpy.run_path(arguments[0], run_name="__main__")
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    return code


def _end_with_parent() -> None:
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
