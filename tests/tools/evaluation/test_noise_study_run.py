"""A noise study runs one policy twice a seed, keeps the two apart everywhere, and reports a spread and no verdict."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from advisor.planning import with_flags
from policies.base import PolicySpec
from policies.errors import InputError, RefusedError
from policies.registry import resolve
from tests.tools.study_cases import BENCHMARKS, FixedIdentity, executed, plan, supervise_here
from tools.compare_arms import compare_arms
from tools.design.design_study import design
from tools.design_power import PowerQuestion, design_power
from tools.evaluation.gather import material
from tools.evaluation.matching import RunFacts, match_runs
from tools.evaluation.pilots import find_pilot, pilot_spread
from tools.plan.intent import StudyIntent
from tools.plan.plan_hash import plan_bytes, plan_hash, stored_hash
from tools.plan.study_plan import Arm, StudyPlan
from tools.plan_study import price
from tools.study.folder import Study
from tools.study.follow import snapshot
from tools.study.lifecycle import approve, create_study
from tools.study_status import study_status
from tools.write_report import evaluate
from training.identity import run_key
from training.overrides import RunPaths, overrides
from training.recipe import load_recipe
from training.run_spec import RunSpec
from training.verl_plugin.rollout_server import request_seed

STATIC = PolicySpec(name="static")
AGAIN = Arm(id="static-replicate=1", role="treatment", policy=STATIC, replicate=1)


def noise_plan(other: Arm = AGAIN, **changes: object) -> StudyPlan:
    arms = (Arm(id="static", role="control", policy=STATIC), other)
    return plan(**{"kind": "noise", "question": "noise of static", "arms": arms, "seeds": (1, 2, 3)} | changes)


def ran(planned: StudyPlan, root: Path) -> Study:
    study = create_study(planned, root)
    (study.folder / "behaviour.json").write_text("{}")
    approve(study, "a person", 5.0)
    ended = supervise_here(study)
    assert ended.returncode == 0, ended.stderr
    return study


@pytest.fixture(scope="module")
def matched(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return ran(noise_plan(), tmp_path_factory.mktemp("studies"))


def test_the_two_runs_of_a_seed_have_keys_folders_and_scores_of_their_own(matched: Study) -> None:
    assert executed(matched) == [f"{arm} {seed} 1" for seed in (1, 2, 3) for arm in ("static", "static-replicate=1")]
    with matched.ledger(read_only=True) as ledger:
        runs, scores = ledger.runs(), ledger.scores()
    assert [(run.seed, run.replicate) for run in runs] == [(seed, at) for seed in (1, 2, 3) for at in (0, 1)]
    for different in ({run.run_key for run in runs}, {run.folder for run in runs}, {row.score_key for row in scores}):
        assert len(different) == 6
    for run in runs:
        spec = json.loads((matched.run_dir(run) / "run.json").read_text())
        assert (spec["seed"], spec["replicate"], spec["policy"]["name"]) == (run.seed, run.replicate, "static")


def test_the_spread_is_that_of_the_stored_differences_and_nothing_is_compared(matched: Study) -> None:
    made = material(matched)
    score = {(row.arm, row.seed, row.benchmark): row.score for row in made.scores}
    differences = [
        np.mean([score[AGAIN.id, seed, name] - score["static", seed, name] for name in BENCHMARKS])
        for seed in (1, 2, 3)
    ]
    assert made.verdict.comparisons == ()
    assert made.spread is not None
    assert made.spread.noise is not None
    found = made.spread.noise.summaries["flat"]
    assert found.sd == pytest.approx(np.std(differences, ddof=1))
    assert found.low_sd is not None
    assert found.low_sd < found.sd
    assert (made.spread.noise.df, made.spread.noise.matched) == (2, True)
    assert made.spread.ahead is not None
    assert made.spread.ahead.summaries["flat"].sd == pytest.approx(found.sd, abs=1e-5)
    assert made.matching is not None
    assert (made.matching.pairs, made.matching.differences, made.matching.apart) == (3, (), "the replicate")


def test_the_report_says_that_no_policy_is_compared(matched: Study) -> None:
    page = evaluate(matched).read_text()
    title = page.splitlines()[2]
    assert title.startswith("# How noisy is static?")
    assert title.endswith("no policy is compared")
    for words in (
        "## How much differences vary",
        "## What this means for planning",
        "exclude zero",
        "nothing differs except the replicate",
        "In all three pairs the training rewards of the two runs differ",
        "Delivery: not applicable",
        f"advisor power --pilot {matched.id}",
    ):
        assert words in page, words
    for words in ("better", "worse", "treatment was", "differ only in the policy"):
        assert words not in page, words
    document = json.loads((matched.folder / "report" / "verdict.json").read_text())
    assert (document["kind"], document["verdict"]["comparisons"]) == ("noise", [])
    assert document["numbers"]["spread.summary.flat.sd"]["n"] == 3
    assert "summary,flat," in (matched.folder / "report" / "tables" / "spread.csv").read_text()
    before = page
    assert evaluate(matched).read_text() == before


def test_nothing_is_said_of_delivery_and_there_is_no_verdict_to_ask_for(matched: Study) -> None:
    assert study_status(matched).delivery == ()
    with pytest.raises(RefusedError, match="compares no arms"):
        compare_arms(matched)


def test_runs_that_differ_in_more_than_the_replicate_give_no_spread(matched: Study, tmp_path: Path) -> None:
    study = Study(Path(shutil.copytree(matched.folder, tmp_path / "copy")))
    config = next(study.folder.glob("runs/toy/static-replicate=1/seed-2/*/config.yaml"))
    document = json.loads(config.read_text())
    document["advisor"]["policy"]["parameters"] = {"share": 1}
    config.write_text(json.dumps(document))
    made = material(study)
    assert made.spread is not None
    assert made.spread.noise is None
    assert any("advisor.policy.parameters" in fault for fault in made.spread.faults)
    assert "No spread" in evaluate(study).read_text()


def test_pairs_of_different_seeds_run_each_seed_once(tmp_path: Path) -> None:
    other = Arm(id="static-other-seeds", role="treatment", policy=STATIC, seed_offset=2)
    study = ran(noise_plan(other, seeds=(1, 2)), tmp_path)
    with study.ledger(read_only=True) as ledger:
        assert [(run.arm, run.seed) for run in ledger.runs()] == [
            ("static", 1), ("static-other-seeds", 3), ("static", 2), ("static-other-seeds", 4),
        ]  # fmt: skip
    current = snapshot(study)
    assert (current.seeds, current.seeds_scored) == (2, 2)
    assert [run.seed for run in current.runs] == [1, 3, 2, 4]
    made = material(study)
    assert made.matching is not None
    assert (made.matching.differences, made.matching.apart) == ((), "the seed")
    assert "1 with 3 and 2 with 4" in evaluate(study).read_text()


def test_a_noise_study_is_a_pilot_of_its_spread(matched: Study) -> None:
    found = pilot_spread(str(matched.folder))
    made = material(matched)
    assert made.spread is not None
    assert made.spread.prior is not None
    assert found.prior.df == 2
    assert matched.id in found.prior.source
    assert any("itself" in note for note in found.notes)
    answer = design_power(PowerQuestion(pilot=str(matched.folder), seeds=(5,)))
    assert answer.power.prior_df == 2


def test_arms_that_make_the_same_run_are_no_plan() -> None:
    with pytest.raises(ValidationError, match="differ in replicate or in seeds"):
        noise_plan(Arm(id="other", role="treatment", policy=STATIC))
    with pytest.raises(ValidationError, match="differ in replicate or in seeds"):
        noise_plan(Arm(id="other", role="treatment", policy=STATIC, seed_offset=1))
    with pytest.raises(ValidationError, match="same policy"):
        noise_plan(Arm(id="other", role="treatment", policy=PolicySpec(name="tscl"), replicate=1))


def test_a_plan_of_the_first_version_keeps_its_bytes_and_its_hash() -> None:
    document = json.loads(plan_bytes(plan()))
    assert document.keys() == {
        "schema_version", "kind", "question", "title", "notes", "arms", "seeds", "replicate", "recipe", "benchmarks",
        "analysis", "artifacts", "versions", "budget_device_hours",
    }  # fmt: skip
    assert {key for arm in document["arms"] for key in arm} == {"id", "role", "policy"}
    assert StudyPlan.model_validate(document) == plan()
    again = noise_plan()
    assert StudyPlan.model_validate_json(plan_bytes(again)) == again
    assert stored_hash(plan_bytes(again)) == plan_hash(again)


def intent(**changes: object) -> StudyIntent:
    values: dict[str, object] = {"question": "noise of static", "kind": "noise", "treatments": ("static",)}
    return StudyIntent.model_validate(values | changes)


def test_an_intent_becomes_two_runs_a_seed_of_one_policy_with_its_parameters() -> None:
    made = design(
        intent(treatments=("tscl",), params={"tscl": {"temperature": 0.5}}),
        find_pilot=find_pilot,
        identity=FixedIdentity(),
        gpus=0,
    )
    assert [(arm.id, arm.replicate) for arm in made.arms] == [("tscl", None), ("tscl-replicate=1", 1)]
    assert made.arms[0].policy == made.arms[1].policy
    assert made.arms[0].policy.parameters["temperature"] == 0.5
    assert (made.kind, made.seeds, made.analysis.family_size) == ("noise", (1, 2, 3, 4, 5), 1)
    shown = price(made, None)
    assert shown.power is None
    assert shown.warnings == ()
    asked = intent(unmatched=True, seed_list=(3, 9))
    other = design(asked, find_pilot=find_pilot, identity=FixedIdentity(), gpus=0)
    assert [other.run_of(other.arms[1], seed).seed for seed in other.seeds] == [10, 16]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"treatments": ("static", "tscl")}, "a noise study has one policy"),
        ({"control": "baseline"}, "with itself"),
        ({"sequential": True}, "omit --sequential"),
        ({"params": {"tscl": {"floor": 0.1}}}, "not an arm of this study"),
        ({"unmatched": True, "seed_list": (0, 2**31 - 1)}, "too large for the second seeds"),
        ({"kind": "compare", "treatments": ("tscl",), "unmatched": True}, "applies to a noise study only"),
    ],
)
def test_what_a_noise_study_cannot_be_is_said(changes: dict[str, object], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        design(intent(**changes), find_pilot=find_pilot, identity=FixedIdentity(), gpus=0)


def test_a_flag_may_name_another_policy_of_a_noise_question() -> None:
    asked = with_flags(intent(control="static"), {"treatments": ("tscl",)})
    assert [arm.policy.name for arm in design(asked, find_pilot=find_pilot, identity=FixedIdentity(), gpus=0).arms] == [
        "tscl",
        "tscl",
    ]


def test_one_pair_is_said_to_give_no_spread() -> None:
    made = design(intent(seeds=1), find_pilot=find_pilot, identity=FixedIdentity(), gpus=0)
    assert "one pair gives no estimate of the spread" in price(made, None).warnings[0]


def spec(replicate: int = 0, seed: int = 4) -> RunSpec:
    recipe = load_recipe("tiny-cpu")
    return RunSpec(recipe=recipe, policy=resolve("tscl"), seed=seed, replicate=replicate, deadline_s=60)


def facts(folder: Path, one: RunSpec) -> RunFacts:
    paths = RunPaths(**{name: folder / name for name in RunPaths._fields})
    config = {"advisor": {"seed": one.seed, "replicate": one.replicate}, "data": {"seed": one.seed}}
    recorded = {"environment": {}, "artifacts": {}, "versions": {}, "hardware": "cpu"}
    return RunFacts.model_validate(
        {"run_dirs": (str(folder),), "config": config, "argv": tuple(overrides(one, paths)), "recorded": recorded}
        | {"prompts": (16,), "rollouts": (80,)}
    )


def test_of_the_real_commands_two_replicates_differ_in_the_replicate_alone(tmp_path: Path) -> None:
    one, other, elsewhere = facts(tmp_path, spec()), facts(tmp_path, spec(1)), facts(tmp_path, spec(seed=5))
    assert match_runs(one, other, 4, "replicate") == ()
    assert match_runs(one, elsewhere, 4, "seed") == ()
    assert {found.key for found in match_runs(one, other, 4, "policy")} == {"config advisor.replicate", "argument 1"}
    assert any(found.key == "config data.seed" for found in match_runs(one, elsewhere, 4, "replicate"))
    assert run_key(spec(), {}, {}) != run_key(spec(1), {}, {})


def test_two_replicates_of_a_seed_sample_every_rollout_from_another_stream() -> None:
    rollouts = [(step, prompt, rollout) for step in (1, 2) for prompt in range(4) for rollout in range(5)]
    seeds = {request_seed(4, replicate, *one) for replicate in (0, 1) for one in rollouts}
    assert len(seeds) == 2 * len(rollouts)
