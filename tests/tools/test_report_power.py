"""What a plan can detect is told with its spread, its price, and how the probability was found."""

from pathlib import Path

import numpy as np
import pytest
from report_cases import cases, material, plan, power

from tools.report.build import build_report
from tools.report.power_view import power_view
from tools.report.wording_power import plan_claims, probability
from tools.report.wording_study import hours_per_run
from tools.statistics.plan_power import plan_power
from tools.statistics.power_model import PowerStatement
from tools.statistics.priors import NamedMatrix, Prior
from training.recipe import CostModel

SUMMARIES = tuple(plan().analysis.summaries)


def simulated(seeds: int) -> PowerStatement:
    """Every two summaries correlated 0.8, SD 0.5."""
    values = tuple(tuple(1.0 if row == column else 0.8 for column in range(6)) for row in range(6))
    prior = Prior(
        names=("tiny-cpu",),
        source="made up",
        df=10,
        sd=dict.fromkeys(SUMMARIES, 0.5),
        correlation=NamedMatrix(names=SUMMARIES, values=values),
    )
    return plan_power(plan(seeds=seeds), prior, np.random.default_rng(1))


def texts(statement: PowerStatement, hours: float = 16.0) -> dict[str, str]:
    return {claim.id: claim.text for claim in plan_claims(plan(seeds=statement.n), statement, hours)}


def test_the_way_forward_has_pairs_runs_and_a_price() -> None:
    statement = power(3, 1)
    pairs = statement.seeds_needed_negative_equivalent
    assert pairs is not None
    assert (
        f"about {pairs} pairs, {2 * pairs} runs, {32 * pairs:,} device-hours at 16 a run."
        in texts(statement)["plan.needed_equivalent"]
    )


def test_a_lower_bound_is_called_one_and_a_simulation_says_its_size() -> None:
    assert "at least 0.00 (a lower bound" in texts(power(3, 1))["plan.supported"]
    by_simulation = texts(simulated(5))["plan.supported"]
    assert "lower bound" not in by_simulation
    assert "From 20,000 simulated studies, Monte-Carlo error 0.00" in by_simulation


def test_one_seed_can_detect_nothing() -> None:
    made = texts(power(1, 1))
    assert made["plan.detectable"] == (
        "With n = 1 seed pair there is no interval: this plan can detect nothing, however large."
    )
    assert made["plan.supported"] == "A true difference of 1.0 point on every benchmark could not be shown."


def test_an_effect_out_of_reach_is_told_in_words() -> None:
    statement = power(3, 1).model_copy(update={"seeds_needed_supported": None, "seeds_needed_supported_upper": None})
    assert "over a million pairs" in texts(statement)["plan.needed_supported"]


def test_probabilities_at_the_ends_are_not_rounded_to_certainty() -> None:
    assert probability(0.001) == "below 0.01"
    assert probability(0.9999) == "above 0.99"
    assert probability(0.314) == "0.31"


def test_the_price_is_that_of_the_runs_done_else_the_recipes_estimate() -> None:
    done = cases()["inconclusive"]
    assert hours_per_run(done) == pytest.approx(0.0281)
    cost = CostModel(startup_s=360, step_s=0.0001, scoring_s=0, disk_mb=1, source="made up")
    recipe = done.plan.recipe.model_copy(update={"cost": cost})
    planned = done.model_copy(update={"runs": (), "plan": done.plan.model_copy(update={"recipe": recipe})})
    assert hours_per_run(planned) == pytest.approx(0.1, abs=1e-4)


def test_the_report_shows_how_likely_each_verdict_was_when_that_is_known(tmp_path: Path) -> None:
    page = build_report(material({"tscl": 0.2}, power=simulated(3)), tmp_path).read_text()
    assert "| if the arms do not differ | if every benchmark differs by 1.0 |" in page
    unknown = power_view(cases()["inconclusive"])
    assert unknown is not None
    assert unknown.verdicts == ""
