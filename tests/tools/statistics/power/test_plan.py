"""What a plan says about its own power: the design's numbers, honesty where little is known, speed of import."""

import json
import subprocess
import sys

import numpy as np
import pytest

from policies.errors import InputError
from tests.tools.score_tables import DOMAINS, analysis
from tools.plan.prior import NamedMatrix, Prior
from tools.plan.study_plan import StudyPlan
from tools.statistics.decision import DECISIONS
from tools.statistics.paired import critical_t
from tools.statistics.power.priors import find_prior, prior, spread
from tools.statistics.power.simulate import sample, simulate
from tools.statistics.power.statement import power_statement
from tools.statistics.random_streams import rng_for
from training.recipe import load_recipe

SIX = tuple(analysis().summaries)


def state(n, name, **changes):
    return power_statement(n, analysis(**changes), prior(name), rng_for("plan", "power"))


def test_eighteen_pairs_that_serve_one_summary_do_not_serve_all_six():
    """Qwen2.5-0.5B-Instruct, 0.5 points: 18 pairs give .81 for the primary summary and .35 for all six."""
    found = state(18, "Qwen2.5-0.5B-Instruct", sesoi=0.5)
    assert found.power_primary == pytest.approx(0.81, abs=0.005)
    assert found.probability_supported == pytest.approx(0.35, abs=0.012)
    assert found.by == "simulation"
    assert found.limiting_summary == "no_math"
    assert found.seeds_needed_primary == 18
    assert 43 <= found.seeds_needed_supported <= 46
    assert found.seeds_needed_supported_upper > found.seeds_needed_supported


def test_three_seeds_of_the_public_runs_rarely_support_even_two_points():
    """A true +2 on every benchmark: .26 at 0.5B and .005 at 7B-Instruct (notes on the public table)."""
    assert state(3, "Qwen2.5-0.5B-Instruct", sesoi=2.0).probability_supported == pytest.approx(0.26, abs=0.012)
    assert state(3, "Qwen2.5-7B-Instruct", sesoi=2.0).probability_supported == pytest.approx(0.005, abs=0.002)


def test_sixteen_pairs_show_equivalence_within_a_point():
    found = state(16, "Qwen2.5-0.5B-Instruct")
    assert found.verdicts_at_zero["negative_equivalent"] == pytest.approx(0.80, abs=0.012)
    assert found.seeds_needed_negative_equivalent in (16, 17)
    assert found.seeds_needed_negative_equivalent_upper > found.seeds_needed_negative_equivalent


def test_each_treatment_more_costs_power():
    one, three = state(5, "Qwen2.5-0.5B-Instruct"), state(5, "Qwen2.5-0.5B-Instruct", family_size=3)
    assert three.family_alpha == pytest.approx(0.05 / 3)
    assert three.probability_supported < one.probability_supported
    assert three.detectable_effect > one.detectable_effect
    assert three.seeds_needed_supported > one.seeds_needed_supported
    assert three.summaries["flat_12"].half_width > one.summaries["flat_12"].half_width


def test_verdict_probabilities_cover_every_verdict_and_sum_to_one():
    found = state(4, "Qwen2.5-3B-Instruct")
    for probabilities in (found.verdicts_at_zero, found.verdicts_at_sesoi):
        assert tuple(probabilities) == DECISIONS
        assert sum(probabilities.values()) == pytest.approx(1.0)


def test_without_a_covariance_it_is_a_lower_bound_and_says_so():
    full = prior("Qwen2.5-0.5B-Instruct")
    bare = full.model_copy(update={"correlation": None})
    known = power_statement(30, analysis(), full, rng_for("plan", "power"))
    bound = power_statement(30, analysis(), bare, rng_for("plan", "power"))
    assert bound.by == "bound"
    assert bound.probability_supported < known.probability_supported
    assert bound.probability_supported == pytest.approx(
        1 - sum(1 - s.power for s in bound.summaries.values()), abs=1e-6
    )
    assert bound.seeds_needed_supported >= known.seeds_needed_supported
    assert (bound.verdicts_at_zero, bound.draws, bound.standard_error) == (None, None, None)


@pytest.mark.parametrize("name", ["tiny-cpu", "Qwen2.5-0.5B-Instruct"])
def test_one_seed_has_no_interval_and_a_million_are_no_trouble(name):
    one = state(1, name)
    assert (one.power_primary, one.probability_supported, one.probability_supported_most) == (0.0, 0.0, 0.0)
    assert (one.detectable_supported, one.critical_t) == (None, None)
    assert (one.detectable_effect, one.summaries["flat_12"].half_width, one.verdicts_at_zero) == (None, None, None)
    assert one.seeds_needed_primary > 1
    assert state(1_000_000, name).probability_supported == pytest.approx(1.0)


def test_an_effect_too_small_for_any_number_of_seeds_is_none_and_json_has_no_nan():
    found = state(3, "tiny-cpu", sesoi=1e-6)
    assert (found.seeds_needed_primary, found.seeds_needed_supported) == (None, None)
    assert found.seeds_needed_negative_equivalent is None
    assert "NaN" not in found.model_dump_json()
    json.loads(found.model_dump_json())


