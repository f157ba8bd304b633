"""The bounds of a sequential design hold the error that the spending function gives them, look by look."""

from itertools import pairwise
from math import inf, isfinite, nextafter, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tools.plan.sequential_design import SequentialDesign
from tools.statistics.paired import critical_t
from tools.statistics.sequential import chain
from tools.statistics.sequential.boundaries import LEAST_SPENT, boundaries, spent

FAMILIES = [("power", 1.5), ("hwang_shih_decani", -4.0), ("hwang_shih_decani", 0.0), ("hwang_shih_decani", 2.0)]
FAMILIES += [("obrien_fleming", 1.0), ("pocock", 1.0)]


def _first_crossings(bounds: dict[int, float], paths: int, rng: np.random.Generator) -> dict[int, float]:
    """Share of simulated studies without any effect that cross for the first time at each look."""
    total, squares, going = np.zeros(paths), np.zeros(paths), np.ones(paths, dtype=bool)
    found = {}
    for n in range(1, max(bounds) + 1):
        x = rng.standard_normal(paths)
        total, squares = total + x, squares + x * x
        if n in bounds:
            t = total / np.sqrt(n * (squares - total**2 / n) / (n - 1))
            crosses = going & (np.abs(t) > bounds[n])
            found[n] = float(crosses.mean())
            going &= ~crosses
    return found


@pytest.mark.parametrize(
    ("design", "alpha"),
    [
        (SequentialDesign(n_min=5, n_max=12), 0.05),
        (SequentialDesign(n_min=3, n_max=8, spending="pocock"), 0.05 / 3),
        (SequentialDesign(n_min=5, n_max=24, spending="obrien_fleming"), 0.05),
    ],
)
def test_a_million_simulated_studies_cross_as_often_as_planned(design, alpha):
    """Simulated by mean and sum of squares, the process that the recursion divides the scale out of."""
    paths = 1_000_000
    bounds = boundaries(design, alpha)
    found = _first_crossings(bounds, paths, np.random.default_rng(7))
    used = 0.0
    for n, bound in bounds.items():
        if isfinite(bound):
            planned = spent(design, alpha, n) - used
            used += planned
            assert found[n] == pytest.approx(planned, abs=4 * sqrt(planned / paths)), n
        else:
            assert found[n] == 0.0
    assert sum(found.values()) == pytest.approx(alpha, abs=4 * sqrt(alpha / paths))


@pytest.mark.parametrize(("n", "alpha"), [(3, 0.05), (5, 0.05), (11, 0.01)])
def test_two_looks_agree_with_direct_integration_over_mean_and_sum_of_squares(n, alpha):
    from scipy.optimize import brentq
    from scipy.special import roots_legendre
    from scipy.stats import chi, norm

    design = SequentialDesign(n_min=n, n_max=n + 1)
    first, second = boundaries(design, alpha).values()
    assert first == pytest.approx(critical_t(n - 1, 1.0 - spent(design, alpha, n)), rel=1e-9)

    m = n + 1
    a = 1.0 / m - second**2 * n / (m * (m - 1))

    def discriminant(mean, root):
        """Given mean and root of the sum of squares around it, t^2 > second^2 is a quadratic in the next value."""
        b = 2.0 * n * mean / m * (1.0 + second**2 / (m - 1))
        c = (n * mean) ** 2 / m - second**2 * (root**2 + n * mean**2 / m) / (m - 1)
        return b, b * b - 4.0 * a * c

    # The sign of the discriminant hangs on t at the first look alone: below some t no next value crosses.
    per_t = 1.0 / sqrt(n * (n - 1))
    lowest = brentq(lambda t: discriminant(t * per_t, 1.0)[1], 0.0, first)
    nodes, weights = (array / 2.0 for array in roots_legendre(120))
    nodes = nodes + 0.5
    # The square of the node removes the square root at the lower end.
    t, weights_t = lowest + (first - lowest) * nodes**2, weights * 2.0 * nodes * (first - lowest)
    root, weights_root = nodes[:, None] * (sqrt(n) + 7.0), weights[:, None] * (sqrt(n) + 7.0)
    mean = t * root * per_t
    b, gap = discriminant(mean, root)
    # For bounds above 1 it is crossed between the roots of the quadratic.
    crosses = norm.cdf((b + np.sqrt(gap)) / (-2.0 * a)) - norm.cdf((b - np.sqrt(gap)) / (-2.0 * a))
    density = norm.pdf(mean, scale=n**-0.5) * root * per_t * chi.pdf(root, n - 1)
    found = 2.0 * float(np.sum(weights_root * weights_t * density * crosses))
    assert found == pytest.approx(spent(design, alpha, n + 1) - spent(design, alpha, n), abs=1e-8)


