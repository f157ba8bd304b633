"""From intent to plan: defaults are filled in and told, faults come at once, money is counted before it is spent."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.errors import AdvisorError, BudgetError, InputError, RefusedError
from tests.tools.study_cases import FixedIdentity, recipe
from tools.catalogue import TOOLS, tool
from tools.design.budget import chosen_seeds, demand_paid, parse_budget, seeds_that_fit
from tools.design.design_study import design
from tools.design.recipe_choice import gpu_count
from tools.evaluation.pilots import find_pilot
from tools.plan.cost import default_ceiling, run_device_hours, study_cost
from tools.plan.intent import StudyIntent
from tools.plan.plan_hash import plan_hash
from tools.plan.study_plan import StudyPlan
from tools.text.numbers import rounded_up
from training.recipe import Recipe


def intent(**changes: object) -> StudyIntent:
    values: dict[str, object] = {"question": "does tscl beat static?", "kind": "compare", "treatments": ("tscl",)}
    return StudyIntent.model_validate(values | changes)


def made(gpus: int = 0, **changes: object) -> StudyPlan:
    return design(intent(**changes), find_pilot=find_pilot, identity=FixedIdentity(), gpus=gpus)


def block_hours(arms: int = 2) -> float:
    return arms * run_device_hours(made().recipe)


def test_what_the_question_leaves_open_is_filled_in_and_told() -> None:
    plan = made()
    assert [(arm.id, arm.role) for arm in plan.arms] == [("static", "control"), ("tscl", "treatment")]
    assert plan.seeds == (1, 2, 3)
    assert (plan.analysis.confidence, plan.analysis.sesoi, plan.analysis.primary) == (0.95, 1.0, "domain_balanced_12")
    assert list(plan.analysis.summaries) == [
        "domain_balanced_12", "flat_12", "math_heavy_6", "no_math", "no_logic", "no_science"
    ]  # fmt: skip
    assert plan.recipe.name == "tiny-cpu"
    assert len(plan.benchmarks) == 12
    told = "; ".join(plan.notes)
    for note in (
        "control: static",
        "no GPU was found",
        "seeds: 3 (default)",
        "smallest effect of interest: 1.0 point ",
    ):
        assert note in told


def test_what_the_question_says_is_kept_and_not_noted() -> None:
    plan = made(
        control="baseline", seed_list=(5, 9), confidence=0.9, sesoi=0.5, recipe="tiny-cpu", steps=20,
        primary_summary="flat_12", params={"tscl": {"temperature": 0.5}}, notes=("read with care",),
    )  # fmt: skip
    assert plan.control.policy.name == "baseline"
    assert plan.seeds == (5, 9)
    assert (plan.analysis.confidence, plan.analysis.sesoi, plan.analysis.primary) == (0.9, 0.5, "flat_12")
    assert plan.recipe.steps == 20
    assert plan.treatments[0].policy.parameters["temperature"] == 0.5
    assert plan.notes == ("read with care",)


def test_the_same_intent_gives_the_same_plan() -> None:
    assert plan_hash(made()) == plan_hash(made(question="other words"))


def test_several_treatments_share_a_control_and_a_family() -> None:
    plan = made(treatments=("tscl", "topk"))
    assert plan.control.policy.name == "baseline"
    assert "different default controls" in "; ".join(plan.notes)
    assert plan.analysis.family_size == 2
    assert made(treatments=("topk",)).control.policy.name == "baseline"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"treatments": ("tsc1",)}, "unknown policy 'tsc1'; did you mean tscl"),
        ({"control": "statc"}, "unknown policy 'statc'; did you mean static"),
        ({"treatments": ()}, "no policy to test; name one of"),
        ({"treatments": ("tscl", "tscl")}, "policy 'tscl' is named twice"),
        ({"treatments": ("static",), "control": "static"}, "treatment 'static' is identical to its control"),
        ({"control": "tscl"}, "treatment 'tscl' is identical to its control"),
        ({"unknown": ("magic_sampler",), "treatments": ()}, "unknown policy 'magic_sampler'"),
        ({"params": {"tscl": {"temprature": 1}}}, "unknown parameter 'temprature' (did you mean temperature"),
        ({"params": {"topk": {"k": 1}}}, "parameters for 'topk', which is not an arm"),
        ({"recipe": "tiny-gpu"}, "unknown recipe 'tiny-gpu'; did you mean tiny-cpu"),
        ({"recipe": "nowhere.yaml"}, "recipe file 'nowhere.yaml' does not exist"),
        ({"steps": 0}, "steps"),
        ({"model": "Qwen/Qwen2.5-7B"}, "model 'Qwen/Qwen2.5-7B' cannot be used: recipe tiny-cpu has a built-in"),
        ({"primary_summary": "flat12"}, "unknown summary 'flat12'"),
        ({"seeds": 0}, "0 seeds are too few for a study"),
        ({"seeds": -3}, "-3 seeds are too few for a study"),
        ({"seeds": 1_000_000}, "1000000 seeds are more than"),
        ({"seed_list": (1, 1)}, "seed 1 is listed twice"),
        ({"seed_list": (-1, 2)}, "seed -1 is out of range"),
        ({"seed_list": (1, 2**31)}, f"seed {2**31} is out of range"),
        ({"seed_list": ()}, "0 seeds are too few for a study"),
        ({"seeds": 3, "seed_list": (1, 2)}, "3 seeds were requested, but 2 are listed"),
        ({"confidence": 95.0}, "confidence 95 is out of range"),
        ({"sesoi": 0.0}, "smallest effect of interest 0 is out of range"),
        ({"budget_gpu_hours": 0.0}, "a budget of 0 GPU-hours pays for no run"),
        ({"budget_gpu_hours": -4.0}, "a budget of -4 GPU-hours pays for no run"),
        ({"max_runs": 0}, "a limit of 0 runs is too low for a study"),
    ],
)
def test_one_line_says_what_is_wrong(changes: dict[str, object], words: str) -> None:
    with pytest.raises(InputError) as caught:
        made(**changes)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_all_faults_come_at_once() -> None:
    with pytest.raises(InputError) as caught:
        made(treatments=("tsc1",), recipe="tiny", seeds=0, confidence=2.0, sesoi=-1.0, primary_summary="x")
    for word in ("tsc1", "tiny", "0 seeds", "confidence 2", "interest -1", "summary 'x'"):
        assert word in str(caught.value)


def test_questions_that_no_study_answers() -> None:
    with pytest.raises(RefusedError, match="a seed is no treatment"):
        made(kind="refuse", message="a seed is no treatment; compare policies")
    with pytest.raises(InputError, match=r"which one\?"):
        made(kind="clarify", treatments=(), message="which one?")
    with pytest.raises(InputError, match="needs no study"):
        made(kind="power")


def test_one_seed_is_allowed_and_says_what_it_cannot_do() -> None:
    assert "one seed: no interval can be computed" in "; ".join(made(seeds=1).notes)


def test_a_gpu_without_a_recipe_for_it_is_told() -> None:
    assert "no recipe for GPUs is installed" in "; ".join(made(gpus=8).notes)
    assert not any("recipe" in note for note in made(gpus=8, recipe="tiny-cpu").notes)


def test_a_budget_buys_the_seeds_that_fit() -> None:
    plan = made(budget_gpu_hours=4.5 * block_hours())
    assert plan.seeds == (1, 2, 3, 4)
    assert plan.budget_device_hours == 4.5 * block_hours()
    assert "seeds: 4 (what the budget pays for" in "; ".join(plan.notes)
    assert len(made(budget_gpu_hours=1e6).seeds) == 12
    assert len(made(max_runs=11).seeds) == 5
    assert len(made(max_runs=11, budget_gpu_hours=2 * block_hours()).seeds) == 2


def test_a_budget_too_small_for_one_pair_says_what_one_takes() -> None:
    with pytest.raises(BudgetError) as caught:
        made(budget_gpu_hours=0.01)
    least = rounded_up(block_hours())
    assert f"give at least {least}" in str(caught.value)
    assert made(budget_gpu_hours=float(least), seeds=1).seeds == (1,), "what it says really is enough"
    with pytest.raises(BudgetError, match="allow at least 2"):
        made(max_runs=1)


def test_a_budget_too_small_for_the_seeds_offers_those_that_fit() -> None:
    with pytest.raises(BudgetError, match="use 2 seeds"):
        made(seeds=5, budget_gpu_hours=2.5 * block_hours())
    with pytest.raises(BudgetError, match="10 runs, but at most 7 are allowed: use 3 seeds"):
        made(seeds=5, max_runs=7)
    with pytest.raises(BudgetError, match="one seed gives no interval"):
        made(budget_gpu_hours=1.5 * block_hours())
    assert made(seeds=1, budget_gpu_hours=1.5 * block_hours()).seeds == (1,)


@given(st.integers(2, 5), st.integers(1, 30), st.floats(0.001, 50))
def test_a_budget_that_passes_pays_and_the_offer_passes(arms: int, seeds: int, budget: float) -> None:
    fixed: Recipe = recipe()
    block = arms * run_device_hours(fixed)
    try:
        fitting = seeds_that_fit(fixed, arms, budget, None)
    except BudgetError:
        assert block > budget
        return
    assert fitting is not None
    assert fitting * block <= budget * (1 + 1e-6) < (fitting + 1) * block * (1 + 2e-6)
    demand_paid(fixed, arms, fitting, budget, None)
    with pytest.raises(BudgetError):
        demand_paid(fixed, arms, fitting + 1, budget, None)
    if fitting >= 2:
        assert chosen_seeds(fixed, arms, budget, None) == min(fitting, 12)
    assert seeds_that_fit(fixed, arms, None, None) is None
    assert seeds >= 1


@given(st.floats(1e-6, 1e6))
def test_rounding_up_never_gives_less(hours: float) -> None:
    assert hours <= float(rounded_up(hours)) * (1 + 1e-9)
    assert float(rounded_up(hours)) <= hours * 1.11


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("40", 40),
        ("40h", 40),
        (" 1.5 hours ", 1.5),
        ("40 GPU-hours", 40),
        (".5", 0.5),
        ("2 gpu hours", 2),
        ("90min", 1.5),
        ("3 minutes", 0.05),
    ],
)
def test_budgets_as_people_write_them(text: str, hours: float) -> None:
    assert parse_budget(text) == hours


@pytest.mark.parametrize("text", ["", "0", "-3", "forty", "40 days", "nan", "1e400", "inf", "4,5"])
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a number of GPU-hours above 0"):
        parse_budget(text)


def test_cost_and_ceiling() -> None:
    plan = made()
    cost = study_cost(plan)
    assert cost.runs == 6
    assert cost.device_hours == pytest.approx(6 * (36 + 60 * 1.5 + 8) / 3600, rel=0.5)
    assert cost.wall_hours == cost.device_hours
    assert cost.unit.startswith("device-hours")
    assert default_ceiling(plan) >= cost.device_hours + 1
    assert default_ceiling(made(budget_gpu_hours=3.0)) == 3.0


def test_gpus_are_counted_without_torch(tmp_path: Path) -> None:
    assert gpu_count(tmp_path) == 0
    (tmp_path / "dev").mkdir()
    for name in ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm"):
        (tmp_path / "dev" / name).touch()
    assert gpu_count(tmp_path) == 2


def test_the_catalogue_names_near_tools_and_those_that_need_an_approval() -> None:
    with pytest.raises(InputError, match="unknown tool 'plan_studies'; call one of: plan_study"):
        tool("plan_studies")
    assert {entry.name for entry in TOOLS if entry.changes} == {"launch_runs", "write_report"}


def test_a_missing_package_is_told_and_not_planned_around() -> None:
    class Bare(FixedIdentity):
        def versions(self) -> dict[str, str]:
            raise AdvisorError("training needs packages that are not installed: verl; run: pip install ...")

    with pytest.raises(AdvisorError, match="not installed: verl"):
        design(intent(), find_pilot=find_pilot, identity=Bare(), gpus=0)


def test_a_policy_that_rolls_out_more_than_its_control_makes_no_plan() -> None:
    with pytest.raises(InputError, match=r"could use up to 4 times the rollouts of its control.*keep refill=false"):
        made(treatments=("difffilter",), params={"difffilter": {"refill": True}})