@pytest.mark.parametrize("covariance", ["known", "unknown"])
def test_the_effect_that_is_detected_under_every_summary_has_power_eighty(covariance):
    known = prior("Qwen2.5-0.5B-Instruct")
    chosen = known if covariance == "known" else known.model_copy(update={"correlation": None})
    found = power_statement(5, analysis(family_size=2), chosen, rng_for("plan", "power"))
    assert found.detectable_supported > found.detectable_effect
    assert found.detectable_supported_upper > found.detectable_supported
    there = power_statement(
        5, analysis(family_size=2, sesoi=found.detectable_supported), chosen, rng_for("other", "power")
    )
    assert there.probability_supported == pytest.approx(0.8, abs=0.012 if covariance == "known" else 1e-6)


def test_what_the_verdict_needs_lies_between_the_bounds():
    """P(all) is at most the least single power, at least one minus the sum of what they miss."""
    for n in (5, 12):
        known = power_statement(n, analysis(), prior("Qwen2.5-3B-Instruct"), rng_for("plan", "power"))
        assert known.probability_supported <= known.probability_supported_most + 0.01
        assert known.probability_supported >= 1 - sum(1 - one.power for one in known.summaries.values()) - 0.01


def test_critical_values_are_those_of_the_tables():
    """Student's t, two-sided: 4.303 at 5 % and 12.59 at 5/8 %, two degrees of freedom."""
    found = state(3, "tiny-cpu", family_size=8)
    assert (found.critical_t_alone, found.critical_t) == (
        pytest.approx(4.303, abs=1e-3),
        pytest.approx(12.59, abs=0.01),
    )


def test_an_uncertain_sd_is_planned_at_its_upper_limit():
    known = prior("Qwen2.5-0.5B-Instruct")
    found = power_statement(5, analysis(), known.model_copy(update={"df": 2}), rng_for("plan", "power"))
    assert found.summaries["flat_12"].sd_upper == pytest.approx(2.117 * found.summaries["flat_12"].sd, rel=1e-3)
    assert found.power_primary_upper < found.power_primary
    assert found.probability_supported_upper < found.probability_supported
    assert found.detectable_effect_upper == pytest.approx(2.117 * found.detectable_effect, rel=1e-3)


def test_the_same_plan_hash_gives_the_same_statement_and_each_purpose_its_own_stream():
    assert state(5, "Qwen2.5-0.5B-Instruct") == state(5, "Qwen2.5-0.5B-Instruct")
    assert rng_for("a", "power").random() == rng_for("a", "power").random()
    assert len({rng_for(*key).random() for key in (("a", "power"), ("a", "weights"), ("b", "power"))}) == 3


def test_a_plan_is_read_for_its_seeds_and_its_analysis():
    spec = {"name": "static", "parameters": {}}
    plan = StudyPlan.model_validate(
        {
            "question": "does tscl beat static?",
            "arms": [{"id": a, "role": r, "policy": spec} for a, r in (("static", "control"), ("tscl", "treatment"))],
            "seeds": (3, 1, 7, 4),
            "recipe": load_recipe("tiny-cpu"),
            "benchmarks": (),
            "analysis": analysis(sesoi=2.5),
            "artifacts": {},
            "versions": {},
        }
    )
    known = prior(plan.recipe.name, plan.recipe.model)
    found = power_statement(len(plan.seeds), plan.analysis, known, rng_for("hash", "power"))
    assert found == power_statement(4, plan.analysis, known, rng_for("hash", "power"))
    assert (found.n, found.k, found.sesoi, found.prior_source) == (4, 1, 2.5, known.source)


def test_a_primary_outside_the_verdict_set_is_refused():
    with pytest.raises(InputError, match="gsm8k"):
        state(5, "tiny-cpu", primary="gsm8k")


def test_simulated_means_and_sds_have_the_right_law_on_both_routes():
    covariance = np.array([[4.0, 1.0, 1.5], [1.0, 1.0, 0.2], [1.5, 0.2, 2.0]])
    for n in (3, 12):
        _, means, sds = sample(n, covariance, np.random.default_rng(1), 60_000)
        np.testing.assert_allclose(np.cov(means.T), covariance / n, atol=0.03)
        np.testing.assert_allclose((sds**2).mean(axis=0), np.diag(covariance), rtol=0.03)
        variances = np.cov((sds**2).T)
        np.testing.assert_allclose(variances, 2 * covariance**2 / (n - 1), rtol=0.1, atol=0.05)
        assert abs(np.corrcoef(means[:, 0], sds[:, 0])[0, 1]) < 0.02


def test_simulation_agrees_with_judging_raw_studies():
    covariance = spread(prior("Qwen2.5-0.5B-Instruct"), analysis().summaries).covariance
    n, effects = 8, np.full(6, 0.8)
    raw = np.random.default_rng(2).multivariate_normal(effects, covariance, (20_000, n), tol=1e-4, method="eigh")
    low = raw.mean(axis=1) - critical_t(n - 1, 0.95) * raw.std(axis=1, ddof=1) / n**0.5
    found = simulate(n, effects, covariance, 0.05, 1.0, np.random.default_rng(3)).supported
    assert found == pytest.approx((low > 0).all(axis=1).mean(), abs=0.015)


