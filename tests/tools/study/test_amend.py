"""A change of the plan is priced, recorded, approved again, repeats no run, and is called what it is."""

import json
from pathlib import Path

import pytest

from policies.errors import BudgetError, InputError, RefusedError
from tests.tools.study_cases import executed, new_study, plan, supervise_here
from tools.plan.sequential_design import SequentialDesign
from tools.study.amend import amend, proposed
from tools.study.folder import Study
from tools.study.follow import snapshot
from tools.study.interim import unblind
from tools.study.lifecycle import approve, create_study
from tools.study.process import start
from tools.write_report import evaluate

DESIGN = SequentialDesign(n_min=3, n_max=5)


def changed(study: Study, **what: object) -> str:
    found = proposed(study, **what)  # type: ignore[arg-type]
    amend(study, found.plan, "ann")
    return found.exploratory


def sequential(root: Path, points: float) -> Study:
    study = create_study(plan(seeds=(1, 2, 3, 4, 5), design=DESIGN), root)
    (study.folder / "behaviour.json").write_text("{}")
    (study.folder / "effects.json").write_text(json.dumps({"tscl": points}))
    approve(study, "a person", 5.0)
    return study


def test_the_price_is_that_of_the_runs_that_are_added(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    found = proposed(study, seeds=5)
    assert found.plan.seeds == (1, 2, 3, 4, 5)
    assert (found.runs, found.change) == (6, "seeds from 2 to 5 (new: 3, 4, 5)")
    assert found.error is None, "no score, so the claim is as planned"
    assert found.device_hours == pytest.approx(6 * (10 + 4 * 5 + 6) / 3600)
    assert proposed(study, seed_list=(2, 7)).plan.seeds == (1, 2, 7)
    assert proposed(study, budget=9.0).runs == 0
    with study.ledger(read_only=True) as ledger:
        assert ledger.amendments() == (), "a price changes nothing"


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"seeds": 2}, "2 seeds are not more than the 2"),
        ({"seeds": 1}, "an amendment can only add seeds"),
        ({"seed_list": (1, 2)}, "are all in the plan already"),
        ({"seed_list": (2**31,)}, "out of range"),
        ({"seeds": 300}, "more than the limit for a study"),
        ({}, "nothing would change"),
    ],
)
def test_what_is_no_amendment_is_refused(tmp_path: Path, what: dict[str, object], message: str) -> None:
    study = new_study(tmp_path)
    with pytest.raises(InputError, match=message):
        proposed(study, **what)  # type: ignore[arg-type]


