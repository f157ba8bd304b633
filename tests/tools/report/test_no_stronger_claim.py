"""No section of a report names a stronger verdict than the verdict: whatever is judged again, quoted or left out."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.tools.report.report_cases import DELIVERED, NOT_DELIVERED, WEAK, material, plan, scores
from tools.analyze_scores import analyze_scores
from tools.evaluation.material import ReportMaterial
from tools.plan.sequential_design import SequentialDesign
from tools.report.study.build import render
from tools.report.study.sensitivity import StudySensitivity
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.delivery_model import Delivery
from tools.statistics.sequential.repeated import Repeated
from tools.statistics.verdict import judge
from tools.statistics.verdict_model import Comparison

NO_FIGURES = {"forest": False, "curves": False}
DESIGN = SequentialDesign(n_min=5, n_max=18)


def sequential(
    effect: float, n: int, spread: float, delivery: Delivery = DELIVERED, rows: Sequence[ScoreRow] = ()
) -> ReportMaterial:
    """A sequential study that ended with n pairs, judged as a study is."""
    agreed = plan(seeds=n, design=DESIGN)
    found = tuple(rows) or scores({"tscl": effect}, n, spread)
    verdict = judge(
        ScoreTable.from_rows(found),
        "static",
        ("tscl",),
        agreed.analysis,
        {"tscl": delivery},
        planned_seeds=agreed.seeds,
        critical=Repeated(DESIGN),
    )
    return material({"tscl": effect}, seeds=n, rows=found, plan=agreed, verdict=verdict, designs={"tscl": DESIGN})


def without_runs(rows: Sequence[ScoreRow], lost: int) -> tuple[ScoreRow, ...]:
    """The treatment's runs of the first seeds are lost."""
    return tuple(row for row in rows if row.arm == "static" or row.seed > lost)


def collapsed(rows: Sequence[ScoreRow]) -> tuple[ScoreRow, ...]:
    """The treatment's first run answers nothing."""
    return tuple(row.model_copy(update={"score": 0.0}) if (row.arm, row.seed) == ("tscl", 1) else row for row in rows)


def claims_named(page: str, comparison: Comparison) -> list[str]:
    """Claims on this comparison that a page names; what it says may not be said is left out."""
    said = re.sub(r"^(#+) What may not be said\n.*?(?=^#)", "", page, flags=re.DOTALL | re.MULTILINE)
    names = rf"{comparison.treatment} (?:is )?(?:better|worse) than {comparison.control}"
    quoted = r'"(?:depends on the benchmark summary|negative, equivalent[^"]*)"'
    return re.findall(f"{names}|{quoted}", said)


def check(made: ReportMaterial) -> str:
    """Renders the report of one comparison and holds it to its verdict."""
    page = render(made, NO_FIGURES, StudySensitivity(made))
    (comparison,) = made.verdict.comparisons
    for name in claims_named(page, comparison):
        if comparison.verdict == "supported":
            assert comparison.direction is not None
            if "than" in name:
                assert comparison.direction in name, name
        elif comparison.verdict in ("depends_on_summary", "negative_equivalent"):
            assert "than" not in name, name
        else:
            pytest.fail(f"{comparison.verdict}, and the report names {name!r}")
    return comparison.verdict


EFFECTS = (-4.0, -1.0, -0.4, 0.0, 0.3, 0.6, 1.0, 2.0, 8.0)


@pytest.mark.parametrize("n", [5, 6, 9])
def test_a_sequential_study(n: int) -> None:
    ended = {check(sequential(effect, n, spread)) for effect in EFFECTS for spread in (0.3, 1.0, 2.0)}
    assert {"supported", "negative_inconclusive"} <= ended


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_fixed_study(n: int) -> None:
    ended = {
        check(material({"tscl": effect}, seeds=n, spread=spread)) for effect in EFFECTS for spread in (0.3, 1.0, 2.0)
    }
    assert {"supported", "negative_inconclusive"} <= ended


