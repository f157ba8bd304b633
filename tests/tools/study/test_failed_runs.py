"""Training failures are outcomes of their arm; failures of machines are not, and are run again with the same seed."""

from pathlib import Path

import pytest

from policies.errors import PolicyError, TrainingFailedError
from tests.tools.study_cases import SUPERVISOR, executed, new_study, set_behaviour, supervise_here
from tools.compare_arms import compare_arms
from tools.evaluation.gather import material
from tools.study.folder import Study
from tools.study.follow import snapshot, watch
from tools.study.process import resume, retry_failed
from tools.write_report import evaluate
from training.failures import is_infrastructure, is_training


def states(study: Study) -> dict[str, tuple[str, str | None]]:
    with study.ledger(read_only=True) as ledger:
        return {f"{run.arm} {run.seed}": (run.state, run.failure) for run in ledger.runs()}


@pytest.fixture(scope="module")
def early_end(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """One of six runs diverges after three of four steps, and leaves a checkpoint."""
    study = new_study(tmp_path_factory.mktemp("studies"), seeds=(1, 2, 3), tscl_2="fail-late")
    assert supervise_here(study).returncode == 0
    return study


def test_a_run_that_diverged_is_scored_at_its_last_finite_checkpoint_and_its_seed_is_kept(early_end: Study) -> None:
    assert states(early_end)["tscl 2"] == ("failed", "training")
    comparison = compare_arms(early_end).comparisons[0]
    assert comparison.seeds == (1, 2, 3)
    assert comparison.lost_seeds == ()
    assert comparison.failures == {"static": 0, "tscl": 1}
    assert comparison.verdict != "invalid_data", comparison.faults
    assert comparison.delivery.status == "delivered"
    assert (snapshot(early_end).seeds_scored, snapshot(early_end).seeds) == (3, 3)


def test_its_failure_stands_beside_the_verdict_and_among_the_deviations(early_end: Study) -> None:
    page = evaluate(early_end).read_text()
    assert "Failed runs" in page or "failed" in page
    assert any("run failed: run tscl seed 2 loss is NaN" in one.what for one in material(early_end).deviations)


def test_a_run_that_left_no_checkpoint_is_a_lost_pair_and_the_study_goes_on(tmp_path: Path) -> None:
    study = new_study(tmp_path, seeds=(1, 2, 3), tscl_2="fail")
    assert supervise_here(study).returncode == 0
    assert executed(study)[-2:] == ["static 3 1", "tscl 3 1"]
    comparison = compare_arms(study).comparisons[0]
    assert (comparison.seeds, comparison.lost_seeds) == ((1, 3), (2,))
    assert comparison.failures == {"static": 0, "tscl": 1}
    assert comparison.verdict != "invalid_data", comparison.faults
    status = snapshot(study)
    assert (status.state, status.seeds_scored) == ("done", 3)


def test_a_training_failure_is_never_made_again(early_end: Study) -> None:
    assert retry_failed(early_end) == ()
    assert states(early_end)["tscl 2"] == ("failed", "training")


def test_another_failure_is_made_again_with_its_seed_and_not_counted_against_its_arm(tmp_path: Path) -> None:
    study = new_study(tmp_path, tscl_1="broken")
    assert supervise_here(study).returncode == 1
    assert snapshot(study).state == "blocked"
    set_behaviour(study)
    resume(study, supervisor=SUPERVISOR)
    assert list(watch(study, poll_s=0.02))[-1].state == "done"
    assert executed(study) == ["static 1 1", "tscl 1 1", "tscl 1 2", "static 2 1", "tscl 2 1"]
    assert compare_arms(study).comparisons[0].failures == {"static": 0, "tscl": 0}
    with study.ledger(read_only=True) as ledger:
        assert [row.outcome for row in ledger.attempts()].count("failed") == 1
        assert [event.kind for event in ledger.events()].count("run_retried") == 1


class RayTaskError(RuntimeError):
    """As Ray hands on what a worker raised."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(f"ray::Worker.step() (pid=1)\n  File x.py, line 1\n{type(cause).__name__}: {cause}")
        self.cause = cause


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("probability tensor contains either `inf`, `nan` or element < 0"),
        FloatingPointError("overflow"),
        TrainingFailedError("no group is left after 8 refills"),
        RayTaskError(TrainingFailedError("collapsed")),
        ValueError("exported model x: 3 faults, e.g. w holds NaN or infinity"),
    ],
)
def test_what_training_itself_ends_with_is_an_outcome(error: Exception) -> None:
    assert is_training(error)
    assert not is_infrastructure(error)


@pytest.mark.parametrize(
    "error",
    [
        KeyError("reward"),
        ValueError("information is missing"),
        PolicyError("policy naive gave weights from nan to nan at step 3; they must be finite and in [0, 3.4e+38]"),
        None,
    ],
)
def test_a_fault_in_code_or_settings_is_no_outcome(error: Exception | None) -> None:
    assert not is_training(error)
    assert not is_infrastructure(error)
