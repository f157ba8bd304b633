"""What a plan can detect is told with its spread, its price, and how the probability was found."""

from pathlib import Path

import numpy as np
import pytest

from tests.tools.report.report_cases import cases, material, plan, power
from tools.plan.cost import SeedPrice, run_device_hours
from tools.plan.prior import NamedMatrix, Prior
from tools.report.claims.power import effect_points, plan_claims, probability
from tools.report.claims.study import measured_price, spent_sentence
from tools.report.study.build import build_report
from tools.report.study.power import power_view
from tools.statistics.power.model import PowerStatement
from tools.statistics.power.statement import power_statement
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
    made = plan(seeds=seeds)
    return power_statement(len(made.seeds), made.analysis, prior, np.random.default_rng(1))


PRICE = SeedPrice(arms=2, device_hours_per_run=16.0, unit="GPU-hours")


def texts(statement: PowerStatement, price: SeedPrice | None = PRICE) -> dict[str, str]:
    return {claim.id: claim.text for claim in plan_claims(statement, price)}


def test_the_way_forward_has_pairs_runs_and_a_price() -> None:
    statement = power(3, 1)
    pairs = statement.seeds_needed_negative_equivalent
    assert pairs is not None
    assert (
        f"at most {pairs} pairs, {2 * pairs} runs, {32 * pairs:,} GPU-hours at 16 a run ("
        in texts(statement)["plan.needed_equivalent"]
    )
    assert f"at most {pairs} pairs (" in texts(statement, None)["plan.needed_equivalent"]


def test_without_a_covariance_the_probability_has_bounds_and_with_one_the_size_of_the_simulation() -> None:
    """A lower bound of nothing is not told as `at least 0.00`; the least power of one summary bounds from above.

    At n = 11: statsmodels' TTestPower, one-sided .025, gives .912 for SD .9, and the six together miss .159.
    """
    statement = power(3, 1)
    least = min(one.power for one in statement.summaries.values())
    assert statement.probability_supported == 0
    assert statement.probability_supported_most == pytest.approx(least, abs=0.001)
    assert f"with probability at most {least:.2f} (" in texts(statement)["plan.supported"]
    assert "bounds, since the covariance of the summaries is unknown" in texts(statement)["plan.supported"]
    assert "with probability at least 0.84 and at most 0.91 (" in texts(power(11, 1))["plan.supported"]
    by_simulation = texts(simulated(5))["plan.supported"]
    assert "bounds" not in by_simulation
    assert "Estimated from 20,000 simulated studies, Monte Carlo error 0.00" in by_simulation


def test_a_rare_event_in_a_simulation_has_an_error_that_is_not_zero() -> None:
    rare = simulated(5).model_copy(update={"probability_supported": 2e-5, "standard_error": 3e-5})
    assert texts(rare)["plan.supported"].endswith("Monte Carlo error below 0.0001.")


def test_a_probability_of_nearly_one_is_not_bounded_from_above() -> None:
    assert "with probability at least 0.9" in texts(power(16, 1))["plan.supported"]
    assert "above 0.99 (" not in texts(power(30, 1))["plan.supported"].replace("at least above 0.99 (", "")


def test_an_effect_is_told_in_multiples_of_the_smallest_one_of_interest() -> None:
    assert (
        "2.28 points on domain_balanced_12, 2.3 times the smallest effect of interest, is"
        in (texts(power(3, 1))["plan.detectable"])
    )
    assert "times" not in texts(power(12, 1))["plan.detectable"]


def test_an_effect_that_scores_leave_no_room_for_is_never_called_detectable() -> None:
    """Two seeds and a spread of 5 points would need 58 points of difference."""
    wide = power(2, 1).model_copy(update={"detectable_effect": 58.1, "detectable_effect_upper": 67.0})
    assert "not even 50 points" in texts(wide)["plan.detectable"]
    assert "58" not in texts(wide)["plan.detectable"]
    nearly = wide.model_copy(update={"detectable_effect": 42.73, "sesoi": 2.0})
    assert "42.7 points on domain_balanced_12, 21 times" in texts(nearly)["plan.detectable"]
    assert "(over 50 points if the spread" in texts(nearly)["plan.detectable"]
    assert effect_points(0.5) == "0.50 points"