def test_depends_on_summary_is_rare_when_nothing_differs():
    for name in ("Qwen2.5-0.5B-Instruct", "Qwen2.5-7B-Instruct", "Llama-3.1-8B-base"):
        covariance = spread(prior(name), analysis().summaries).covariance
        found = simulate(5, np.zeros(6), covariance, 0.05, 1.0, np.random.default_rng(4))
        assert found.verdicts["depends_on_summary"] <= 0.05


@pytest.mark.parametrize("free", range(6))
def test_supported_errs_in_one_study_of_forty_where_its_claim_is_hardest_to_refute(free):
    """One summary exactly 0, the others far above: alpha / 2 in that direction, whichever summary it is."""
    covariance = spread(prior("Qwen2.5-0.5B-Instruct"), analysis().summaries).covariance
    effects = np.full(6, 60.0)
    effects[free] = 0.0
    found = simulate(5, effects, covariance, 0.05, 1.0, np.random.default_rng(5), draws=60_000)
    assert found.supported == pytest.approx(0.025, abs=0.0025)


def test_equivalence_errs_rarely_where_one_summary_differs_by_just_the_smallest_effect():
    """Two one-sided tests made with the two-sided interval: alpha / 2 at most, however small the noise."""
    covariance = spread(prior("Qwen2.5-0.5B-Instruct"), analysis().summaries).covariance
    effects = np.zeros(6)
    effects[2] = 1.0
    for scale in (1.0, 0.05):
        found = simulate(8, effects, scale**2 * covariance, 0.05, 1.0, np.random.default_rng(6))
        assert found.verdicts["negative_equivalent"] <= 0.025 + 0.003


def test_a_covariance_that_is_none_is_refused():
    with pytest.raises(ValueError, match="positive semidefinite"):
        simulate(5, np.zeros(2), np.array([[1.0, 2.0], [2.0, 1.0]]), 0.05, 1.0, np.random.default_rng(0))


def test_shipped_priors_are_those_of_the_design():
    expected = {
        "Qwen2.5-0.5B-Instruct": (22, 0.70, 0.60, 0.74),
        "Qwen2.5-1.5B-Instruct": (6, 0.87, 0.82, 0.72),
        "Qwen2.5-3B-Instruct": (6, 0.46, 0.58, 1.15),
        "Qwen2.5-7B-base": (6, 1.37, 1.32, 1.04),
        "Qwen2.5-7B-Instruct": (38, 3.59, 2.94, 0.98),
        "Qwen2.5-14B-base": (6, 2.50, 2.51, 1.67),
        "Llama-3.1-8B-base": (6, 3.22, 3.94, 6.53),
    }
    for name, (df, *sds) in expected.items():
        found = prior(name)
        assert found.df == df
        assert [round(found.sd[s], 2) for s in SIX[:3]] == sds
        assert spread(found, analysis().summaries).covariance is not None


def test_a_recipe_is_found_before_its_model_and_an_unknown_one_offers_the_nearest():
    assert find_prior("nothing", "tiny-cpu") is prior("tiny-cpu", "Qwen2.5-0.5B-Instruct")
    assert find_prior("nothing") is None
    with pytest.raises(InputError, match=r"Qwen2\.5-7B-Instruct"):
        prior("Qwen2.5-7B-Instrukt")


def test_benchmark_covariance_serves_a_summary_that_has_no_sd_of_its_own():
    two = NamedMatrix(names=("gsm8k", "kk_hard"), values=((4.0, 0.0), (0.0, 4.0)))
    made = Prior(names=("x",), source="here", df=5, sd={"flat_12": 1.0}, benchmark_covariance=two)
    found = spread(made, {"mine": {"gsm8k": 0.5, "kk_hard": 0.5}, "one": {"gsm8k": 1.0}})
    assert found.sd == pytest.approx([2**0.5, 2.0])
    np.testing.assert_allclose(found.covariance, [[2.0, 2.0], [2.0, 4.0]])
    with pytest.raises(InputError, match="summary one"):
        spread(made, {"one": dict.fromkeys(DOMAINS, 1 / 12)})


def test_malformed_priors_are_refused():
    with pytest.raises(ValueError, match="symmetric"):
        NamedMatrix(names=("a", "b"), values=((1.0, 0.5), (0.0, 1.0)))
    with pytest.raises(ValueError, match="2 rows"):
        NamedMatrix(names=("a", "b"), values=((1.0, 0.5),))
    with pytest.raises(ValueError, match="above 0"):
        Prior(names=("x",), source="here", df=2, sd={"flat_12": 0.0})


def test_a_plans_power_needs_no_heavy_package():
    code = (
        "import sys; from tools.statistics.power.statement import power_statement;"
        "from tools.statistics.verdict import judge; import tools.statistics.power.priors, scipy.special;"
        "print([m for m in ('pandas', 'statsmodels', 'scipy.stats', 'matplotlib', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