@pytest.mark.parametrize("delivery", [WEAK, NOT_DELIVERED])
def test_a_treatment_that_was_hardly_or_not_delivered(delivery: Delivery) -> None:
    for effect in EFFECTS:
        check(material({"tscl": effect}, seeds=5, delivery=delivery))
        check(sequential(effect, 6, 0.5, delivery))


@pytest.mark.parametrize("lost", [1, 2])
def test_claims_that_lost_pairs_withhold(lost: int) -> None:
    ended = set()
    for effect in EFFECTS:
        for spread in (0.3, 1.0):
            rows = without_runs(scores({"tscl": effect}, 8, spread), lost)
            for made in (material({"tscl": effect}, seeds=8, rows=rows), sequential(effect, 8, spread, rows=rows)):
                check(made)
                ended.add(made.verdict.comparisons[0].worst_case)
    assert "negative_inconclusive" in ended, "some claim was withheld"


def test_collapsed_runs() -> None:
    flagged = 0
    for effect in EFFECTS:
        for n in (5, 8):
            rows = collapsed(scores({"tscl": effect}, n, 0.5))
            for made in (material({"tscl": effect}, seeds=n, rows=rows), sequential(effect, n, 0.5, rows=rows)):
                check(made)
                flagged += "With and without the collapsed cells" in render(made, NO_FIGURES, StudySensitivity(made))
    assert flagged


def test_what_is_judged_again_reads_the_bound_of_the_look() -> None:
    """The case that was found: five pairs, t = 3.5, beyond the fixed limit of 2.78 and within the look's 4.38."""
    rows, shift = [], np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    mean = 3.5 * shift.std(ddof=1) / 5**0.5
    for row in scores({"tscl": 0.0}, 5, 0.0):
        added = mean + shift[row.seed - 1] if row.arm == "tscl" else 0.0
        rows.append(row.model_copy(update={"score": 50.0 + added}))
    made = sequential(0.0, 5, 0.0, rows=rows)
    assert check(made) == "negative_inconclusive"
    found = StudySensitivity(made).found["tscl"]
    assert found.leave_out.verdict == found.collapse.kept.verdict == "negative_inconclusive"
    side = found.collapse.kept.summaries["flat_12"]
    assert side.mean == pytest.approx(mean)
    assert side.low_family is not None
    bound = (mean - side.low_family) / (shift.std(ddof=1) / 5**0.5)
    # Hwang-Shih-DeCani spending at the first of 14 looks, written out: its two-sided t bound spends just that.
    gamma, share = DESIGN.spending_parameter, 1 / 14
    spent = 0.05 * (1 - np.exp(-gamma * share)) / (1 - np.exp(-gamma))
    assert DESIGN.spending == "hwang_shih_decani"
    assert bound == pytest.approx(stats.t.isf(spent / 2, 4), rel=1e-6)
    assert bound > stats.t.isf(0.025, 4)


def test_a_score_table_with_a_collapsed_run(tmp_path: Path) -> None:
    ended = set()
    for at, effect in enumerate((2.0, 4.0, 6.0)):
        rows = collapsed(scores({"tscl": effect, "topk": 0.0}, 6, 0.3))
        file = tmp_path / f"{at}.csv"
        lines = [f"{row.arm},{row.seed},{row.benchmark},{row.score}" for row in rows]
        file.write_text("\n".join(["arm,seed,benchmark,score", *lines]))
        analysis = analyze_scores([file], treatments=["tscl", "topk"], control="static", out=tmp_path / f"report-{at}")
        judged = next(one for one in analysis.judged if one.comparison.treatment == "tscl")
        page = (tmp_path / f"report-{at}" / "report.md").read_text()
        ended.add(judged.comparison.verdict)
        assert judged.sensitivity is not None
        assert judged.sensitivity.collapse.left.verdict == "supported"
        assert not [name for name in claims_named(page, judged.comparison) if "tscl" in name]
        assert "stronger, not claimed" in page
    assert ended == {"negative_inconclusive"}
