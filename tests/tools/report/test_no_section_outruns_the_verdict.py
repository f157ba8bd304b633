"""Whatever a report shows beside a verdict is judged by the verdict's own bound and never names a stronger verdict."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.tools.report.report_cases import DELIVERED, NOT_DELIVERED, NOT_RECORDED, WEAK, material, plan
from tests.tools.score_tables import DOMAINS
from tests.tools.score_tables import row as score_row
from tools.evaluation.material import LookRecord, ReportMaterial
from tools.plan.analysis import Analysis
from tools.plan.sequential_design import SequentialDesign
from tools.report.claims.comparison import weak_prefix
from tools.report.claims.facts import facts
from tools.report.claims.sequential import fixed_seeds_warning
from tools.report.claims.titles import verdict_name
from tools.report.sensitivity.sections import WITHHELD
from tools.report.study.build import render
from tools.report.study.sensitivity import REPEATED, StudySensitivity
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.delivery_model import Delivery
from tools.statistics.paired import Critical, fixed
from tools.statistics.sensitivity.build import ComparisonSensitivity
from tools.statistics.sequential.boundaries import boundaries
from tools.statistics.sequential.look import look
from tools.statistics.sequential.repeated import Repeated
from tools.statistics.verdict import judge
from tools.statistics.verdict_model import Comparison, OverallVerdict, Verdict
from tools.text.markdown import text

NAMES = ("tscl", "reward_gap", "dump_ucb")
DESIGN = SequentialDesign(n_min=5, n_max=9)
LATER = SequentialDesign(n_min=5, n_max=14)

STRENGTH: Mapping[OverallVerdict, int] = {
    "invalid_data": 0,
    "treatment_not_delivered": 0,
    "not_estimable": 0,
    "negative_inconclusive": 1,
    "depends_on_summary": 2,
    "negative_equivalent": 3,
    "supported": 4,
}
WORDS: Mapping[str, OverallVerdict] = {
    r"\bbetter than\b": "supported",
    r"\bworse than\b": "supported",
    r"\bbetter\b(?! and)": "supported",
    r"\bsupported\b": "supported",
    r"\bequivalent\b": "negative_equivalent",
    r"\bdepends on the (?:benchmark )?summary\b": "depends_on_summary",
}
HYPOTHETICAL = (
    r'^- Without (seed|benchmark|domain) \S+ the reading would be "',
    r"without them it would read \"",
)
"""What would be so under other circumstances; judged again below."""
DENIED = (
    r"^- That ",
    r"; the verdict says why no claim follows\.$",
    r" No claim rests on that: the verdict reads the pairs that were added since\.$",
    r"on the complete pairs only, but not with every lost pair at its worst possible score",
    r"(better|worse) on the complete pairs alone",
)
"""What a line says is not so, or was seen on the way and gives no claim."""


class Case(NamedTuple):
    """One kind of study."""

    effects: tuple[float, ...]
    spread: float
    design: SequentialDesign | None
    seeds: int
    lost: int
    delivery: Delivery
    collapsed: bool
    unmatched: bool
    amended: bool
    """To a later last look, after the first treatment had stopped."""


class Shown(NamedTuple):
    """A study with the views of its report."""

    material: ReportMaterial
    sensitivity: StudySensitivity

    @property
    def page(self) -> str:
        return render(self.material, {"forest": False, "curves": False}, self.sensitivity)


def drawn(number: int) -> Case:
    """Each number gives another study; the dull combinations are as likely as the others."""
    rng = np.random.default_rng(number)
    sequential = number % 3 > 0
    return Case(
        effects=tuple(rng.choice([0.0, 0.3, 1.0, 2.0, 4.0, 30.0, -2.0, -4.0], rng.integers(1, 4)).tolist()),
        spread=float(rng.choice([0.1, 0.5, 1.5])),
        design=DESIGN if sequential else None,
        seeds=int(rng.integers(3, 9)),
        lost=int(rng.choice([0, 0, 1, 2])),
        delivery=(DELIVERED, DELIVERED, WEAK, NOT_DELIVERED, NOT_RECORDED)[rng.integers(5)],
        collapsed=bool(rng.integers(2)),
        unmatched=bool(rng.random() < 0.1),
        amended=bool(rng.random() < 0.3),
    )


def scores(case: Case, rng: np.random.Generator, seeds: int) -> list[ScoreRow]:
    """Every arm at every seed, normal about its own effect and by benchmark; some runs lost, some collapsed."""
    rows = []
    lost = rng.choice(seeds, min(case.lost, seeds - 1), replace=False) + 1
    for at, effect in enumerate((0.0, *case.effects)):
        arm = ("static", *NAMES)[at]
        values = 50.0 + effect + case.spread * (rng.normal(size=(seeds, len(DOMAINS))) + rng.normal(size=(seeds, 1)))
        if case.collapsed and at == 1:
            values[0, :2] = 1.0
        for seed in range(1, seeds + 1):
            if at != 1 or seed not in lost:
                rows += [
                    score_row(arm, seed, name, float(np.clip(value, 0, 100)), harness="h1")
                    for name, value in zip(DOMAINS, values[seed - 1].tolist(), strict=True)
                ]
    return rows


def study(number: int) -> ReportMaterial:
    """A study with its looks taken, stopped and judged as `tools.evaluation.judging` does."""
    case, rng = drawn(number), np.random.default_rng(1000 + number)
    names = NAMES[: len(case.effects)]
    seeds = LATER.n_max if case.design else case.seeds
    rows = scores(case, rng, seeds)
    if case.design is None:
        made = plan(names, seeds)
        return material(
            dict.fromkeys(names, 0.0), seeds=seeds, rows=tuple(rows), delivery=case.delivery, power=None
        ).model_copy(update={"verdict": judged(made.analysis, rows, names, range(1, seeds + 1), case, fixed)})
    agreed = plan(names, seeds)
    looks, designs, ended = [], {}, {}
    design = case.design
    for name in names:
        looks += taken(name, rows, design, agreed.analysis)
        designs[name], ended[name] = design, looks[-1].blocks if looks and looks[-1].treatment == name else design.n_max
        design = LATER if case.amended else design
    agreed = agreed.model_copy(update={"design": design, "seeds": tuple(range(1, design.n_max + 1))})
    kept = [one for one in rows if one.seed <= ended.get(one.arm, max(ended.values()))]
    found = []
    for name in names:
        own = [one for one in kept if one.seed <= ended[name]]
        bound = Repeated(designs[name])
        found += judged(agreed.analysis, own, (name,), range(1, ended[name] + 1), case, bound).comparisons
    return material(dict.fromkeys(names, 0.0), rows=tuple(kept), power=None).model_copy(
        update={
            "plan": agreed,
            "verdict": Verdict(suite="tiny-12", comparisons=tuple(found)),
            "looks": tuple(looks),
            "designs": designs,
            "exploratory": "the plan was amended" if case.amended else "",
        }
    )


def judged(
    analysis: Analysis,
    rows: Sequence[ScoreRow],
    names: Sequence[str],
    seeds: Iterable[int],
    case: Case,
    critical: Critical,
) -> Verdict:
    mismatches = {names[0]: ("data.seed differs",)} if case.unmatched else {}
    return judge(
        ScoreTable.from_rows(rows),
        "static",
        names,
        analysis,
        dict.fromkeys(names, case.delivery),
        planned_seeds=list(seeds),
        mismatches=mismatches,
        critical=critical,
    )


def taken(name: str, rows: list[ScoreRow], design: SequentialDesign, analysis: Analysis) -> list[LookRecord]:
    """The looks at one treatment until it stops, or until no seed is left."""
    chosen, found, seen = SummaryMatrix.of(analysis.summaries), [], 0
    for block in range(1, design.n_max + 1):
        table = ScoreTable.from_rows([one for one in rows if one.seed <= block])
        if name not in table.arms:
            continue
        pairs = table.paired(name, "static", chosen.benchmarks)
        if (n := len(pairs.seeds)) < design.n_min or (n == seen and block < design.n_max):
            continue
        seen = n
        made = look(chosen.differences(pairs), design, 0.05 / analysis.family_size, analysis.sesois())
        found.append(LookRecord(treatment=name, blocks=block, look=made))
        if made.stops:
            break
    return found


@pytest.fixture(scope="module")
def studies() -> list[Shown]:
    return [Shown(one, StudySensitivity(one)) for one in map(study, range(90))]


def named(line: str) -> int:
    """Strength of the strongest verdict that a line names."""
    return max((STRENGTH[verdict] for word, verdict in WORDS.items() if re.search(word, line)), default=0)


def outrunning(one: Shown) -> Iterator[str]:
    """Lines of the report that name a stronger verdict than the comparison that they are about has.

    A line that names no treatment of several is held against the strongest verdict of the study.
    """
    comparisons = one.material.verdict.comparisons
    about = comparisons
    for line in one.page.splitlines():
        if line.startswith("## "):
            about = tuple(each for each in comparisons if f"Does {each.treatment} beat" in line) or comparisons
        own = tuple(each for each in about if re.match(rf"{each.treatment}, after|\| {each.treatment} ", line)) or about
        hypothetical = any(re.search(pattern, line) for pattern in HYPOTHETICAL)
        denied = any(re.search(pattern, line) for pattern in DENIED)
        if named(line) > max(STRENGTH[each.verdict] for each in own) and not (hypothetical or denied):
            yield f"{[each.verdict for each in own]}: {line}"


def test_no_line_names_a_stronger_verdict_than_its_comparison_has(studies: list[Shown]) -> None:
    assert [line for one in studies for line in outrunning(one)] == []


def test_at_a_weak_dose_no_claim_is_named_without_the_dose(studies: list[Shown]) -> None:
    named = 0
    for one, each, _ in viewed(studies):
        if each.delivery.status == "weak":
            page = "\n".join(part.content for part in one.sensitivity.of_comparison(each))
            claims = re.findall(rf'"([^"]*){each.treatment} (?:better|worse) than static', page.replace("\\_", "_"))
            assert all(before.startswith("at a weak dose") for before in claims)
            named += len(claims)
    assert named


def test_with_nothing_left_out_the_views_say_what_the_verdict_says(studies: list[Shown]) -> None:
    for one, each, found in viewed(studies):
        for side in (found.leave_out, found.collapse.kept):
            assert (side.verdict, side.direction) == (each.verdict, each.direction)
        for name, side in found.collapse.kept.summaries.items():
            assert side.low_family == pytest.approx(each.summaries[name].low_family)
        page = "\n".join(part.content for part in one.sensitivity.of_comparison(each))
        quoted = re.findall(r'(?:The verdict|the comparison reads) "(.+?)"', page)
        assert set(quoted) == {text(f"{weak_prefix(facts(each))}{verdict_name(each)}")}


def test_a_claim_without_one_seed_lies_beyond_the_bound_that_the_verdict_read(studies: list[Shown]) -> None:
    """Judged again here, by hand, from the scores: complete pairs, and lost ones at 0 against 100."""
    claims = 0
    for one, each, found in viewed(studies):
        chosen = SummaryMatrix.of(one.material.plan.analysis.summaries)
        runs: dict[tuple[str, int], list[float]] = {}
        for row in one.material.scores:
            runs.setdefault((row.arm, row.seed), []).append(row.score)
        claimed = [change for change in found.leave_out.kinds[0].changed if change.verdict == "supported"]
        for change in claimed:
            kept = [seed for seed in each.seeds if str(seed) != change.name]
            ours, theirs = (np.array([runs[arm, seed] for seed in kept]) for arm in (each.treatment, "static"))
            controls = np.array([runs["static", seed] for seed in each.lost_seeds]).reshape(-1, len(DOMAINS))
            worst = (0.0 if change.direction == "better" else 100.0) - controls
            sign = 1.0 if change.direction == "better" else -1.0
            complete, filled = ours - theirs, np.vstack([ours - theirs, worst])
            assert beyond(sign * complete @ chosen.weights, one.material, each, len(each.seeds))
            assert beyond(sign * filled @ chosen.weights, one.material, each, len(each.seeds) + len(each.lost_seeds))
        claims += len(claimed)
    assert claims > 5, "the studies have some to judge"


def viewed(studies: Sequence[Shown]) -> Iterator[tuple[Shown, Comparison, ComparisonSensitivity]]:
    """Each comparison that the report shows other views of."""
    for one in studies:
        for each in one.material.verdict.comparisons:
            if one.sensitivity.of_comparison(each):
                yield one, each, one.sensitivity.found[each.treatment]


def beyond(values: NDArray[np.float64], one: ReportMaterial, comparison: Comparison, pairs: int) -> bool:
    """Whether every mean of (n, summaries) is beyond the bound of the verdict's look, or t where that is larger."""
    n, alpha = len(values), 1.0 - comparison.family_confidence
    look_bound = boundaries(one.designs[comparison.treatment], alpha)[pairs] if comparison.repeated else 0.0
    bound = max(look_bound, stats.t.isf(alpha / 2, n - 1))
    return bool((values.mean(axis=0) > bound * values.std(axis=0, ddof=1) / n**0.5).all())