def test_several_treatments_are_told_what_each_of_them_costs() -> None:
    """Student's t at n = 3: 4.30 for one treatment, 7.65 for three (statistics tables, two-sided 5 % and 5/3 %)."""
    assert "plan.family" not in texts(power(3, 1))
    assert texts(power(3, 3))["plan.family"] == (
        "Three treatments share the error rate: at n = 3 each interval extends 7.65 standard errors to either side, "
        "compared with 4.30 for one treatment alone."
    )
    assert "plan.family" not in texts(power(1, 3))


def test_one_seed_can_detect_nothing() -> None:
    made = texts(power(1, 1))
    assert made["plan.detectable"] == (
        "With n = 1 seed pair there is no interval: this plan cannot detect a difference of any size."
    )
    assert made["plan.supported"] == "A true difference of 1.0 point on every benchmark could not be detected."
    assert "probability 0.80: at most 11 pairs" in made["plan.needed_supported"]


def test_an_effect_out_of_reach_is_told_in_words() -> None:
    statement = power(3, 1).model_copy(update={"seeds_needed_supported": None, "seeds_needed_supported_upper": None})
    assert "over a million pairs" in texts(statement)["plan.needed_supported"]


def test_the_report_offers_more_pairs_only_where_the_verdict_is_open() -> None:
    settled = {"supported", "negative_equivalent"}
    open_ones = {"depends_on_summary", "negative_inconclusive"}
    seen = set()
    for name, made in cases().items():
        view = power_view(made)
        assert view is not None
        found = {one.verdict for one in made.verdict.comparisons}
        seen |= found
        if found <= settled:
            assert view.take == (), name
        elif found & open_ones:
            assert "pairs" in " ".join(view.take), name
    assert settled | open_ones <= seen


def test_the_spread_seen_stands_beside_the_one_assumed() -> None:
    """The SD of the differences -1.40, 1.29 and -1.16 is 1.49; one pair, or invalid data, has none."""
    made = cases()["inconclusive"]
    view = power_view(made)
    assert view is not None
    assert view.could[-1] == "In this study the SD on domain_balanced_12 is 1.49 points for tscl - static (n = 3)."
    for name in ("one_seed", "mixed_harness"):
        without = power_view(cases()[name])
        assert without is not None
        assert "In this study" not in " ".join(without.could)


def test_probabilities_at_the_ends_are_not_rounded_to_certainty() -> None:
    assert probability(0.001) == "below 0.01"
    assert probability(0.9999) == "above 0.99"
    assert probability(0.314) == "0.31"


def test_the_price_is_that_of_the_runs_done_and_their_scoring_else_the_recipes_estimate() -> None:
    done = cases()["inconclusive"]
    assert measured_price(done).device_hours_per_run == pytest.approx(0.0281)
    scored = done.model_copy(update={"scoring_device_hours": 0.06})
    assert measured_price(scored) == (2, pytest.approx(0.0281 + 0.01), "device-hours")
    cost = CostModel(startup_s=180, step_s=1.0, scoring_s=120, disk_mb=1, source="made up")
    recipe = done.plan.recipe.model_copy(update={"cost": cost})
    planned = done.model_copy(update={"runs": (), "plan": done.plan.model_copy(update={"recipe": recipe})})
    assert measured_price(planned).device_hours_per_run == run_device_hours(recipe) == pytest.approx(0.1)


def test_what_was_spent_holds_the_scoring() -> None:
    done = cases()["inconclusive"].model_copy(update={"scoring_device_hours": 0.06})
    assert spent_sentence(done) == (
        "Spent: 0.23 device-hours (on CPU, one run-hour each), of which 0.060 device-hours for scoring; failed "
        "attempts are included."
    )


def test_the_report_shows_how_likely_each_verdict_was_when_that_is_known(tmp_path: Path) -> None:
    page = build_report(material({"tscl": 0.2}, power=simulated(3)), tmp_path).read_text()
    assert "| if the arms do not differ | if every benchmark differs by 1.0 |" in page
    unknown = power_view(cases()["inconclusive"])
    assert unknown is not None
    assert unknown.verdicts == ""
