"""Delivery in a study: shown while it runs with arm labels hidden, and decisive for the verdict."""

import json
import shutil
from pathlib import Path

import pytest

from advisor.views.status import render
from policies.base import PolicySpec
from tests.tools.study_cases import new_study, plan, supervise_here
from tools.compare_arms import compare_arms
from tools.evaluation.delivered import delivery_so_far
from tools.plan.study_plan import Arm
from tools.study.folder import Study
from tools.study.lifecycle import approve, create_study
from tools.study.stored import Stored
from tools.study_status import study_status
from tools.write_report import write_report


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Its treatment scores thirty points more than its control."""
    study = new_study(tmp_path_factory.mktemp("studies"))
    (study.folder / "effects.json").write_text(json.dumps({"tscl": 30.0}))
    assert supervise_here(study).returncode == 0
    return study


@pytest.fixture
def inert(finished: Study, tmp_path: Path) -> Study:
    """The same study, but the treatment's prompts were its control's in every step."""
    study = Study(Path(shutil.copytree(finished.folder, tmp_path / "inert")))
    for seed in (1, 2):
        (ours,) = study.folder.glob(f"runs/toy/tscl/seed-{seed}/*/delivery.jsonl")
        (theirs,) = study.folder.glob(f"runs/toy/static/seed-{seed}/*/delivery.jsonl")
        shutil.copyfile(theirs, ours)
    return study


def test_a_treatment_that_never_happened_is_not_judged_whatever_the_scores_say(inert: Study, finished: Study) -> None:
    assert compare_arms(finished).comparisons[0].verdict != "treatment_not_delivered"
    (comparison,) = compare_arms(inert).comparisons
    assert comparison.verdict == "treatment_not_delivered"
    assert comparison.delivery.status == "not_delivered"
    assert comparison.delivery.dose == 0
    assert "seed 1: both runs are identical in everything" in comparison.faults


def test_the_report_says_that_nothing_was_tested(inert: Study) -> None:
    text = write_report(inert).read_text()
    assert "Not tested: the delivery record does not show that the arms differ as tscl requires" in text
    assert "Delivery: not delivered. Dose 0.000" in text
    numbers = json.loads((inert.folder / "report" / "verdict.json").read_text())
    assert numbers["verdict"]["comparisons"][0]["delivery"]["status"] == "not_delivered"


def test_the_status_of_a_study_that_is_done_names_the_arm_its_dose_and_the_controls(finished: Study) -> None:
    (found,) = study_status(finished).delivery
    assert (found.arm, found.status, found.pairs, found.control_dose, found.reasons) == ("tscl", "delivered", 2, 0, ())
    assert found.dose == pytest.approx(0.4)
    assert "delivery of tscl: delivered, dose 0.400 (minimum 0.05), 2 pairs" in shown(finished)


def test_the_status_says_what_is_wrong(inert: Study) -> None:
    (found,) = study_status(inert).delivery
    assert found.status == "not_delivered"
    assert "seed 2: both runs are identical in everything" in found.reasons
    assert "delivery of tscl: not delivered, dose 0.000" in shown(inert)


def shown(study: Study) -> str:
    return "\n".join(str(line) for line in render(study_status(study)).renderables)


def test_while_a_study_runs_its_pairs_show_doses_under_labels(tmp_path: Path) -> None:
    study = new_study(tmp_path, tscl_2="crash")
    assert study_status(study).delivery == ()
    assert supervise_here(study).returncode == 1
    (found,) = study_status(study).delivery
    assert (found.arm, found.status, found.pairs) == ("treatment A", "delivered", 1)
    told = study_status(study).model_dump_json(include={"delivery"})
    assert "tscl" not in told
    assert "mixture" not in told


def test_the_order_of_the_labels_does_not_give_the_arms_away(tmp_path: Path) -> None:
    """Three treatments, one of which leans to math: it stands under every label, depending on the plan's hash."""
    others = [PolicySpec(name="static", parameters={"shares": f"a=1,b={place}"}) for place in (1, 2)]
    skewed = [Arm(id=f"skewed-{place}", role="treatment", policy=spec) for place, spec in enumerate(others)]
    study = create_study(plan(arms=(*plan().arms, *skewed), seeds=(1,)), tmp_path)
    (study.folder / "behaviour.json").write_text("{}")
    approve(study, "a person")
    assert supervise_here(study).returncode == 0
    stored, places = Stored.read(study), set()
    for digest in map(str, range(12)):
        hidden = delivery_so_far(study, stored._replace(plan_hash=digest), hidden=True)
        assert [one.arm for one in hidden] == ["treatment A", "treatment B", "treatment C"]
        places.add(next(place for place, one in enumerate(hidden) if one.status == "delivered"))
    assert places == {0, 1, 2}
    assert hidden == delivery_so_far(study, stored._replace(plan_hash="11"), hidden=True)
