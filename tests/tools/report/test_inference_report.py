"""What reports say of the further inference: whole sentences with n and level, nothing for what does not exist."""

import re

import numpy as np
import pytest

from tests.calibration.bca_coverage import measure
from tests.tools.score_tables import analysis, table
from tools.report.scores.across import followed_section
from tools.report.sensitivity import noise_layers as noise_layers_report
from tools.report.sensitivity import pairing as pairing_report
from tools.report.sensitivity import secondary as secondary_report
from tools.report.sensitivity import sign_flip as sign_flip_report
from tools.report.study.spread_sections import noise_section
from tools.scores.summary_matrix import SummaryMatrix
from tools.statistics.sensitivity.bca import FEWEST_PAIRS, bca, measured, resamples_for
from tools.statistics.sensitivity.max_t import joint_differences, max_t
from tools.statistics.sensitivity.noise_layers import QuestionCount, noise_layers, question_counts
from tools.statistics.sensitivity.pairing import pairing
from tools.statistics.sensitivity.secondary import secondary
from tools.statistics.sensitivity.sign_flip import flips_for, sign_flip
from tools.statistics.spread.noise_study import noise_study
from tools.statistics.table.across_models import across_models
from tools.statistics.verdict import judge
from tools.text import numbers

CHOSEN = SummaryMatrix.of(analysis().summaries)


def study(n, effect=0.0, seed=1, sd=1.5):
    rng = np.random.default_rng(seed)
    base = rng.uniform(30, 70, 12) + rng.normal(0, 1, (n, 12))
    arms = {name: base + shift + rng.normal(0, sd, (n, 12)) for name, shift in (("static", 0), ("tscl", effect))}
    arms["topk"] = base + rng.normal(0, sd, (n, 12))
    return table(arms)


def comparisons(scores, k=2):
    return judge(scores, "static", ["tscl", "topk"][:k], analysis(family_size=k)).comparisons


def sections(scores, k=2, **changes):
    """All sections about the first comparison, by name."""
    one = comparisons(scores, k)[0].model_copy(update=changes)
    pairs = scores.paired("tscl", "static", CHOSEN.benchmarks)
    differences, n, names = CHOSEN.differences(pairs), len(pairs.seeds), CHOSEN.summaries
    rng, level = np.random.default_rng(0), one.family_confidence
    flips = flips_for(max(n, 1), rng)
    resamples = resamples_for(n, rng, 999) if n >= FEWEST_PAIRS else None
    joint = joint_differences(scores, "static", ("tscl", "topk"), CHOSEN)
    ours, theirs = pairs.treatment @ CHOSEN.weights, pairs.control @ CHOSEN.weights
    counts = question_counts(scores, ("tscl", "static"), CHOSEN.benchmarks)
    return {
        "flips": sign_flip_report.section(
            sign_flip(differences, names, level, flips),
            bca(differences, names, level, resamples),
            max_t(joint, names, flips if n >= 10 else None) if k > 1 else None,
            one,
        ),
        "pairing": pairing_report.section(pairing(ours, theirs, names, level), one),
        "noise": noise_layers_report.section(noise_layers(pairs, CHOSEN, counts), one),
        "secondary": secondary_report.section(secondary(pairs, one.confidence), one),
        "a/a": noise_section(noise_study({"static 0 - 1": pairs}, CHOSEN, one.confidence)),
    }


def flat(n, by=0.0):
    return table(
        {"static": np.full((n, 12), 50.0), "tscl": np.full((n, 12), 50.0 + by), "topk": np.full((n, 12), 50.0)}
    )


CASES = [
    *(study(n) for n in (1, 2, 3, 7, 8, 10, 17)),
    study(12, effect=1.2),
    study(12, effect=-1.2),
    *(flat(n, by) for n in (1, 2, 3, 9, 12) for by in (0.0, 2.0)),
]


@pytest.mark.parametrize("scores", CASES)
@pytest.mark.parametrize("k", [1, 2])
def test_every_section_is_finished_text_whatever_the_data(scores, k):
    for name, said in sections(scores, k).items():
        assert said.strip() == said != "", name
        assert not re.search(r"\b(nan|None|inf)\b", said), said
        assert re.search(r"\bn = \d|\| +n \|", said), f"{name} says n"
        for block in said.split("\n\n"):
            if not block.startswith("|"):
                assert block.endswith("."), block
                assert "\n" not in block

        assert "  " not in re.sub(r"(?m)^\|.*", "", said)


def test_invalid_data_has_no_number_in_any_section():
    for name, said in sections(study(4), verdict="invalid_data").items():
        if name != "a/a":
            assert said.startswith("The scores cannot be compared")
            assert not re.search(r"\d", said)


def test_few_pairs_say_what_it_takes():
    said = sections(study(3), k=1)["flips"]
    assert "2 / 2^3 = 0.250" in said
    assert "it needs 6 pairs" in said
    assert "is given from 8 pairs on" in said
    assert "more than 58 %" in sections(study(3), k=1)["pairing"]


def test_the_level_and_the_assumption_of_every_method_are_said():
    said = sections(study(12))["flips"]
    assert "97.5 % level (family of 2)" in said
    for part in ("symmetric about their mean", "joint symmetry", "represent the distribution", "normal differences"):
        assert part in said
    assert "both treatments at once (n = 12 seeds" in said
    assert "all 4,096 flips (n = 12)" in said
    assert "10,000 flips, 9,999 of them drawn at random (n = 17)" in sections(study(17))["flips"]


