"""Processes forked through the client behave as plain Python processes do."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CLIENT = Path(__file__).parents[2] / "training" / "fast_start_client.py"
SERVER = """
import sys, time
from pathlib import Path
from training.fast_start import ForkServer
command = ForkServer.start(Path(sys.argv[1]))
assert command is not None, "the server did not start"
print("ready", flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: fork and pidfd")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[Path]:
    socket = Path(os.path.relpath(tmp_path / "s"))
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(tmp_path / "s")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    yield socket.resolve()
    server.kill()
    server.communicate()


def through(address: Path, *arguments: str, **options: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-IS", str(CLIENT), str(address), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)  # type: ignore[call-overload]


def script(folder: Path, text: str) -> str:
    path = folder / "worker.py"
    path.write_text(text)
    return str(path)


def test_arguments_environment_folder_and_streams_are_its_own(address: Path, tmp_path: Path) -> None:
    worker = script(tmp_path, "import os, sys; print(sys.argv[1:], os.environ['WORKER'], os.getcwd(), __name__)")
    done = through(address, "-u", worker, "a b", "c", env={"WORKER": "7", "PATH": "/bin"}, cwd=tmp_path)
    assert done.stdout.split("\n")[0] == f"['a b', 'c'] 7 {tmp_path} __main__"
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "code"), [("raise SystemExit(3)", 3), ("raise SystemExit('why')", 1), ("1/0", 1), ("pass", 0)]
)
def test_exit_codes_come_back(address: Path, tmp_path: Path, text: str, code: int) -> None:
    done = through(address, script(tmp_path, text))
    assert done.returncode == code
    assert ("ZeroDivisionError" in done.stderr) == (text == "1/0")


def test_a_signal_reaches_the_worker(address: Path, tmp_path: Path) -> None:
    worker = script(tmp_path, "import time; print('up', flush=True); time.sleep(60)")
    process = subprocess.Popen(
        [sys.executable, "-IS", str(CLIENT), str(address), worker], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 128 + signal.SIGTERM


def test_a_worker_leads_its_own_process_group(address: Path, tmp_path: Path) -> None:
    done = through(address, script(tmp_path, "import os; print(os.getpid() == os.getpgid(0))"))
    assert done.stdout == "True\n"


def test_without_a_server_the_client_is_plain_python(tmp_path: Path) -> None:
    done = through(tmp_path / "nobody", script(tmp_path, "print('plain')"))
    assert (done.stdout, done.returncode) == ("plain\n", 0)


def test_no_server_starts_once_ray_or_a_second_thread_is_there(tmp_path: Path) -> None:
    loaded = "import types; sys.modules['ray'] = types.ModuleType('ray')"
    threaded = "import threading; threading.Thread(target=time.sleep, args=(5,), daemon=True).start()"
    for spoiler in (loaded, threaded):
        text = (
            "import sys, time\nfrom pathlib import Path\nfrom training.fast_start import ForkServer\n"
            f"{spoiler}\nprint(ForkServer.start(Path(sys.argv[1])))"
        )
        done = subprocess.run(
            [sys.executable, "-c", text, str(tmp_path / "s")], capture_output=True, text=True, timeout=60
        )
        assert done.stdout == "None\n"