def test_before_any_score_an_amendment_leaves_the_claim_as_it_was(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    assert changed(study, seeds=3) == ""
    with pytest.raises(RefusedError, match="not approved"):
        start(study)
    assert snapshot(study).blind.exploratory == ""
    lock = json.loads((study.folder / "plan.lock.json").read_text())
    assert [(row["who"], row["change"]) for row in lock["amendments"]] == [("ann", "seeds from 2 to 3 (new: 3)")]


def test_seeds_added_after_the_verdict_repeat_nothing_and_make_it_exploratory(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    assert supervise_here(study).returncode == 0
    error = proposed(study, seeds=3).error
    assert error is not None
    assert 0.05 < error < 0.1, "a second reading at the same level"
    assert changed(study, seeds=3) == "the plan was changed after its verdict was known"
    assert snapshot(study).state == "planned"
    assert supervise_here(study).returncode == 3, "the approval of the old plan is void"
    approve(study, "ann", 1.0)
    assert snapshot(study).next == f"advisor resume {study.name}"
    assert supervise_here(study).returncode == 0
    assert executed(study)[4:] == ["static 3 1", "tscl 3 1"]
    page = evaluate(study).read_text()
    title = next(line for line in page.splitlines() if line.startswith("# "))
    assert title.startswith("# Exploratory: Does tscl beat static?")
    assert "Exploratory, not confirmed: the plan was changed after its verdict was known." in page
    assert "amended: by ann: seeds from 2 to 3 (new: 3); exploratory from here on" in page
    verdict = json.loads((study.folder / "report" / "verdict.json").read_text())
    assert verdict["exploratory"]
    assert verdict["title"].startswith("Exploratory: ")
    told = {claim["id"]: claim["text"] for claim in verdict["claims"]}
    assert told["tscl.verdict"].startswith("Exploratory: Verdict: ")
    assert told["study.exploratory"].startswith("Exploratory, not confirmed: ")


def test_what_is_exploratory_stays_so(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    assert supervise_here(study).returncode == 0
    why = changed(study, seeds=3)
    assert changed(study, budget=2.0) == why != ""
    lock = json.loads((study.folder / "plan.lock.json").read_text())
    assert [row["exploratory"] for row in lock["amendments"]] == [why, why]


def test_an_amendment_is_recorded_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed in between, a study would have a new plan that nobody knows to be exploratory."""
    study = new_study(tmp_path)
    assert supervise_here(study).returncode == 0
    new = proposed(study, seeds=3).plan

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    for part in ("add_amendment", "event"):
        with monkeypatch.context() as patch:
            patch.setattr(f"tools.study.ledger.Ledger.{part}", dies)
            with pytest.raises(KeyboardInterrupt):
                amend(study, new, "ann")
        with study.ledger(read_only=True) as ledger:
            assert (ledger.plan().seeds, ledger.amendments(), ledger.study().state) == ((1, 2), (), "done")


def test_of_two_amendments_at_once_the_later_one_is_made_again(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    hours, seeds = proposed(study, budget=2.0), proposed(study, seeds=4)
    amend(study, seeds.plan, "ann", instead_of=seeds.instead_of)
    with pytest.raises(RefusedError, match="has changed in the meantime"):
        amend(study, hours.plan, "bo", instead_of=hours.instead_of)
    assert study.plan.seeds == (1, 2, 3, 4)


def test_a_budget_that_is_spent_already_is_refused(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    assert supervise_here(study).returncode == 0
    with pytest.raises(InputError, match=r"0\.01 device-hours is not above the 0\.04"):
        proposed(study, seeds=3, budget=0.01)


def test_no_ceiling_is_approved_above_the_budget_of_the_plan(tmp_path: Path) -> None:
    study = new_study(tmp_path, approved=False)
    changed(study, budget=2.0)
    with pytest.raises(BudgetError, match="above the plan's budget of 2; give at most that"):
        approve(study, "ann", 3.0)
    assert approve(study, "ann").ceiling_device_hours == 2.0


def test_whoever_has_no_name_amends_as_unknown(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    amend(study, proposed(study, seeds=3).plan, " ")
    with study.ledger(read_only=True) as ledger:
        assert ledger.amendments()[0].who == "unknown user"
        assert ledger.events()[-1].text.startswith("by unknown user: ")


def test_a_blind_study_may_get_more_hours_and_confirm_all_the_same(tmp_path: Path) -> None:
    study = new_study(tmp_path, ceiling=0.025)
    assert supervise_here(study).returncode == 4
    assert changed(study, budget=2.0) == ""
    assert "scored" in changed(study, seeds=3)
    approve(study, "ann")
    assert supervise_here(study).returncode == 0
    assert snapshot(study).blind.exploratory.startswith("the plan was changed after 2 of its runs")


def test_after_an_unblinding_every_change_is_exploratory(tmp_path: Path) -> None:
    study = new_study(tmp_path, ceiling=0.025)
    assert supervise_here(study).returncode == 4
    unblind(study, "bo", "a reviewer asks")
    assert changed(study, budget=2.0).startswith("the plan was changed after bo had unblinded the study at ")


def test_a_sequential_study_on_its_way_gets_a_later_last_look(tmp_path: Path) -> None:
    study = sequential(tmp_path, 0.0)
    found = proposed(study, seeds=8)
    assert found.plan.design == DESIGN.model_copy(update={"n_max": 8})
    assert found.exploratory == ""


def test_a_sequential_study_that_has_stopped_goes_on_with_fixed_seeds_as_exploratory(tmp_path: Path) -> None:
    study = sequential(tmp_path, 20.0)
    assert supervise_here(study).returncode == 0
    ran = snapshot(study).seeds_scored
    assert ran < 5
    found = proposed(study, seeds=ran + 1)
    assert (found.plan.design, found.plan.seeds, found.runs) == (None, tuple(range(1, ran + 2)), 2)
    assert found.change.startswith(f"seeds from {ran} to {ran + 1} (new: {ran + 1}); no further looks")
    amend(study, found.plan, "ann")
    approve(study, "ann", 5.0)
    assert supervise_here(study).returncode == 0
    assert executed(study)[2 * ran :] == [f"static {ran + 1} 1", f"tscl {ran + 1} 1"]
    assert snapshot(study).blind.exploratory


def test_a_study_that_runs_is_not_amended(tmp_path: Path) -> None:
    import fcntl
    import os

    study = new_study(tmp_path)
    held = os.open(study.lock, os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(RefusedError, match="while it runs; stop it first"):
        amend(study, plan(seeds=(1, 2, 3)), "ann")
    os.close(held)