def test_the_leave_out_view_at_five_pairs_turns_at_the_bound_of_that_look() -> None:
    """What Hwang, Shih and DeCani (gamma 1.75) spend at the first of eight looks is all in one t quantile."""
    spent = 0.05 * (1 - np.exp(-1.75 / 8)) / (1 - np.exp(-1.75))
    bound = float(stats.t.isf(spent / 2, 4))
    assert bound == pytest.approx(4.378, abs=1e-3)
    design = SequentialDesign(n_min=5, n_max=12)
    noise = np.array([0.3, -1.1, 0.8, 0.4, -0.4])
    for shown, used in ((noise, True), (noise[1:], False)):
        error = shown.std(ddof=1) / len(shown) ** 0.5
        for ratio, claimed in ((0.999, False), (1.001, True)):
            differences = noise - shown.mean() + ratio * bound * error
            view = of_one_summary(differences, design)
            if used:
                assert (view.leave_out.verdict == "supported") is claimed
                side = view.collapse.kept.summaries["one"]
                assert side.mean - side.low_family == pytest.approx(bound * error)
                (alone,) = (one for one in view.weightings.shares if one.kind == "subsets")
                assert alone.above == float(claimed)
            else:
                base = view.leave_out.verdict == "supported"
                turned = "1" in [one.name for one in view.leave_out.kinds[0].changed]
                assert (base != turned) is claimed, "without the first seed"