def test_a_finer_grid_changes_no_bound_by_more_than_a_hundred_thousandth(monkeypatch):
    for design, alpha in (
        (SequentialDesign(n_min=3, n_max=15, spending="pocock"), 0.05),
        (SequentialDesign(n_min=4, n_max=40, spending="power", spending_parameter=3.0), 0.05 / 48),
        (SequentialDesign(n_min=5, n_max=150, spending="obrien_fleming"), 0.05 / 8),
    ):
        coarse = boundaries(design, alpha)
        with monkeypatch.context() as finer:
            finer.setattr(chain, "DEGREE", 2 * chain.DEGREE)
            finer.setattr(chain, "NODES", 2 * chain.NODES)
            fine = boundaries(design, nextafter(alpha, 1.0))  # the next float: bounds that are kept are not read
        assert fine == pytest.approx(coarse, abs=1e-5)


@settings(deadline=None, max_examples=50)
@given(
    family=st.sampled_from(FAMILIES),
    start=st.booleans(),
    n_min=st.integers(3, 8),
    looks=st.integers(2, 40),
    alpha=st.floats(1e-4, 0.3),
)
def test_spending_rises_to_alpha(family, start, n_min, looks, alpha):
    design = SequentialDesign(
        n_min=n_min,
        n_max=n_min + looks - 1,
        spending=family[0],
        spending_parameter=family[1],
        spending_starts_at_first_look=start,
    )
    values = [0.0, *(spent(design, alpha, n) for n in design.looks)]
    assert values[-1] == pytest.approx(alpha, rel=1e-12)
    assert all(later > earlier for earlier, later in pairwise(values))


@settings(deadline=None, max_examples=15)
@given(
    family=st.sampled_from(FAMILIES),
    n_min=st.integers(3, 7),
    looks=st.integers(2, 30),
    alpha=st.sampled_from([0.1, 0.05, 0.05 / 8, 0.05 / 48]),
)
def test_a_look_with_too_little_to_spend_is_skipped_and_the_next_has_it(family, n_min, looks, alpha):
    design = SequentialDesign(n_min=n_min, n_max=n_min + looks - 1, spending=family[0], spending_parameter=family[1])
    bounds = boundaries(design, alpha)
    used = 0.0
    for n, bound in bounds.items():
        due = spent(design, alpha, n) - used
        assert (bound == inf) == (due < LEAST_SPENT and n < design.n_max), n
        # No bound is below that of a single look that spends what all looks so far have spent.
        if isfinite(bound):
            used += due
            single = critical_t(n - 1, 1.0 - used)
            assert bound >= single * (1.0 - 1e-9)
    first = next(n for n, bound in bounds.items() if isfinite(bound))
    assert bounds[first] == pytest.approx(critical_t(first - 1, 1.0 - spent(design, alpha, first)), rel=1e-8)


def test_the_last_look_spends_what_is_left_however_little():
    design = SequentialDesign(n_min=5, n_max=9)
    alpha = 5e-5
    bounds = boundaries(design, alpha)
    assert [n for n, bound in bounds.items() if isfinite(bound)] == [9]
    assert bounds[9] == pytest.approx(critical_t(8, 1.0 - alpha), rel=1e-7)


def test_a_smaller_alpha_has_wider_bounds():
    design = SequentialDesign(n_min=5, n_max=20)
    levels = [boundaries(design, alpha) for alpha in (0.1, 0.05, 0.05 / 6, 0.05 / 48)]
    for narrow, wide in pairwise(levels):
        assert all(wide[n] > narrow[n] for n in design.looks)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, float("nan")])
def test_alpha_outside_0_to_1_is_refused(alpha):
    with pytest.raises(ValueError, match="between 0 and 1"):
        boundaries(SequentialDesign(n_max=9), alpha)


@pytest.mark.parametrize(
    "fields",
    [
        {"n_min": 9, "n_max": 9},
        {"n_min": 2, "n_max": 9},
        {"n_max": 10_000},
        {"n_max": 12, "spending": "power", "spending_parameter": 0.0},
        {"n_max": 12, "spending": "linear"},
        {"n_max": 12, "futility_chance": 1.0},
        {"n_max": 12, "futility_confidence": 0.3},
        {"n_max": 12, "looks": 3},
    ],
)
def test_designs_that_make_no_sense_are_refused(fields):
    with pytest.raises(ValidationError):
        SequentialDesign(**fields)
