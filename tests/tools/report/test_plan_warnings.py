"""A plan that cannot answer says so, and offers only ways that a person could take."""

from collections.abc import Sequence

import numpy as np
import pytest

from policies.registry import resolve
from tests.tools.report.report_cases import plan, power
from tools.plan.cost import SeedPrice
from tools.plan.prior import Prior
from tools.plan.study_plan import StudyPlan
from tools.report.claims.plan_warnings import plan_warnings
from tools.statistics.power.model import PowerStatement
from tools.statistics.power.statement import power_statement

PRICE = SeedPrice(arms=2, device_hours_per_run=16.0, unit="GPU-hours")
THREE = ("tscl", "reward_gap", "dump_ucb")


def stated(
    seeds: int, sd: float, df: int = 22, treatments: Sequence[str] = ("tscl",)
) -> tuple[StudyPlan, PowerStatement]:
    """A plan and its power when all summaries vary alike."""
    made = plan(treatments, seeds)
    prior = Prior(names=("x",), source="made up", df=df, sd=dict.fromkeys(made.analysis.summaries, sd))
    return made, power_statement(len(made.seeds), made.analysis, prior, np.random.default_rng(0))


def only(warnings: tuple[str, ...]) -> str:
    (warning,) = warnings
    return warning


def test_a_plan_that_can_answer_has_no_warning() -> None:
    assert plan_warnings(*stated(16, 0.5), PRICE) == ()


@pytest.mark.parametrize(("steps", "said"), [(4, "in any of the 4 steps"), (6, "in 5 of the 6 steps"), (11, "")])
def test_a_treatment_that_mostly_warms_up_is_told_first(steps: int, said: str) -> None:
    made, statement = stated(3, 0.7)
    arms = tuple(
        arm.model_copy(update={"policy": resolve(arm.policy.name)}) if arm.role == "treatment" else arm
        for arm in made.arms
    )
    short = made.model_copy(update={"arms": arms, "recipe": made.recipe.model_copy(update={"steps": steps})})
    first, *rest = plan_warnings(short, statement, PRICE)
    if said:
        assert first == f"tscl does not act {said}: its warm-up is 5 steps. Options: more steps; a shorter warm-up"
        assert len(rest) == 1
    else:
        assert "warm-up" not in first


def test_too_few_seeds_are_told_with_their_probability_and_a_price() -> None:
    made, statement = stated(3, 0.7)
    pairs = statement.seeds_needed_supported
    assert only(plan_warnings(made, statement, PRICE)).startswith(
        "this plan is underpowered: a true difference of 1.0 point on every benchmark would be detected under every "
        f"summary with probability at most 0.30. Options: more seeds: at most {pairs} pairs, {2 * pairs} "  # type: ignore[operator]
        "runs"
    )
    bought = made.model_copy(update={"budget_device_hours": 96.0})
    assert only(plan_warnings(bought, statement, PRICE)).startswith("a plan within this budget is underpowered")


def test_the_larger_effect_that_is_offered_would_really_be_shown() -> None:
    made, statement = stated(3, 0.7)
    warning = only(plan_warnings(made, statement, PRICE))
    offered = warning.split("--sesoi ")[1].split(")")[0]
    assert f"{offered} points on every benchmark would be detected" in warning
    chosen = made.model_copy(update={"analysis": made.analysis.model_copy(update={"sesoi": float(offered)})})
    prior = Prior(names=("x",), source="made up", df=22, sd=dict.fromkeys(made.analysis.summaries, 0.7))
    power = power_statement(len(chosen.seeds), chosen.analysis, prior, np.random.default_rng(0))
    assert power.probability_supported >= 0.8


def test_an_effect_beyond_what_scores_allow_is_not_offered() -> None:
    assert "--sesoi" not in only(plan_warnings(*stated(2, 3.7), PRICE))


def test_more_seeds_than_a_study_may_have_are_called_so() -> None:
    assert "more than the 200 that one study may have" in only(plan_warnings(*stated(3, 8.0), PRICE))
    four = PRICE._replace(arms=8)
    assert "more than the 125 that one study may have" in only(plan_warnings(*stated(3, 3.7), four))
    assert "may have" not in only(plan_warnings(*stated(3, 2.0), PRICE))


def test_several_treatments_are_offered_to_be_fewer() -> None:
    """t is 7.65 for three treatments at n = 3 and 4.30 for one."""
    warning = only(plan_warnings(*stated(3, 0.7, treatments=THREE), PRICE._replace(arms=4)))
    assert "fewer treatments: a family of three makes each interval 1.78 times as wide" in warning
    assert "fewer treatments" not in only(plan_warnings(*stated(3, 0.7), PRICE))


def test_a_pilot_is_offered_only_where_the_spread_is_badly_known() -> None:
    assert "a pilot: the assumed spread rests on two degrees of freedom" in only(
        plan_warnings(*stated(3, 0.7, df=2), PRICE)
    )
    assert "pilot" not in only(plan_warnings(*stated(3, 0.7, df=9), PRICE))


def test_a_plan_that_answers_only_if_the_spread_is_what_is_assumed_says_so() -> None:
    warning = only(plan_warnings(*stated(12, 0.7, df=3), PRICE))
    assert warning.startswith("if the spread is at its upper limit, this plan is underpowered")


def test_between_the_bounds_it_is_not_claimed_that_the_plan_cannot() -> None:
    assert only(plan_warnings(*stated(7, 0.7), PRICE)).startswith("this plan may be underpowered")


def test_one_seed_or_an_unknown_spread_are_told_without_a_probability() -> None:
    assert only(plan_warnings(plan(seeds=1), power(1, 1), PRICE)).startswith(
        "one seed gives no interval: this plan cannot answer the question. Options: more seeds: at most 11 pairs"
    )
    assert "a study of a few seeds would estimate the spread" in only(plan_warnings(plan(), None, PRICE))
    assert "one seed gives no interval" in only(plan_warnings(plan(seeds=1), None, PRICE))
