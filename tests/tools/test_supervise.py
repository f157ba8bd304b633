"""A supervisor takes a study to its end; killed anywhere, the next one goes on and nothing runs twice."""

from pathlib import Path

from study_cases import executed, new_study, supervise_here

from tools.study.follow import snapshot

ALL = ["static 1 1", "tscl 1 1", "static 2 1", "tscl 2 1"]


def test_runs_go_in_seed_blocks_and_end_scored_and_evaluated(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    done = supervise_here(study)
    assert done.returncode == 0, done.stderr
    assert executed(study) == ALL
    status = snapshot(study)
    assert (status.state, status.seeds_scored) == ("done", 2)
    assert all((run.state, run.step, run.reward) == ("done", 4, 0.04) for run in status.runs)
    assert (study.folder / "evaluated.txt").exists()