def of_one_summary(differences: NDArray[np.float64], design: SequentialDesign) -> ComparisonSensitivity:
    """Of a study with one benchmark."""
    analysis = Analysis(family_size=1, summaries={"one": {"math500": 1.0}}, primary="one")
    made = plan(("tscl",), len(differences)).model_copy(update={"analysis": analysis, "design": design})
    rows = [
        score_row(arm, seed, "math500", 50.0 + value)
        for arm, values in (("static", np.zeros(len(differences))), ("tscl", differences))
        for seed, value in enumerate(values.tolist(), 1)
    ]
    verdict = judge(ScoreTable.from_rows(rows), "static", ["tscl"], analysis, critical=Repeated(design))
    one = material({"tscl": 0.0}, rows=tuple(rows), summaries=analysis.summaries, power=None).model_copy(
        update={"plan": made, "verdict": verdict, "designs": {"tscl": design}}
    )
    return StudySensitivity(one).found["tscl"]


def test_where_a_claim_is_withheld_the_views_of_complete_pairs_say_that_they_do_not_give_it_back(
    studies: list[Shown],
) -> None:
    shown = [(facts(each).withheld, one.sensitivity.of_comparison(each)[0].content) for one, each, _ in viewed(studies)]
    assert any(withheld for withheld, _ in shown)
    assert all((WITHHELD in content) is withheld for withheld, content in shown)


def test_a_sequential_report_says_what_has_no_repeated_interval(studies: list[Shown]) -> None:
    said = 0
    for one, each, _ in viewed(studies):
        page = one.page
        assert (REPEATED in page) is each.repeated
        warned = f"diagnostic, unadjusted, not part of the verdict. {fixed_seeds_warning(facts(each))}"
        assert (warned in page) is each.repeated
        said += each.repeated
    assert said > 20
