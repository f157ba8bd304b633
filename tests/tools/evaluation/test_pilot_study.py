"""A pilot finds the spread and hides the rest; the plan after it takes that spread and none of its seeds."""

import json
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from advisor import api
from advisor.planning import with_flags
from policies.base import PolicySpec
from policies.errors import InputError, RefusedError
from tests.tools.study_cases import BENCHMARKS, FixedIdentity, plan, recipe, supervise_here
from tools.compare_arms import compare_arms
from tools.design.arms import choose_policies
from tools.design.design_study import design
from tools.design.faults import Faults
from tools.design.forecast import planned_power
from tools.evaluation.gather import material
from tools.evaluation.pilots import find_pilot, pilot_spread
from tools.plan.analysis import Analysis
from tools.plan.intent import StudyIntent
from tools.plan.study_plan import Arm, StudyPlan
from tools.plan_study import price
from tools.study.amend import proposed
from tools.study.folder import Study
from tools.study.interim import interim_scores, unblind
from tools.study.lifecycle import approve, create_study
from tools.study_status import study_status
from tools.write_report import evaluate
from training.recipe import load_recipe

SUITE_SEEDS = (1, 2, 3)
TOY = recipe(data="builtin:tiny")
"""A plan is checked against the domains of its data."""


def intent(**changes: object) -> StudyIntent:
    values: dict[str, object] = {"question": "pilot for tscl", "kind": "pilot", "treatments": ("tscl",)}
    return StudyIntent.model_validate(values | changes)


def made(**changes: object) -> StudyPlan:
    return design(intent(**changes), find_pilot=find_pilot, identity=FixedIdentity(), gpus=0)


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Of the stand-ins' four benchmarks, with the six usual summaries over them."""
    study = create_study(plan(kind="pilot", seeds=SUITE_SEEDS, recipe=TOY), tmp_path_factory.mktemp("studies"))
    (study.folder / "behaviour.json").write_text("{}")
    (study.folder / "effects.json").write_text(json.dumps({"tscl": 20.0}))
    approve(study, "a person", 5.0)
    assert supervise_here(study).returncode == 0
    return study


def test_the_spread_is_that_of_arm_and_seed_and_large_effects_stay_out_of_it(pilot: Study) -> None:
    rows = material(pilot).scores
    score = {(row.arm, row.seed, row.benchmark): row.score for row in rows}
    differences = [
        np.mean([score["tscl", seed, name] - score["static", seed, name] for name in BENCHMARKS])
        for seed in SUITE_SEEDS
    ]
    spread = material(pilot).spread
    assert spread is not None
    assert spread.pilot is not None
    found = spread.pilot.summaries["flat"]
    assert found.sd == pytest.approx(np.std(differences, ddof=1), abs=1e-6), "of two arms, the SD of their differences"
    assert found.sd < 1 < abs(np.mean(differences)), "the effect of 20 points is none of its business"
    assert (spread.pilot.df, spread.pilot.arms, spread.pilot.seeds) == (2, 2, 3)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.sd < found.upper < found.high


def test_nothing_that_it_writes_tells_how_an_arm_did(pilot: Study) -> None:
    page = evaluate(pilot).read_text()
    rows = material(pilot).scores
    written = {path.name: path.read_text() for path in (pilot.folder / "report").rglob("*") if path.is_file()}
    assert written.keys() == {"report.md", "verdict.json", "spread.csv"}
    means = {arm: np.mean([row.score for row in rows if row.arm == arm]) for arm in ("tscl", "static")}
    hidden = {f"{value:.2f}" for value in (*means.values(), means["tscl"] - means["static"])}
    for name, content in written.items():
        assert not [value for value in hidden if value in content], name
        assert not [word for word in ("better", "worse", "supported,") if word in content], name
    for words in ("no policy is compared", "scores by arm stay hidden", "tscl: delivered, dose 0.400", "--after-pilot"):
        assert words in page, words
    document = json.loads(written["verdict.json"])
    assert (document["kind"], document["verdict"]["comparisons"]) == ("pilot", [])
    assert study_status(pilot).delivery[0].status == "delivered"


def test_there_is_no_verdict_and_seeing_its_scores_is_recorded(pilot: Study) -> None:
    with pytest.raises(RefusedError, match="compares no arms"):
        compare_arms(pilot)
    with pytest.raises(RefusedError, match="is blind"):
        interim_scores(pilot)


def test_in_python_it_shows_its_spread_and_neither_table_nor_figure(pilot: Study) -> None:
    shown = api.Study(pilot.folder)
    assert "no policy is compared" in repr(shown)
    for text in (repr(shown), shown._repr_markdown_(), str(shown.verdict())):
        assert "| summary" not in text
        assert "tscl - static" not in text
    for refused in (shown.table, shown.forest):
        with pytest.raises(RefusedError, match="compares no arms and has no verdict"):
            refused()


def test_a_pilot_whose_runs_are_not_matched_gives_no_spread_and_still_hides_which(tmp_path: Path, pilot: Study) -> None:
    import shutil

    study = Study(Path(shutil.copytree(pilot.folder, tmp_path / "copy")))
    config = next(study.folder.glob("runs/toy/tscl/seed-2/*/config.yaml"))
    config.write_text(config.read_text().replace('"seed": 2', '"seed": 2, "lr": 0.5'))
    found = material(study).spread
    assert found is not None
    assert found.prior is None
    assert "stays hidden" in found.faults[0]
    with pytest.raises(InputError, match="gives no spread"):
        pilot_spread(str(study.folder))
    unblind(study, "ann", "to find the fault")
    assert {row.treatment for row in interim_scores(study).rows} == {"tscl"}


