"""Power before anything runs: check values of the design document, the curve, budgets, spreads from anywhere."""

import numpy as np
import pytest

from policies.errors import BudgetError, InputError
from tools.design_power import EVERY_SUMMARY, PowerQuestion, design_power
from tools.evaluation.pilots import pilot_spread
from tools.plan.analysis import Analysis
from tools.report.claims.power import spread_sentence
from tools.statistics.power.curve import power_curve
from tools.statistics.power.priors import prior
from tools.statistics.random_streams import rng_for
from training.benchmarks.catalog import suite

DOMAINS = {row.id: row.domain for row in suite("tiny-12")}


def ask(**fields):
    return design_power(PowerQuestion(**fields))


@pytest.mark.parametrize(("sesoi", "pairs"), [(1.0, 17), (0.5, 61)])
def test_an_sd_of_ones_own_gives_the_pairs_of_the_design_document(sesoi, pairs):
    """SD 1.37 needs 17 pairs for 1.0 point, 61 for 0.5."""
    assert ask(sd={EVERY_SUMMARY: 1.37}, sesoi=sesoi).power.seeds_needed_primary == pairs


@pytest.mark.parametrize(("sd", "pairs"), [(0.70, 8), (1.37, 22), (2.79, 84)])
def test_equivalence_within_one_point_takes_the_pairs_of_the_design_document(sd, pairs):
    """One summary, true effect 0, 80 %: told by a question about one summary alone."""
    analysis = Analysis(family_size=1, primary="flat", summaries={"flat": {"a": 1.0}})
    given = prior("tiny-cpu").model_copy(update={"sd": {"flat": sd}, "correlation": None, "df": None})
    near = power_curve([pairs - 1, pairs], analysis, given, rng_for("x", "power"))
    assert [round(point.probability_equivalent >= 0.8) for point in near] == [0, 1]


def test_the_curve_rises_and_its_points_are_those_of_a_full_answer():
    found = ask(model="Qwen2.5-0.5B-Instruct", sesoi=0.5, seeds=(18, 5, 46))
    assert [point.n for point in found.curve] == [5, 18, 46]
    assert found.power.n == 18
    shown = [point.probability_supported for point in found.curve]
    assert shown == sorted(shown)
    assert [point.detectable_supported for point in found.curve] == sorted(
        (point.detectable_supported for point in found.curve), reverse=True
    )
    middle = found.curve[1]
    assert middle.probability_supported == found.power.probability_supported
    assert middle.detectable_supported_upper == found.power.detectable_supported_upper
    assert middle.power_primary == found.power.power_primary
    assert middle.probability_equivalent == found.power.verdicts_at_zero["negative_equivalent"]


def test_a_curve_of_its_own_choice_holds_what_it_takes():
    found = ask(model="Qwen2.5-0.5B-Instruct")
    pairs = {point.n: point for point in found.curve}
    assert pairs[found.power.seeds_needed_supported].probability_supported >= 0.8
    assert pairs[found.power.seeds_needed_supported - 1 if found.power.seeds_needed_supported > 13 else 12]
    assert pairs[found.power.seeds_needed_negative_equivalent].probability_equivalent >= 0.8


def test_a_budget_that_cannot_answer_says_so_with_every_way_out():
    found = ask(model="Qwen2.5-0.5B-Instruct", sesoi=0.5, budget=1000.0, hours_per_run=16.0)
    assert found.power.n == 31
    assert not found.answers
    (line,) = found.shortfalls
    for part in (
        "a plan within this budget is underpowered",
        "more seeds: about 44 pairs, 88 runs, 1,408 GPU-hours at 16 a run",
        "a larger effect: ",
        "a less variable primary summary: no_science alone needs 14 pairs, domain_balanced_12 alone 18",
    ):
        assert part in line
    assert "a pilot" not in line  # 22 degrees of freedom: it would teach little


def test_a_budget_that_answers_has_no_shortfall():
    found = ask(model="Qwen2.5-0.5B-Instruct", sesoi=2.0, budget=1000.0, hours_per_run=16.0)
    assert found.answers
    assert found.shortfalls == ()