def test_coverage_of_bca_stands_beside_it_at_its_n_and_level():
    cell = measured().nearest(12, 0.95)
    assert (
        f"the 95 % BCa interval covered the true mean in {numbers.percent(cell.bca['normal'])} (normal)"
        in sections(study(12), k=1)["flips"]
    )


def test_the_shipped_coverage_is_what_the_program_measures():
    small, shipped = measure(400, 599), measured()
    assert [(one.n, one.confidence) for one in small.cells] == [(one.n, one.confidence) for one in shipped.cells]
    for mine, theirs in zip(small.cells, shipped.cells, strict=True):
        for shape, share in mine.bca.items():
            assert share == pytest.approx(theirs.bca[shape], abs=0.08)
            assert mine.paired_t[shape] == pytest.approx(theirs.paired_t[shape], abs=0.07)


def test_the_nearest_measured_coverage():
    table_ = measured()
    assert table_.nearest(8, 0.95).n == 8
    assert table_.nearest(19, 1 - 0.05 / 7) == table_.nearest(12, 1 - 0.05 / 8)
    assert table_.nearest(500, 0.95).n == 40
    assert table_.nearest(3, 0.95).n == 8


def test_disagreement_with_the_verdict_is_said_and_is_no_claim():
    scores = study(12, effect=0.6, seed=0)
    one = comparisons(scores)[0]
    names = CHOSEN.summaries
    differences = CHOSEN.differences(scores.paired("tscl", "static", CHOSEN.benchmarks))
    flips = sign_flip(differences, names, one.family_confidence, flips_for(12, np.random.default_rng(0)))
    boot = bca(differences, names, one.family_confidence, None)
    for low, high, expected in ((0.1, 0.9, "no claim rests on that"), (-0.5, 0.9, "It does not exclude zero under")):
        changed = {name: item.model_copy(update={"low": low, "high": high}) for name, item in flips.items()}
        said = sign_flip_report.section(changed, boot, None, one)
        assert expected in said
    assert {item.verdict for item in one.summaries.values()} == {"better", "inconclusive"}, "both can be seen here"


def test_seeds_added_look_by_look_are_warned_of():
    for name in ("flips", "pairing", "secondary"):
        assert "treats n = 5 seed pairs as fixed in advance" in sections(study(5), repeated=True)[name]
        assert "beforehand" not in sections(study(5))[name]


def test_unknown_question_counts_are_said():
    scores = study(4)
    one, pairs = comparisons(scores)[0], scores.paired("tscl", "static", CHOSEN.benchmarks)
    unknown = QuestionCount(questions=None, source="unknown")
    none = dict.fromkeys(CHOSEN.benchmarks, unknown)
    assert "no binomial error can be computed" in noise_layers_report.section(noise_layers(pairs, CHOSEN, none), one)
    some = none | {"gsm8k": QuestionCount(questions=200, source="catalogue")}
    said = noise_layers_report.section(noise_layers(pairs, CHOSEN, some), one)
    assert "200 (catalogue)" in said
    assert "No question count is known for math500, " in said


def test_an_a_a_study_gives_shares_and_no_verdict():
    said = sections(study(6))["a/a"]
    assert "It gives no verdict" in said
    assert re.search(r"\d of 6 intervals over summaries .* and \d+ of 12 intervals over benchmarks", said)
    pairs = study(3).paired("tscl", "static", CHOSEN.benchmarks)
    unmatched = noise_study({"static": pairs}, CHOSEN, 0.95, matched=False)
    assert "data order is part of the noise" in noise_section(unmatched)
    assert "identical runs are suspected" in sections(flat(4))["a/a"]


def model(n=6, effect=2.0, seed=1, sd=0.5):
    return comparisons(study(n, effect, seed, sd))[0]


def test_all_tested_models_is_never_said_of_others():
    said = followed_section(across_models({"0.5B": model(), "3B": model(seed=2)}))
    assert "tscl is better than static on both tested models" in said
    assert "This is not evidence abo" in said
    for wrong in ("in general", "average effect", "pooled"):
        assert wrong not in said


def test_some_models_are_named_and_opposite_claims_told_apart():
    mixed = followed_section(across_models({"0.5B": model(), "3B": model(effect=0.0, sd=2.0), "7B": model(n=1)}))
    assert "No claim holds on all three tested models: one of the three supports one" in mixed
    assert "tscl is better on 0.5B" in mixed
    assert "7B: no such p" in mixed
    opposite = followed_section(across_models({"a": model(), "b": model(effect=-2.0)}))
    assert "models support opposite directions" in opposite
    assert "tscl is better on a and worse on b" in opposite


def test_the_range_has_both_ends_and_no_mean():
    found = across_models({"a": model(), "b": model(effect=0.5, seed=4)})
    said = followed_section(found)
    ends = sorted(one.mean for one in found.models.values())
    assert f"ranges from {numbers.signed(ends[0])} (b) to {numbers.signed(ends[1])} (a) points" in said
    assert "chance included" in said


def test_one_model_says_nothing_across_models():
    assert followed_section(across_models({"a": model()})) == (
        "Only one model was tested (a): no claim across models is possible."
    )


def test_entries_that_differ_in_more_than_the_model_are_called_otherwise():
    found = across_models({"7B (noise)": model(), "7B (main)": model(effect=0.0, sd=2.0)})
    assert "model" not in followed_section(found, noun="setting")
    assert "both tested settings" in followed_section(found, noun="setting")


def test_small_p_values_are_never_written_as_zero():
    assert [numbers.p_value(value) for value in (None, 0.0004, 0.25, 1.0)] == ["-", "4.0e-04", "0.250", "1.000"]
    assert [numbers.every(count, "seed") for count in (1, 2, 3)] == ["the one seed", "both seeds", "all three seeds"]
