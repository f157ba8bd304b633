"""The verdict: by enumeration, by example, and by what must not change it."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.score_tables import DOMAINS, analysis, row, rows, table
from tools.scores.table import ScoreTable
from tools.statistics.decision import DECISIONS, decide
from tools.statistics.delivery_model import Delivery
from tools.statistics.paired import critical_t
from tools.statistics.verdict import judge

DELIVERED = Delivery(status="delivered", dose=0.2, minimum_dose=0.05)
NOT_DELIVERED = Delivery(status="not_delivered", dose=0.0, reasons=("dose is zero",))
BASE = [50.0, 52.0, 48.0, 51.0]
LOGIC = np.array([domain == "logic" for domain in DOMAINS.values()])


def compared(treatment, control=BASE, delivery=DELIVERED, **options):
    made = table({"control": control, "treatment": treatment})
    chosen = options.pop("analysis", analysis())
    return judge(made, "control", ["treatment"], chosen, {"treatment": delivery}, **options).comparisons[0]


def shifted(by, noise=(0.1, -0.1, 0.05, -0.05)):
    return [base + by + extra for base, extra in zip(BASE, noise, strict=True)]


def expected_by_the_table(lows, highs, strict_lows, strict_highs, sesoi):
    """The table of the design, written out once more and naively."""
    if all(low > 0 for low in lows) or all(high < 0 for high in highs):
        return "supported"
    some = any(low > 0 or high < 0 for low, high in zip(strict_lows, strict_highs, strict=True))
    opposite = any(low > 0 for low in lows) and any(high < 0 for high in highs)
    if some or opposite:
        return "depends_on_summary"
    limits = np.broadcast_to(sesoi, len(lows))
    if all(-limit < low and high < limit for low, high, limit in zip(lows, highs, limits, strict=True)):
        return "negative_equivalent"
    return "negative_inconclusive"


@pytest.mark.parametrize("sesoi", [0.3, 1.0, 3.0, (0.3, 1.0, 3.0), (3.0, 0.1, 0.3)])
@pytest.mark.parametrize("family", [1, 3])
def test_every_combination_of_intervals_gets_exactly_the_verdict_of_the_table(sesoi, family):
    n = 3
    level, strict = critical_t(n - 1, 1 - 0.05 / family), critical_t(n - 1, 1 - 0.05 / (family * 3))
    kinds = [(m, e) for m in (-2.0, -0.5, 0.0, 0.5, 2.0) for e in (0.01, abs(m) / (0.5 * (level + strict)), 3.0) if e]
    cases = list(itertools.product(sorted(set(kinds)), repeat=3))
    means, errors = np.array(cases).transpose(2, 0, 1)
    found = decide(means, errors, n, 0.95, family, sesoi)
    seen = set()
    for mean, error, code in zip(means, errors, found.code, strict=True):
        wanted = expected_by_the_table(
            mean - level * error, mean + level * error, mean - strict * error, mean + strict * error, sesoi
        )
        assert DECISIONS[code] == wanted
        seen.add(wanted)
    assert seen == set(DECISIONS)


@pytest.mark.parametrize("faulty", [False, True])
@pytest.mark.parametrize("delivery", ["delivered", "weak", "not_delivered", "not_recorded"])
@pytest.mark.parametrize("seeds", [0, 1, 2, 4])
@pytest.mark.parametrize("kind", ["identical", "supported", "equivalent", "unclear"])
def test_invalid_precedes_undelivered_precedes_not_estimable(faulty, delivery, seeds, kind):
    by = {"identical": 0.0, "supported": 5.0, "equivalent": 0.02, "unclear": 0.5}[kind]
    noise = {"identical": (0, 0, 0, 0), "unclear": (9, -9, 6, -6)}.get(kind, (0.1, -0.1, 0.05, -0.05))
    made = rows({"control": BASE[:seeds], "treatment": shifted(by, noise)[:seeds]})
    made += [row(arm, 99, "gsm8k", 50) for arm in ("control", "treatment")]
    if faulty:
        made.append(made[-1])
    found = judge(
        ScoreTable.from_rows(made), "control", ["treatment"], analysis(), {"treatment": Delivery(status=delivery)}
    ).comparisons[0]
    if faulty:
        assert found.verdict == "invalid_data"
        assert all(item.mean is None for item in found.summaries.values())
    elif delivery == "not_delivered":
        assert found.verdict == "treatment_not_delivered"
    elif seeds < 2 or kind == "identical":
        assert found.verdict == "not_estimable"
        assert len(found.faults) == 6
    else:
        assert found.verdict in DECISIONS
        assert found.faults == ()


def test_supported_names_its_direction():
    better, worse = compared(shifted(5)), compared(shifted(-5))
    assert (better.verdict, better.direction, better.negligible) == ("supported", "better", False)
    assert (worse.verdict, worse.direction) == ("supported", "worse")
    assert {item.verdict for item in worse.summaries.values()} == {"worse"}


def test_a_small_but_certain_gain_is_supported_and_negligible():
    found = compared(shifted(0.5))
    assert (found.verdict, found.direction, found.negligible) == ("supported", "better", True)
    assert all(item.negligible for item in found.summaries.values())


def test_no_difference_with_little_noise_is_negative_equivalent():
    found = compared(shifted(0.0))
    assert found.verdict == "negative_equivalent"
    assert {item.verdict for item in found.summaries.values()} == {"equivalent"}


def test_the_smallest_effect_of_interest_may_differ_by_summary():
    """Equivalence needs every interval inside its own limit; one tight limit is enough to leave it open."""
    wide = dict.fromkeys(analysis().summaries, 1.0)
    equivalent = compared(shifted(0.0), analysis=analysis(sesoi=wide))
    assert equivalent.verdict == "negative_equivalent"
    tight = compared(shifted(0.0), analysis=analysis(sesoi=wide | {"no_math": 0.05}))
    assert tight.verdict == "negative_inconclusive"
    assert (tight.summaries["no_math"].verdict, tight.summaries["no_math"].sesoi) == ("inconclusive", 0.05)
    assert tight.summaries["flat_12"].verdict == "equivalent"
    gain = compared(shifted(0.5), analysis=analysis(sesoi=wide | {"no_math": 0.05}))
    assert (gain.verdict, gain.negligible) == ("supported", False)
    assert [name for name, one in gain.summaries.items() if not one.negligible] == ["no_math"]


def test_a_smallest_effect_of_interest_must_be_named_for_every_summary():
    with pytest.raises(ValueError, match="no_math has none"):
        analysis(sesoi={name: 1.0 for name in analysis().summaries if name != "no_math"})
    for value in (0.0, -1.0, 101.0, float("nan")):
        with pytest.raises(ValueError, match="sesoi"):
            analysis(sesoi=value)
    assert analysis(sesoi=1).model_dump() == analysis().model_dump(), "a whole number is the number"


def test_a_family_member_with_invalid_data_counts_in_the_family_and_lends_no_p_value():
    made = rows({"c": BASE, "t": shifted(5), "u": shifted(9)})
    table = ScoreTable.from_rows([*made, row("u", 1, "gsm8k", 50)])
    first, second = judge(table, "c", ["t", "u"], analysis(family_size=2)).comparisons
    assert second.verdict == "invalid_data"
    assert first.summaries["flat_12"].p_holm == pytest.approx(2 * first.summaries["flat_12"].p)


def test_noise_is_negative_inconclusive():
    assert compared(shifted(0.5, (4, -4, 3, -3))).verdict == "negative_inconclusive"


def test_a_gain_in_one_domain_and_a_loss_in_another_depends_on_the_summary():
    base = np.repeat(np.array(BASE)[:, None], 12, axis=1)
    noise = np.array([0.1, -0.1, 0.05, -0.05])[:, None]
    found = compared(base + noise + np.where(LOGIC, -6.0, 3.0), control=base)
    assert found.verdict == "depends_on_summary"
    assert found.best_summary in ("no_logic", "math_heavy_6")
    assert found.worst_summary == "no_science"
    assert found.summaries["no_logic"].verdict == "better"
    assert found.summaries["no_science"].verdict == "worse"
    assert found.direction is None


def test_the_controls_mean_is_of_the_pairs_that_are_judged():
    made = [r for r in rows({"control": BASE, "treatment": shifted(5)}) if (r.arm, r.seed) != ("treatment", 3)]
    found = judge(ScoreTable.from_rows(made), "control", ["treatment"], analysis()).comparisons[0]
    assert found.summaries["flat_12"].control_mean == pytest.approx((50 + 52 + 51) / 3)


def test_the_verdict_reads_the_family_interval_not_the_unadjusted_one():
    values = shifted(1.0, (0.5, -0.5, 0.4, -0.4))
    alone, family = compared(values), compared(values, analysis=analysis(family_size=8))
    assert alone.verdict == "supported"
    assert family.verdict == "negative_inconclusive"
    assert len(family.exclusions_unadjusted) == 6
    assert family.exclusions_expected == pytest.approx(0.3)
    assert family.summaries["flat_12"].low == alone.summaries["flat_12"].low
    assert family.family_confidence == pytest.approx(1 - 0.05 / 8)


def test_a_weak_or_unrecorded_dose_does_not_stop_the_verdict():
    assert compared(shifted(5), delivery=Delivery(status="weak", dose=0.01)).verdict == "supported"
    assert judge(table({"c": BASE, "t": shifted(5)}), "c", ["t"], analysis()).comparisons[0].verdict == "supported"


def test_the_verdict_set_is_computed_on_seeds_complete_for_all_of_its_benchmarks():
    made = [
        r
        for r in rows({"control": BASE, "treatment": shifted(5)})
        if (r.arm, r.seed, r.benchmark) != ("control", 2, "gsm8k")
    ]
    found = judge(ScoreTable.from_rows(made), "control", ["treatment"], analysis()).comparisons[0]
    assert found.seeds == (1, 3, 4)
    assert found.lost_seeds == (2,)
    assert {item.n for item in found.summaries.values()} == {3}, (
        "no_math does not read gsm8k, and still leaves out seed 2"
    )


def test_a_lost_pair_blocks_supported_when_its_worst_score_changes_the_verdict():
    made = [r for r in rows({"control": BASE, "treatment": shifted(5)}) if (r.arm, r.seed) != ("treatment", 4)]
    found = judge(
        ScoreTable.from_rows(made), "control", ["treatment"], analysis(), failures={"treatment": 1},
        planned_seeds=(1, 2, 3, 4),
    ).comparisons[0]  # fmt: skip
    assert found.verdict == found.worst_case == "negative_inconclusive"
    assert found.direction is None
    assert {item.verdict for item in found.summaries.values()} == {"better"}, "the complete pairs are still shown"
    assert found.failures == {"control": 0, "treatment": 1}
    assert any("worst" in note for note in found.notes)


@pytest.mark.parametrize("sesoi", [1.0, 100.0])
def test_filled_in_scores_make_no_claim_of_their_own(sesoi):
    """At its worst the lost pair leaves one summary above zero, and all inside a huge SESOI: neither is a finding."""
    full = rows({"control": BASE, "treatment": shifted(5)})
    gaps = {("treatment", 4, name) for name, domain in DOMAINS.items() if domain == "logic"}
    made = ScoreTable.from_rows([r for r in full if (r.arm, r.seed, r.benchmark) not in gaps])
    chosen = analysis(sesoi=sesoi)
    found = judge(made, "control", ["treatment"], chosen, planned_seeds=(1, 2, 3, 4)).comparisons[0]
    assert (found.verdict, found.worst_case, found.direction) == (
        "negative_inconclusive",
        "negative_inconclusive",
        None,
    )


def test_equivalence_with_a_lost_pair_says_that_it_is_of_the_complete_ones():
    made = [r for r in rows({"control": BASE, "treatment": shifted(0.0)}) if (r.arm, r.seed) != ("treatment", 4)]
    found = judge(ScoreTable.from_rows(made), "control", ["treatment"], analysis(), planned_seeds=(1, 2, 3, 4))
    (one,) = found.comparisons
    assert one.verdict == "negative_equivalent"
    assert any("complete pairs only" in note for note in one.notes)


def test_a_lost_pair_that_changes_nothing_leaves_supported():
    control = [1.0, 1.5] * 10 + [5.0]
    treatment = [90.0, 91.0] * 10 + [95.0]
    made = [r for r in rows({"control": control, "treatment": treatment}) if (r.arm, r.seed) != ("treatment", 21)]
    found = judge(
        ScoreTable.from_rows(made), "control", ["treatment"], analysis(), planned_seeds=range(1, 22)
    ).comparisons[0]
    assert (found.verdict, found.worst_case, found.lost_seeds) == ("supported", "supported", (21,))


def test_a_planned_seed_that_never_ran_is_a_lost_pair_and_an_unpaired_one_of_a_bare_table_is_not():
    full = rows({"control": BASE, "treatment": shifted(5)})
    made = ScoreTable.from_rows([r for r in full if (r.arm, r.seed) != ("treatment", 4)])
    bare = judge(made, "control", ["treatment"], analysis()).comparisons[0]
    assert (bare.verdict, bare.lost_seeds) == ("supported", ())
    assert any("treatment has no run of seed 4" in note for note in bare.notes)
    planned = judge(made, "control", ["treatment"], analysis(), planned_seeds=(1, 2, 3, 4, 5)).comparisons[0]
    assert planned.lost_seeds == (4, 5)


def test_other_mismatches_between_arms_make_the_data_invalid():
    found = compared(shifted(5), mismatches={"treatment": ["learning_rate differs: 1e-6, 2e-6"]})
    assert (found.verdict, found.faults) == ("invalid_data", ("learning_rate differs: 1e-6, 2e-6",))


def test_not_delivered_says_why():
    found = compared(shifted(5), delivery=NOT_DELIVERED)
    assert (found.verdict, found.faults, found.direction) == ("treatment_not_delivered", ("dose is zero",), None)


def test_identical_arms_are_not_estimable_and_suspected():
    found = compared(BASE)
    assert found.verdict == "not_estimable"
    assert "suspected identical runs" in found.faults[0]
    assert any("identical scores" in note for note in found.notes)


def test_an_arm_without_any_score_is_not_estimable():
    found = judge(table({"control": BASE}), "control", ["nobody"], analysis()).comparisons[0]
    assert found.verdict == "not_estimable"
    assert "n = 0" in found.faults[0]


def test_holm_runs_over_the_treatments_of_the_family():
    made = table({"c": BASE, "t": shifted(5), "u": shifted(0.5, (4, -4, 3, -3))})
    first, second = judge(made, "c", ["t", "u"], analysis(family_size=2)).comparisons
    assert first.summaries["flat_12"].p_holm == pytest.approx(2 * first.summaries["flat_12"].p)
    assert second.summaries["flat_12"].p_holm == pytest.approx(second.summaries["flat_12"].p)
    assert first.k == second.k == 2


differences = st.lists(st.lists(st.floats(-20, 20), min_size=12, max_size=12), min_size=2, max_size=5)


@given(differences, st.randoms())
@settings(max_examples=50, deadline=None)
def test_swapping_arms_mirrors_and_relabelling_seeds_or_shifting_both_arms_changes_nothing(values, random):
    treatment = 50 + np.round(np.array(values), 2)
    control = np.repeat(np.arange(len(values), dtype=float)[:, None] + 40, 12, axis=1)
    found = compared(treatment, control=control)
    order = random.sample(range(len(values)), len(values))
    for other in (
        compared(treatment[order], control=control[order]),
        compared(treatment + 1.5, control=control + 1.5),
    ):
        assert (other.verdict, other.direction) == (found.verdict, found.direction)
        for name, item in found.summaries.items():
            assert other.summaries[name].low_family == pytest.approx(item.low_family, abs=1e-8)
    mirrored = compared(control, control=treatment)
    assert mirrored.verdict == found.verdict
    if found.direction:
        assert {found.direction, mirrored.direction} == {"better", "worse"}


def test_values_of_a_public_table():
    """Qwen2.5-0.5B-Instruct, tscl - static, three seeds: summary differences of the public DataFlex-RL runs."""
    published = [-0.28083749999999985, -0.2941624999999993, -0.45333750000000006]
    control = [50.0, 50.0, 50.0]
    made = table({"static": control, "tscl": [50.0 + d for d in published]})
    flat = judge(made, "static", ["tscl"], analysis(family_size=3)).comparisons[0].summaries["flat_12"]
    assert flat.mean == pytest.approx(-0.34, abs=0.005)
    assert (flat.low, flat.high) == (pytest.approx(-0.58, abs=0.005), pytest.approx(-0.10, abs=0.005))
    assert (flat.low_family, flat.high_family) == (pytest.approx(-0.77, abs=0.005), pytest.approx(0.08, abs=0.005))
    assert flat.verdict == "equivalent"
