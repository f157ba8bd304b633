"""What a live run shows: read from files that another process is writing, and that a crash may have torn."""

import json
import os
from pathlib import Path

import pytest

from tools.study.follow import Progress, progress, run_eta
from tools.study.rows import AttemptRow
from tools.study.run_folder import json_lines, last_lines
from training.launchers.environment import child_environment
from training.launchers.processes import ProcessIdentity, find_process, identify, is_alive, process_started, take_lock


def metrics(run_dir: Path, attempt: int, *lines: str, end: str = "\n") -> None:
    folder = run_dir / "attempts" / str(attempt)
    folder.mkdir(parents=True)
    (folder / "metrics.jsonl").write_text("\n".join(lines) + end)


def row(step: int, **data: object) -> str:
    return json.dumps({"step": step, "data": data})


def test_progress_is_that_of_the_newest_attempt_with_metrics(tmp_path: Path) -> None:
    assert progress(tmp_path)[:3] == (0, None, None)
    metrics(tmp_path, 9, row(1, **{"critic/rewards/mean": 0.5, "timing_s/step": 3.0}))
    metrics(tmp_path, 10, *(row(step, **{"critic/rewards/mean": step / 10, "timing_s/step": 2}) for step in (2, 3)))
    (tmp_path / "attempts" / "11").mkdir()
    assert progress(tmp_path)[:3] == (3, 0.3, 2.0)


def test_a_torn_line_or_an_odd_value_is_left_out(tmp_path: Path) -> None:
    odd = [row(1, **{"critic/rewards/mean": float("nan")}), "null", "[1]", '{"step": "x"}', '{"data": {}}']
    metrics(tmp_path, 1, *odd, row(2)[:-4], end="")
    assert progress(tmp_path)[:3] == (1, None, None)


def test_only_the_end_of_a_long_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text("".join(f'{{"n": {n}}}\n' for n in range(1000)) + '{"n": 10')
    lines = last_lines(path, limit_bytes=40)
    assert json_lines(lines) == [{"n": 998}, {"n": 999}]
    assert last_lines(tmp_path / "missing") == []


def test_children_get_a_whitelisted_environment() -> None:
    source = {
        "PATH": "/bin", "HOME": "/home/x", "LC_ALL": "C", "ADVISOR_STUDIES": "/s", "VIRTUAL_ENV": "/v",
        "OPENAI_API_KEY": "secret", "OPENAI_BASE_URL": "http://x", "PYTHONPATH": "/evil", "PYTHONHOME": "/evil",
        "ADVISOR_API_KEY": "secret", "HF_TOKEN": "secret", "AWS_SECRET_ACCESS_KEY": "secret", "LD_PRELOAD": "/evil",
        "OMP_NUM_THREADS": "64",
    }  # fmt: skip
    given = child_environment(source)
    assert {name: given[name] for name in ("PATH", "HOME", "LC_ALL", "ADVISOR_STUDIES", "VIRTUAL_ENV")} == {
        name: source[name] for name in ("PATH", "HOME", "LC_ALL", "ADVISOR_STUDIES", "VIRTUAL_ENV")
    }
    assert given["OMP_NUM_THREADS"] == "1"
    assert not {"secret", "/evil", "http://x"} & {*given.values()}


def test_a_process_is_known_by_more_than_its_pid() -> None:
    me = identify(os.getpid())
    assert me is not None
    assert is_alive(me)
    for other in (
        me._replace(started=me.started - 1),
        me._replace(boot_id="another boot"),
        me._replace(host="another host"),
        ProcessIdentity(me.host, me.boot_id, 2**22 + 1, me.started),
    ):
        assert not is_alive(other)
    assert find_process(("no", "such", "command")) is None


def test_a_dead_child_that_nobody_waited_for_is_dead() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert process_started(pid) is None, "a zombie runs nothing"
    os.waitpid(pid, 0)


def test_a_lock_is_held_once(tmp_path: Path) -> None:
    first = take_lock(tmp_path / "lock")
    assert first is not None
    assert take_lock(tmp_path / "lock", patience_s=0.0) is None
    os.close(first)
    again = take_lock(tmp_path / "lock", patience_s=0.0)
    assert again is not None
    os.close(again)


@pytest.mark.parametrize("content", ["", "\n", "no newline"])
def test_a_file_without_a_whole_line_has_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x"
    path.write_text(content)
    assert json_lines(last_lines(path)) == []


def attempt(started: float, ended: float | None = None) -> AttemptRow:
    return AttemptRow(1, 1, 1, "h", "b", 1, 1.0, started, ended, None, "", None)


def test_a_resumed_run_starts_up_again_and_goes_on_from_its_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.tools.study_cases import recipe

    monkeypatch.setattr("time.time", lambda: 1004.0)
    seen = Progress(step=3, reward=None, step_s=5.0, seen=900.0)
    toy = recipe()
    assert run_eta(toy, seen, [attempt(800.0, 910.0), attempt(1000.0)]) == (4 - 2) * 5.0 + 10 - 4
    assert run_eta(toy, seen, [attempt(800.0, 910.0)]) == (4 - 2) * 5.0 + 10, "it waits to be started"
    assert run_eta(toy, seen._replace(seen=1003.0), [attempt(1000.0)]) == 5.0, "its own steps count"
    assert run_eta(toy, Progress(0, None, None), []) == 4 * 5 + 10