@pytest.mark.parametrize(
    ("fields", "error", "said"),
    [
        ({"budget": 10.0, "model": "Qwen2.5-7B"}, InputError, "a budget says nothing without a price"),
        ({"budget": 1.0, "hours_per_run": 16.0}, BudgetError, "give at least 32"),
        (
            {"budget": 64.0, "hours_per_run": 16.0, "seeds": (5,)},
            BudgetError,
            "5 pairs cost more than the budget of 64",
        ),
        ({"sd": {EVERY_SUMMARY: 1.0}, "model": "Qwen2.5-7B"}, InputError, "--sd and --model both say"),
        ({"sd": {"flat_12": 1.0}}, InputError, "no SD for domain_balanced_12"),
        ({"sd": {"flat": 1.0, EVERY_SUMMARY: 1.0}}, InputError, "unknown summary 'flat'"),
        ({"sd": {EVERY_SUMMARY: 0.0}}, InputError, "an SD of 0 is out of range"),
        ({"sesoi": 0.0}, InputError, "smallest effect of interest 0 is out of range"),
        ({"confidence": 2.0}, InputError, "confidence 2 is out of range"),
        ({"sd_df": 3}, InputError, "--sd-df 3 belongs to --sd"),
        ({"model": "Qwen9"}, InputError, "use one of"),
        ({"seeds": (0,)}, InputError, "0 seeds cannot be judged"),
        ({"seeds": tuple(range(2, 80))}, InputError, "78 numbers of seeds are too many"),
        ({"pilot": "no-such-pilot"}, InputError, "no-such-pilot"),
    ],
)
def test_what_cannot_be_answered_is_said_with_the_value(fields, error, said):
    with pytest.raises(error) as raised:
        ask(**fields)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_one_seed_gives_no_interval_and_no_nan():
    found = ask(seeds=(1,))
    assert found.curve[0].half_width is None
    assert found.curve[0].probability_supported == 0.0
    assert "one seed gives no interval" in found.shortfalls[0]


def pilot_file(folder, rng, models=("small", "large"), sds=(0.5, 3.0)):
    """An arm + seed model on twelve benchmarks, one SD a model."""
    names = list(DOMAINS)
    lines = [",".join(["model", "method", "seed", *names])]
    for model, sd in zip(models, sds, strict=True):
        for arm in ("baseline", "tscl", "static"):
            for seed in range(1, 13):
                scores = 50 + sd * rng.standard_normal(len(names))
                lines.append(",".join([model, arm, str(seed), *(f"{score:.4f}" for score in scores)]))
    path = folder / "pilot.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_pilots_table_gives_its_spread_and_a_model_picks_its_cells(tmp_path):
    path = pilot_file(tmp_path, np.random.default_rng(7))
    small = pilot_spread(str(path), "small")
    assert small.prior.df == 22
    # twelve independent benchmarks: the flat mean's difference has SD 0.5 * sqrt(2 / 12)
    assert small.prior.sd["flat_12"] == pytest.approx(0.5 * (2 / 12) ** 0.5, rel=0.4)
    both = pilot_spread(str(path))
    assert both.prior.df == 44
    assert "2 cells of the pilot are pooled" in both.notes[0]
    found = ask(pilot=str(path), model="small", seeds=(5,))
    assert found.power.prior_df == 22
    assert found.price is None
    with pytest.raises(InputError, match="its models are large, small"):
        pilot_spread(str(path), "medium")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda row: [*row[:3], *(str(float(one) / 100) for one in row[3:])], "fractions among percent"),
        (lambda row: [*row[:3], "1000", *row[4:]], "outside 0..100"),
        (lambda row: ["\n".join([",".join(row)] * 2)], "duplicate scores"),
    ],
)
def test_a_pilot_that_gives_no_verdict_gives_no_spread_either(tmp_path, change, fault):
    """One run in fractions made the SD twenty times as large, without a word."""
    path = pilot_file(tmp_path, np.random.default_rng(7))
    head, first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([head, ",".join(change(first.split(","))), *rest]))
    with pytest.raises(InputError, match=fault):
        pilot_spread(str(path), "small")


def test_a_pilot_with_benchmarks_of_ones_own_is_read_as_analyze_reads_it(tmp_path):
    rows = [
        f"{arm},{seed},{50 + (seed * (of + 1)) % 4},{60 + (seed * (of + 2)) % 3}"
        for of, arm in enumerate("ab")
        for seed in range(1, 6)
    ]
    path = tmp_path / "own.csv"
    path.write_text("\n".join(["arm,seed,chess,go", *rows]))
    found = ask(pilot=str(path), seeds=(8,))
    assert list(found.power.summaries) == ["flat", "no_chess", "no_go"]
    assert "each benchmark is left out in turn" in found.notes[0]


def test_one_sd_for_all_summaries_is_told_as_what_it_is():
    found = ask(sd={EVERY_SUMMARY: 1.37}, seeds=(8,))
    assert "(the same under every summary): SD 1.37" in spread_sentence(found.power)
    assert "usually vary more" in found.notes[0]


def test_the_same_question_gives_the_same_numbers():
    assert ask(seeds=(8,)) == ask(seeds=(8,))
