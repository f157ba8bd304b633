"""What a sequential design does in the long run: error, power, seeds, its futility rule, the price of going on."""

from math import inf, sqrt
from pathlib import Path

import numpy as np
import pytest

import tools.statistics.sequential
from tests.calibration import frontier
from tests.calibration.studies import least_favourable_error
from tools.plan.sequential_design import SequentialDesign
from tools.statistics.paired import critical_t
from tools.statistics.power.one_summary import detectable_effect
from tools.statistics.power.priors import prior, spread
from tools.statistics.power.simulate import covariance_root
from tools.statistics.sequential.amendment import amended_error, crossing_probability
from tools.statistics.sequential.boundaries import boundaries
from tools.statistics.sequential.characteristics import characteristics
from tools.statistics.sequential.futility import DRAWS, futility_limit, later_crossing
from tools.statistics.sequential.look import look

ALPHA = 0.05
DESIGN = SequentialDesign(n_max=18)
ONE = np.eye(1)


def test_against_twelve_fixed_pairs_the_default_design_saves_seeds_at_full_power():
    """One summary, level <= .05 and power >= .80: at least 35 % fewer seeds at no effect, 15 % at the planned."""
    effect = detectable_effect(12, 1.0, ALPHA, 0.8)
    null = characteristics(DESIGN, np.zeros(1), ONE, ALPHA, np.random.default_rng(1), studies=40_000)
    planned = characteristics(DESIGN, np.full(1, effect), ONE, ALPHA, np.random.default_rng(2), studies=40_000)
    level = null.better + null.worse
    assert level <= ALPHA + 4 * null.share_error(ALPHA)
    assert planned.better >= 0.8
    assert null.mean_n + 4 * null.mean_n_error < 0.65 * 12
    assert planned.mean_n + 4 * planned.mean_n_error < 0.85 * 12
    for found in (null, planned):
        assert sum(found.shares.values()) == pytest.approx(1.0)
        assert sum(found.verdicts.values()) == pytest.approx(1.0)
        assert found.verdicts["supported"] == found.shares["efficacy"] == pytest.approx(found.better + found.worse)
        assert sum(found.ended.values()) == pytest.approx(1.0)
        assert sum(n * share for n, share in found.ended.items()) == pytest.approx(found.mean_n)


def test_the_error_of_the_bounds_alone_is_alpha_and_futility_only_lowers_it():
    bare = SequentialDesign(n_max=18, futility_chance=0.0)
    found = characteristics(bare, np.zeros(1), ONE, ALPHA, np.random.default_rng(3), studies=60_000)
    assert found.better + found.worse == pytest.approx(ALPHA, abs=4 * found.share_error(ALPHA))
    assert found.shares["futility"] == 0.0
    with_futility = characteristics(DESIGN, np.zeros(1), ONE, ALPHA, np.random.default_rng(3), studies=60_000)
    assert with_futility.better + with_futility.worse < found.better + found.worse


def test_at_the_least_favourable_truth_every_summary_errs_by_half_of_alpha_a_direction():
    known = prior("Qwen2.5-7B-base")
    covariance = spread(known, {name: {} for name in known.sd}).covariance
    bare = SequentialDesign(n_max=12, futility_chance=0.0)
    studies = 20_000
    errors = least_favourable_error(bare, covariance, ALPHA, np.random.default_rng(4), studies=studies)
    assert errors.shape == (6,)
    assert errors == pytest.approx(np.full(6, ALPHA / 2), abs=4.5 * sqrt(ALPHA / 2 / studies))


def test_at_no_effect_some_summary_is_claimed_in_at_most_alpha_of_the_studies():
    """`depends_on_summary` or `supported`, read at the stop from repeated intervals at alpha and alpha / S."""
    known = prior("Qwen2.5-7B-base")
    covariance = spread(known, {name: {} for name in known.sd}).covariance
    for design in (SequentialDesign(n_max=12), SequentialDesign(n_max=12, futility_chance=0.0)):
        found = characteristics(design, np.zeros(6), covariance, ALPHA, np.random.default_rng(8), studies=20_000)
        claimed = found.verdicts["supported"] + found.verdicts["depends_on_summary"]
        assert 0.0 < claimed <= ALPHA + 4 * found.share_error(ALPHA)


def test_simulated_studies_are_judged_as_a_person_s_study_is():
    """Every study of a small simulation, run again look by look."""
    covariance = np.array([[1.0, 0.5], [0.5, 2.0]])
    effects, sesoi, studies = np.array([0.7, 0.9]), np.array([0.9, 1.2]), 60
    design = SequentialDesign(n_max=12)
    found = characteristics(design, effects, covariance, ALPHA, np.random.default_rng(5), sesoi=sesoi, studies=studies)
    draws = np.random.default_rng(5).standard_normal((studies, 12, 2)) @ covariance_root(covariance).T + effects
    decisions, pairs = [], []
    for study in draws:
        last = next(one for n in range(1, 13) if (one := look(study[:n], design, ALPHA, sesoi)).stops)
        decisions.append(last.decision)
        pairs.append(last.n)
    assert found.mean_n == pytest.approx(np.mean(pairs))
    assert found.shares == {name: pytest.approx(decisions.count(name) / studies) for name in found.shares}
    assert len(set(decisions)) > 2, "the case is of interest only when studies end in several ways"