def test_a_treatment_that_did_not_act_is_named_because_the_spread_may_be_too_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle = Arm(id="topk", role="treatment", policy=PolicySpec(name="topk"))
    study = create_study(plan(kind="pilot", arms=(*plan().arms, idle), recipe=TOY), tmp_path)
    (study.folder / "behaviour.json").write_text("{}")
    approve(study, "a person", 5.0)
    assert supervise_here(study).returncode == 0
    assert "- topk did not act, so the spread may be too small" in evaluate(study).read_text()
    assert "topk did not act in the pilot" in "; ".join(after(study, monkeypatch).notes)


def test_power_reads_a_pilot(pilot: Study) -> None:
    found = pilot_spread(str(pilot.folder))
    assert found.prior.df == 2
    assert pilot.folder.name in found.prior.source


def after(pilot: Study, monkeypatch: pytest.MonkeyPatch, **changes: object) -> StudyPlan:
    """A plan with the pilot's own toy recipe and benchmarks."""
    monkeypatch.setattr("tools.design.recipe_choice.load_recipe", lambda *_, **__: TOY)
    monkeypatch.setattr("tools.design.design_study.planned_benchmarks", lambda _: plan().benchmarks)
    monkeypatch.setattr("tools.design.design_study.planned_analysis", lambda *_: _small())
    asked = {"kind": "compare", "after_pilot": str(pilot.folder), "recipe": "toy", "control": "static"}
    return made(**asked | changes)


def _small() -> Analysis:
    return Analysis(family_size=1, summaries={"flat": dict.fromkeys(BENCHMARKS, 0.25)}, primary="flat")


def test_the_plan_after_it_takes_its_spread_and_other_seeds(pilot: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = after(pilot, monkeypatch)
    assert planned.pilot is not None
    assert (planned.pilot.study, planned.pilot.seeds) == (pilot.folder.name, SUITE_SEEDS)
    assert planned.seeds[0] == 4
    assert not set(planned.seeds) & set(SUITE_SEEDS)
    told = "; ".join(planned.notes)
    assert f"spread: of {pilot.folder.name} (pilot)" in told
    assert "pairs needed by the pilot's spread" in told
    power = planned_power(planned)
    assert power is not None
    assert pilot.folder.name in power.prior_source
    assert power.prior_df == 2
    assert StudyPlan.model_validate_json(planned.model_dump_json()) == planned
    assert after(pilot, monkeypatch, seeds=3).seeds == (4, 5, 6)


def test_a_seed_of_the_pilot_is_refused_wherever_it_comes_from(
    pilot: Study, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(RefusedError, match="seed 2 was used by the pilot") as refused:
        after(pilot, monkeypatch, seed_list=(2, 9))
    assert "\n" not in str(refused.value)
    planned = after(pilot, monkeypatch, seed_list=(8, 9))
    with pytest.raises(ValidationError, match="used by the pilot"):
        StudyPlan.model_validate(planned.model_dump() | {"seeds": (1, 9)})
    study = create_study(planned, tmp_path)
    with pytest.raises(RefusedError, match="seed 3 was used by the pilot"):
        proposed(study, seed_list=(3,))
    assert proposed(study, seeds=4).plan.seeds == (8, 9, 10, 11)


def test_another_model_than_the_pilots_is_no_pilot(pilot: Study) -> None:
    with pytest.raises(InputError, match="used model builtin:none"):
        made(kind="compare", after_pilot=str(pilot.folder), recipe="tiny-cpu")


def test_a_pilot_is_planned_for_its_spread_alone() -> None:
    planned = made(seeds=3)
    assert (planned.kind, planned.seeds, planned.title) == ("pilot", (1, 2, 3), "pilot for tscl against static")
    shown = price(planned, None)
    assert shown.power is None
    assert shown.warnings == ()
    assert made().seeds == (1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"sequential": True}, "omit --sequential"),
        ({"after_pilot": "another"}, "no study 'another'|omit --after-pilot|is not a study"),
    ],
)
def test_what_a_pilot_cannot_be_is_said(
    changes: dict[str, object], fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ADVISOR_STUDIES", str(tmp_path))
    with pytest.raises(InputError, match=fault):
        made(**changes)


def test_the_flag_makes_a_pilot_of_a_comparison_and_of_nothing_else() -> None:
    compare = intent(kind="compare")
    assert with_flags(compare, {"pilot": True}).kind == "pilot"
    assert with_flags(intent(kind="clarify"), {"pilot": True}).kind == "clarify"
    assert with_flags(intent(kind="clarify"), {"pilot": True, "treatments": ("tscl",)}).kind == "pilot"
    with pytest.raises(InputError, match="noise question"):
        with_flags(intent(kind="noise"), {"pilot": True})


def test_the_family_of_a_pilot_is_that_of_the_comparison_to_come() -> None:
    chosen = choose_policies(intent(treatments=("tscl", "dump_ucb")), Faults(), [])
    assert chosen is not None
    assert len(chosen.treatments) == 2
    assert made(treatments=("tscl", "dump_ucb")).analysis.family_size == 2
    assert load_recipe("tiny-cpu").suite == "tiny-12"
