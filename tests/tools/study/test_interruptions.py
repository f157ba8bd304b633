"""Supervisors and runs that are stopped, left, killed or mistaken for others: what they cost and what goes on."""

import fcntl
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from policies.errors import AdvisorError, RefusedError
from tests.tools.study_cases import (
    SUPERVISOR,
    executed,
    fake_supervisor,
    moments,
    new_study,
    set_behaviour,
    supervise_here,
    wait_gone,
)
from tools.study.folder import Study
from tools.study.follow import snapshot
from tools.study.process import start, stop
from tools.study.supervisor.session import Session
from training.launchers.processes import host_name, identify
from training.support.run_lock import is_locked


def run_dir(study: Study, arm: str, seed: int) -> Path:
    return next(study.folder.glob(f"runs/toy/{arm}/seed-{seed}/*"))


def test_a_stop_signals_nobody_but_the_process_that_holds_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = new_study(tmp_path)
    monkeypatch.setattr("tools.study.process.STOP_S", 0.3)
    signalled: list[int] = []
    monkeypatch.setattr("os.kill", lambda pid, _: signalled.append(pid))
    held = os.open(study.lock, os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    me = identify(os.getpid())
    assert me is not None
    for wrong in (b"", b"nonsense", json.dumps(me._replace(started=1.0)).encode()):
        study.lock.write_bytes(wrong)
        with pytest.raises(RefusedError, match="did not stop"):
            stop(study)
    study.lock.write_text(json.dumps(me._replace(host="another-host")))
    with pytest.raises(RefusedError, match="supervised on another-host"):
        stop(study)
    assert signalled == []
    study.lock.write_text(json.dumps(me))
    with pytest.raises(RefusedError, match="did not stop"):
        stop(study)
    assert signalled == [os.getpid()]
    assert me.host == host_name()

    def forbidden(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.kill", forbidden)
    with pytest.raises(RefusedError, match=f"another user .process {os.getpid()}"):
        stop(study)
    os.close(held)


class Ends:
    """A job that ends when it is looked at for the third time."""

    identity = None

    def __init__(self) -> None:
        self.looks = 0

    def poll(self) -> int | None:
        self.looks += 1
        return 0 if self.looks > 2 else None

    def stop(self, grace_s: float) -> None:
        raise AssertionError("nobody asked for that")


def test_a_clock_that_is_set_forward_spends_no_device_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = new_study(tmp_path)
    now = time.time()
    jumps = iter([now, now + 86400])
    monkeypatch.setattr("time.time", lambda: next(jumps, now + 86400))
    with study.ledger() as ledger:
        services = replace(fake_supervisor.services(lambda _: None), poll_s=0.001)
        session = Session(ledger, services, ceiling=0.5, devices=1, take_over=False)
        ended = session.wait(Ends(), now)
    assert ended.code == 0
    assert ended.device_hours < 0.01


def test_a_lost_run_never_costs_more_than_its_deadline(tmp_path: Path) -> None:
    study = new_study(tmp_path, static_1="crash-once")
    supervise_here(study, "--die-at", "run_started", "1")
    while not executed(study):
        os.sched_yield()
    wait_gone(study)
    os.utime(run_dir(study, "static", 1) / "launch.log", (4e9, 4e9))
    assert supervise_here(study).returncode == 0
    with study.ledger(read_only=True) as ledger:
        lost = ledger.attempts()[0]
    assert (lost.outcome, lost.device_hours) == ("lost", 0.5)


def test_who_leaves_while_a_study_is_starting_takes_the_supervisor_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = new_study(tmp_path)
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start_process(*arguments: Any, **options: Any) -> "subprocess.Popen[bytes]":
        started.append(popen(*arguments, **options))
        return started[-1]

    def leave(_: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as waiting:
        waiting.setattr("subprocess.Popen", start_process)
        waiting.setattr("time.sleep", leave)
        with pytest.raises(KeyboardInterrupt):
            start(study, supervisor=(sys.executable, "-c", "import signal; signal.pause()"))
    assert started[0].wait(10) == -signal.SIGTERM
    assert snapshot(study).state == "approved"


def test_last_words_are_those_of_the_last_process(tmp_path: Path) -> None:
    study = new_study(tmp_path, static_1="unusable")
    assert supervise_here(study).returncode == 1
    assert "run.json cannot be used" in snapshot(study).reason
    set_behaviour(study, static_1="crash")
    assert supervise_here(study).returncode == 1
    assert "killed by signal 9" in snapshot(study).reason
    assert "run.json cannot be used" not in snapshot(study).reason


def test_what_is_left_of_a_killed_run_is_waited_for_and_the_run_goes_on(tmp_path: Path) -> None:
    """A killed run's workers may hold its lock for a while: nobody who works on it can be found."""
    study = new_study(tmp_path, static_1="crash-once")
    assert supervise_here(study).returncode == 1
    lock = run_dir(study, "static", 1) / "run.lock"
    program = 'exec 9>>"$0"; flock 9; echo; exec sleep 30'
    leftover = subprocess.Popen(["sh", "-c", program, str(lock)], stdout=subprocess.PIPE)
    assert leftover.stdout is not None
    leftover.stdout.readline()
    process = multiprocessing.get_context("fork").Process(target=supervise_here, args=(study,))
    process.start()
    while "lock_awaited 1" not in moments(study):
        assert process.is_alive()
    leftover.send_signal(signal.SIGKILL)
    process.join(60)
    assert snapshot(study).state == "done"
    assert executed(study)[:2] == ["static 1 1", "static 1 2"]
    leftover.communicate()


def test_a_stop_waits_for_a_supervisor_that_is_only_being_started(tmp_path: Path) -> None:
    """Importing takes it seconds: whoever stops the study meanwhile must not be told that nothing runs."""
    study = new_study(tmp_path, static_1="hang")
    slow = (sys.executable, "-c", f"import time; time.sleep(0.7); exec(open({SUPERVISOR[1]!r}).read())")
    starter = multiprocessing.get_context("fork").Process(target=_start_quietly, args=(study, slow))
    starter.start()
    while not is_locked(study.starting):
        assert starter.is_alive()
    assert not is_locked(study.lock)
    stop(study)
    assert not is_locked(study.lock)
    assert not is_locked(study.starting)
    starter.join(60)
    assert snapshot(study).state in ("stopped", "approved", "interrupted")
    assert not any(run.state == "running" for run in snapshot(study).runs)


def _start_quietly(study: Study, supervisor: tuple[str, ...]) -> None:
    with suppress(AdvisorError):
        start(study, supervisor=supervisor)