def test_the_chance_of_a_later_crossing_is_that_of_futures_drawn_from_the_posterior():
    n, t, draws = 7, 1.3, 40_000
    rng = np.random.default_rng(6)
    bounds = boundaries(DESIGN, ALPHA)
    # SD 1 and mean t / sqrt(n), so that the sum of squares around the mean is n - 1.
    mean = t / sqrt(n)
    theta = mean + -critical_t(n - 1, 2 * DESIGN.futility_confidence - 1) / -sqrt(n)
    sigma = np.sqrt((n - 1) / rng.chisquare(n - 1, draws))
    total, squares = np.full(draws, n * mean), np.full(draws, (n - 1) + n * mean**2)
    crossed = np.zeros(draws, dtype=bool)
    for m in range(n + 1, DESIGN.n_max + 1):
        x = theta + sigma * rng.standard_normal(draws)
        total, squares = total + x, squares + x * x
        crossed |= total / np.sqrt(m * (squares - total**2 / m) / (m - 1)) > bounds[m]
    expected = crossed.mean()
    found = later_crossing(np.array(t), DESIGN, ALPHA, n)
    assert 0.1 < expected < 0.9
    assert found == pytest.approx(expected, abs=4 * sqrt(0.25 / draws + 0.25 / DRAWS))


def test_the_futility_limit_is_where_the_chance_falls_below_the_threshold():
    limits = [futility_limit(DESIGN, ALPHA, n) for n in range(5, 18)]
    assert limits == sorted(limits), "the fewer pairs are left, the larger t must be"
    for n, limit in zip(range(5, 18), limits, strict=True):
        assert later_crossing(np.array(limit), DESIGN, ALPHA, n) >= DESIGN.futility_chance
        assert later_crossing(np.array(limit - 1e-9), DESIGN, ALPHA, n) < DESIGN.futility_chance
        chances = later_crossing(np.linspace(-3, 6, 50), DESIGN, ALPHA, n)
        assert np.all(np.diff(chances) >= 0)
    assert futility_limit(SequentialDesign(n_max=18, futility_chance=0.0), ALPHA, 6) == -inf


def test_the_error_of_a_design_is_the_sum_of_its_first_crossings():
    for design, alpha in ((DESIGN, 0.05), (SequentialDesign(n_max=30, spending="obrien_fleming"), 0.05 / 6)):
        assert crossing_probability(boundaries(design, alpha)) == pytest.approx(alpha, abs=1e-9)
    assert crossing_probability({4: critical_t(3, 0.9)}) == pytest.approx(0.1, abs=1e-12)
    for bounds in ({}, {1: 3.0, 2: 4.0}):
        with pytest.raises(ValueError, match="two pairs or more"):
            crossing_probability(bounds)


@pytest.mark.parametrize(("fixed", "extra"), [(2, 1), (3, 3), (12, 4)])
def test_a_fixed_study_that_adds_seeds_and_looks_again_errs_more_often(fixed, extra):
    """Against simulation; and from 12 pairs on it stays below the known limit of two independent tests."""
    studies = 400_000
    draws = np.random.default_rng(fixed).standard_normal((studies, fixed + extra))
    crosses = np.zeros(studies, dtype=bool)
    for n in (fixed, fixed + extra):
        part = draws[:, :n]
        crosses |= np.abs(part.mean(axis=1)) > critical_t(n - 1, 0.95) * part.std(axis=1, ddof=1) / sqrt(n)
    price = amended_error({fixed: critical_t(fixed - 1, 0.95)}, extra)
    assert price == pytest.approx(crosses.mean(), abs=4 * sqrt(price / studies))
    assert 0.05 < price < 1 - 0.95**2


def test_a_sequential_study_pays_for_an_amendment_too():
    bounds = boundaries(DESIGN, ALPHA)
    prices = [amended_error(bounds, extra) for extra in (1, 3, 9)]
    assert prices == sorted(prices)
    assert all(price > ALPHA for price in prices)
    with pytest.raises(ValueError, match="1 pair or more"):
        amended_error(bounds, 0)


def test_the_prices_in_the_readme_are_what_the_code_says():
    text = (Path(tools.statistics.sequential.__path__[0]) / "README.md").read_text(encoding="utf-8")
    rows = text.split("| pairs added |")[1].splitlines()[2:5]
    looks = [{n: critical_t(n - 1, 0.95)} for n in (3, 5, 12)] + [boundaries(DESIGN, ALPHA)]
    for row in rows:
        extra, *shown = (cell.strip() for cell in row.strip("|").split("|"))
        assert shown == [f"{amended_error(bounds, int(extra)):.3f}"[1:] for bounds in looks]


def test_the_frontier_prints_a_row_for_every_design(capsys, monkeypatch):
    short = (SequentialDesign(n_max=7), SequentialDesign(n_max=8, spending="pocock", futility_chance=0.0))
    monkeypatch.setattr(frontier, "CANDIDATES", short)
    monkeypatch.setattr(frontier, "EVERY_SUMMARY", short)
    monkeypatch.setattr(frontier, "CHOSEN", short[0])
    monkeypatch.setattr(frontier, "TUNED", short[1])
    monkeypatch.setattr(frontier, "SIZES", ((6, 8),))
    assert frontier.main(["50"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("| 5-7 | HSD 1.75 | 20.0% at 80% |") for line in printed) == 1 + len(frontier.PRIORS)
    assert sum(line.startswith("| 5-8 | Pocock | none |") for line in printed) == 1 + len(frontier.PRIORS)
    assert sum("Least favourable truth" in line for line in printed) == len(frontier.PRIORS)
    assert sum(line.startswith("| 6 | 5-8 |") for line in printed) == 2
    assert frontier.main(["many"]) == 2
    assert "whole number" in capsys.readouterr().err
