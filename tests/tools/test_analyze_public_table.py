"""The public table of 171 GRPO runs (DataFlex-RL, haolpku/DataFlex-RL) against values computed apart from this code."""

from collections import Counter

import pytest

from tests.tools.public_runs import NEEDED, PUBLIC
from tools.analyze_scores import analyze_scores

pytestmark = NEEDED


@pytest.fixture(scope="module")
def analysis():
    return analyze_scores([PUBLIC])


def found(analysis, campaign, model, treatment):
    return next(
        one
        for one in analysis.judged
        if (one.group["campaign"], one.group["model"], one.comparison.treatment) == (campaign, model, treatment)
    ).comparison


@pytest.mark.parametrize(
    ("campaign", "model", "treatment", "summary", "mean", "half"),
    [
        ("mixer", "Qwen2.5-0.5B-Instruct", "tscl", "domain_balanced_12", -0.42, 0.60),
        ("mixer", "Qwen2.5-0.5B-Instruct", "tscl", "no_science", -0.34, 0.24),
        ("main", "Qwen2.5-0.5B-Instruct", "diffband", "domain_balanced_12", -0.72, 0.60),
        ("main", "Qwen2.5-7B-Instruct", "gfpo", "domain_balanced_12", 1.11, 2.02),
    ],
)
def test_means_and_half_widths(analysis, campaign, model, treatment, summary, mean, half):
    one = found(analysis, campaign, model, treatment).summaries[summary]
    assert one.mean == pytest.approx(mean, abs=0.005)
    assert (one.high - one.low) / 2 == pytest.approx(half, abs=0.005)


def test_p_and_holm_over_the_eight_treatments_of_the_control(analysis):
    one = found(analysis, "main", "Qwen2.5-0.5B-Instruct", "diffband")
    assert one.k == 8
    assert one.summaries["domain_balanced_12"].p == pytest.approx(0.035, abs=0.0005)
    assert one.summaries["domain_balanced_12"].p_holm == pytest.approx(0.28, abs=0.005)


def test_forty_five_comparisons_none_of_which_excludes_zero_everywhere_and_nine_somewhere(analysis):
    comparisons = [one.comparison for one in analysis.judged]
    assert len(comparisons) == 45
    assert Counter(one.verdict for one in comparisons) == {"negative_inconclusive": 45}
    somewhere = [one for one in analysis.judged if one.comparison.exclusions_unadjusted]
    assert len(somewhere) == 9
    shared = Counter((*one.group.values(), one.comparison.control) for one in somewhere)
    assert max(shared.values()) == 4
    assert not any(len(one.exclusions_unadjusted) == len(one.summaries) for one in comparisons)


def test_collapsed_science_cells_of_the_7b_runs_are_flagged(analysis):
    flagged = {
        (*cell.group.values(), cell.table.arms[one.cell.arm], cell.table.seeds[one.cell.seed])
        for cell in analysis.cells
        for one in cell.collapsed.cells
        if cell.table.benchmarks[one.cell.benchmark] in ("mmlu_pro_chemistry", "mmlu_pro_physics")
    }
    assert {place[1] for place in flagged} == {"Qwen2.5-7B-Instruct"}
    assert len(flagged) >= 9, "of the 11 that are known; long_training has too few runs for the rule on distance"
