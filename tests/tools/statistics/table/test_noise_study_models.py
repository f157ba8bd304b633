"""A/A studies give a spread and a share, no verdict; several models are never averaged."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.tools.score_tables import analysis, table
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import PairedScores
from tools.statistics.paired import paired_t
from tools.statistics.spread.noise_study import noise_study
from tools.statistics.table.across_models import across_models, every_summary_p
from tools.statistics.verdict import judge

CHOSEN = SummaryMatrix.of(analysis().summaries)


def replicates(seed, n, sd=1.0, benchmarks=12):
    rng = np.random.default_rng(seed)
    base = rng.uniform(20, 80, benchmarks) + rng.normal(0, 3, (n, 1))
    return PairedScores(tuple(range(n)), *(base + rng.normal(0, sd, (n, benchmarks)) for _ in range(2)))


def test_one_comparison_has_the_sd_of_its_differences_and_the_paired_t_interval():
    pairs = replicates(1, 5)
    found = noise_study({"static": pairs}, CHOSEN, 0.95)
    differences = CHOSEN.differences(pairs)
    assert (found.pairs, found.df) == ({"static": 5}, 4)
    for at, name in enumerate(CHOSEN.summaries):
        spread, plain = found.summaries[name], paired_t(differences[:, at], 0.95)
        assert spread.sd == pytest.approx(plain.sd)
        assert (spread.intervals, spread.excluding) == (1, int(plain.low > 0 or plain.high < 0))
        low = plain.sd * (4 / stats.chi2.ppf(0.975, 4)) ** 0.5
        assert spread.low_sd == pytest.approx(low)
    assert list(found.benchmarks) == list(CHOSEN.benchmarks)


def test_several_comparisons_are_pooled_around_their_own_means():
    parts = {"static 0 - 1": replicates(2, 4), "static 2 - 3": replicates(3, 6)}
    found = noise_study(parts, CHOSEN, 0.95)
    blocks = [one.treatment - one.control for one in parts.values()]
    squares = sum(((block - block.mean(axis=0)) ** 2).sum(axis=0) for block in blocks)
    assert found.df == 8
    for at, name in enumerate(CHOSEN.benchmarks):
        assert found.benchmarks[name].sd == pytest.approx((squares[at] / 8) ** 0.5)
        assert found.benchmarks[name].intervals == 2


def test_an_a_a_study_excludes_zero_about_as_often_as_its_level_says_and_its_sd_limits_cover():
    """600 comparisons of 4 seeds; the SD of a difference of two replicates of SD 1 is sqrt 2."""
    studies = {str(at): replicates(100 + at, 4) for at in range(600)}
    found = noise_study(studies, CHOSEN, 0.95)
    shares = [one.excluding / one.intervals for one in found.benchmarks.values()]
    assert np.mean(shares) == pytest.approx(0.05, abs=0.01)
    for one in found.benchmarks.values():
        assert one.low_sd < one.sd < one.high_sd
        assert one.sd == pytest.approx(2**0.5, rel=0.08)


def test_identical_replicates_have_sd_zero_and_no_limits():
    pairs = replicates(4, 3)
    found = noise_study({"static": pairs._replace(control=pairs.treatment)}, CHOSEN, 0.95).summaries["flat_12"]
    assert (found.sd, found.low_sd, found.intervals, found.excluding) == (0.0, None, 0, 0)


def test_one_pair_has_no_spread():
    found = noise_study({"static": replicates(5, 1)}, CHOSEN, 0.95)
    assert found.df == 0
    assert (found.summaries["flat_12"].sd, found.summaries["flat_12"].intervals) == (None, 0)


def test_a_comparison_of_one_pair_adds_nothing_to_the_others():
    both = noise_study({"a": replicates(6, 4), "b": replicates(7, 1)}, CHOSEN, 0.95)
    alone = noise_study({"a": replicates(6, 4)}, CHOSEN, 0.95)
    assert both.summaries == alone.summaries


def comparison(differences, k=1, side=1, **changes):
    """Differences by seed, the same on every benchmark but for a little; side -1 swaps the arms."""
    rng = np.random.default_rng(len(differences))
    block = np.asarray(differences, dtype=float)[:, None] + rng.normal(0, 0.02, (len(differences), 12))
    scores = table({"static": np.full(block.shape, 50.0), "tscl": 50.0 + side * block})
    return judge(scores, "static", ["tscl"], analysis(family_size=k)).comparisons[0].model_copy(update=changes)


CLEAR = [2.0, 2.2, 1.9, 2.1, 2.05]
MILD = [0.9, 2.6, 0.1, 2.0, 0.9]
NOTHING = [0.4, -0.5, 0.1, -0.2, 0.3]


def test_p_of_the_every_summary_claim_reaches_alpha_exactly_where_the_verdict_is_supported():
    rng = np.random.default_rng(0)
    seen = set()
    for at in range(60):
        one = comparison(rng.normal(rng.choice([-1.5, 0, 1.5]), 0.6, 5), k=1 + at % 3)
        assert (every_summary_p(one) <= 0.05) == (one.verdict == "supported")
        seen.add(one.verdict)
    assert {"supported", "negative_inconclusive"} <= seen


def test_p_is_the_largest_over_summaries_and_one_where_signs_differ():
    one = comparison(CLEAR, k=3)
    assert every_summary_p(one) == pytest.approx(3 * max(item.p for item in one.summaries.values()))
    flipped = dict(one.summaries)
    flipped["no_math"] = flipped["no_math"].model_copy(update={"mean": -1.0})
    assert every_summary_p(one.model_copy(update={"summaries": flipped})) == 1.0


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "treatment_not_delivered"},
        {"verdict": "invalid_data"},
        {"verdict": "negative_inconclusive", "worst_case": "negative_inconclusive"},
        {"repeated": True},
    ],
)
def test_what_cannot_be_claimed_has_no_p(changes):
    assert every_summary_p(comparison(CLEAR, **changes)) is None


def test_one_seed_has_no_p():
    assert every_summary_p(comparison([2.0])) is None


def test_all_models_need_no_correction_and_must_agree():
    found = across_models({"0.5B": comparison(CLEAR), "3B": comparison(CLEAR), "7B": comparison(MILD)})
    assert found.holds_on_all == "better"
    opposite = across_models({"0.5B": comparison(CLEAR), "7B": comparison([-value for value in CLEAR])})
    assert opposite.holds_on_all is None
    assert opposite.holds_on == {"0.5B": "better", "7B": "worse"}
    assert across_models({"0.5B": comparison(CLEAR), "7B": comparison(NOTHING)}).holds_on_all is None


def test_some_models_are_named_by_holm_over_all_tested_ones():
    from statsmodels.stats.multitest import multipletests

    cases = {"a": comparison(CLEAR), "b": comparison(MILD), "c": comparison(NOTHING), "d": comparison(NOTHING)}
    found = across_models(cases)
    p = [every_summary_p(one) for one in cases.values()]
    assert [one.p_holm for one in found.models.values()] == pytest.approx(multipletests(p, method="holm")[1].tolist())
    assert found.holds_on == {"a": "better"}
    assert p[1] <= 0.05 < found.models["b"].p_holm
    assert found.alone == ("b",)


def test_a_model_without_a_p_counts_among_the_tested_ones():
    alone = across_models({"a": comparison(MILD)})
    beside = across_models({"a": comparison(MILD), "b": comparison([1.0])})
    assert beside.models["b"].p_holm is None
    assert beside.models["a"].p_holm == pytest.approx(2 * alone.models["a"].p_holm)


def test_models_keep_their_own_effects_and_the_order_does_not_matter():
    cases = {"a": comparison(CLEAR), "b": comparison(NOTHING)}
    found, turned = across_models(cases), across_models(dict(reversed(cases.items())))
    assert found.models == turned.models
    primary = cases["a"].summaries["domain_balanced_12"]
    assert (found.models["a"].mean, found.models["a"].low_family) == (primary.mean, primary.low_family)
    assert found.same_summaries


def test_only_one_comparison_of_arms_at_a_time():
    other = comparison(CLEAR).model_copy(update={"treatment": "topk"})
    with pytest.raises(ValueError, match="one treatment"):
        across_models({"a": comparison(CLEAR), "b": other})
    with pytest.raises(ValueError, match="one treatment"):
        across_models({})


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6))
def test_swapped_arms_turn_the_direction(seed):
    values = np.random.default_rng(seed).normal(1.2, 0.5, 5)
    found = across_models({"a": comparison(values), "b": comparison(CLEAR)})
    mirrored = across_models({"a": comparison(values, side=-1), "b": comparison(CLEAR, side=-1)})
    turned = {"better": "worse", "worse": "better", None: None}
    assert mirrored.holds_on_all == turned[found.holds_on_all]
    assert mirrored.holds_on == {model: turned[way] for model, way in found.holds_on.items()}
    assert mirrored.models["a"].p == pytest.approx(found.models["a"].p)
