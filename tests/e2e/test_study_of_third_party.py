"""A study with a policy of another distribution and one that is inert, from the question to the report, for real."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.runs import computed, environment, exported_sha256

pytest.importorskip("verl", reason="needs the train extra")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory, python_with_third_party: str) -> Path:
    """One seed of three arms: enough to see what was delivered, too little for an interval."""
    folder = tmp_path_factory.mktemp("user")
    command = [
        python_with_third_party, "-m", "advisor.cli.main", "ask", "do these beat baseline?", "--control", "baseline",
        "--treatment", "shortest", "--treatment", "placebo_ones", "--seeds", "1", "--steps", "4", "--yes",
        "--budget", "1h", "--no-llm", "--json",
    ]  # fmt: skip
    surroundings = environment() | {"ADVISOR_HOME": str(folder / "home")}
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return Path(json.loads(done.stdout)["report"]).parent.parent


def comparisons(study: Path) -> dict[str, dict[str, object]]:
    found = json.loads((study / "report" / "verdict.json").read_text())["verdict"]["comparisons"]
    return {one["treatment"]: one for one in found}


def test_the_third_partys_policy_was_delivered(study: Path) -> None:
    found = comparisons(study)["shortest"]["delivery"]
    assert isinstance(found, dict)
    assert (found["status"], found["kind"], found["worker_confirmed"]) == ("delivered", "weights", True)
    assert found["control_dose"] == 0


def test_its_source_stands_among_what_the_runs_used(study: Path) -> None:
    for facts in study.glob("runs/tiny-cpu/*/seed-1/*/facts.json"):
        assert len(json.loads(facts.read_text())["artifacts"]["third_party_policies"]) == 64


def test_an_inert_treatment_is_not_judged(study: Path) -> None:
    found = comparisons(study)["placebo_ones"]
    assert found["verdict"] == "treatment_not_delivered"
    assert "Not tested: the delivery record does not show" in (study / "report" / "report.md").read_text()


def test_the_status_shows_both(study: Path, python_with_third_party: str) -> None:
    command = [python_with_third_party, "-m", "advisor.cli.main", "status", str(study), "--json"]
    told = json.loads(subprocess.run(command, env=environment(), check=True, capture_output=True, text=True).stdout)
    assert {one["arm"]: one["status"] for one in told["delivery"]} == {
        "shortest": "delivered",
        "placebo_ones": "not_delivered",
    }


def test_the_inert_arm_is_its_control_bit_for_bit(study: Path) -> None:
    ones, baseline = (next(study.glob(f"runs/tiny-cpu/{arm}/seed-1/*")) for arm in ("placebo_ones", "baseline"))
    assert computed(ones, without=("advisor_weight",)) == computed(baseline, without=("advisor_weight",))
    assert exported_sha256(ones) == exported_sha256(baseline)
