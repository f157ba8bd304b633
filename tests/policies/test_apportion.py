"""Shares become whole prompts by systematic sampling: exact in sum and on average, common across arms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.apportion import apportion
from policies.errors import InputError

THIRDS = dict.fromkeys(("math", "logic", "science"), 1 / 3)


@st.composite
def share_maps(draw):
    ratios = draw(st.lists(st.floats(0, 1e6), min_size=1, max_size=8).filter(lambda xs: sum(xs) > 1e-3))
    return {f"d{place}": ratio / math.fsum(ratios) for place, ratio in enumerate(ratios)}


@given(share_maps(), st.integers(0, 100_000), st.integers(0, 2**31 - 1), st.integers(1, 100_000))
def test_counts_sum_to_the_total_and_stay_within_one_of_the_share(shares, total, seed, step):
    counts = apportion(shares, total, seed, step)
    assert sum(counts.values()) == total
    for name, share in shares.items():
        assert abs(counts[name] - share * total) < 1 + 1e-6
        assert counts[name] >= 0


@given(share_maps(), st.integers(0, 500), st.integers(0, 1000), st.integers(1, 1000), st.randoms())
def test_the_order_in_which_domains_are_named_does_not_matter(shares, total, seed, step, random):
    items = list(shares.items())
    random.shuffle(items)
    assert apportion(dict(items), total, seed, step) == apportion(shares, total, seed, step)


def test_the_average_is_the_share_itself_also_where_largest_remainder_never_gives_one():
    # 16 prompts at share 1/64 are a quarter of a prompt: largest remainder would give none in any step.
    shares = {"rare": 1 / 64, "b": 0.3, "c": 1 - 0.3 - 1 / 64}
    steps = 4000
    rare = np.array([apportion(shares, 16, 5, step)["rare"] for step in range(steps)])
    assert set(rare.tolist()) == {0, 1}
    assert abs(rare.mean() - 0.25) < 4 * math.sqrt(0.25 * 0.75 / steps)


def test_an_inert_mixer_draws_its_controls_counts():
    nearly = {"math": 0.3337, "logic": 0.3333, "science": 0.3330}
    same = [apportion(nearly, 16, 1, step) == apportion(THIRDS, 16, 1, step) for step in range(1, 1001)]
    assert np.mean(same) > 0.97


def test_float_dust_in_the_shares_changes_no_count():
    dusty = {"math": 1 / 3 + 1e-13, "logic": 1 / 3, "science": 1 / 3 - 1e-13}
    assert all(apportion(dusty, 15, 1, step) == apportion(THIRDS, 15, 1, step) for step in range(1, 1001))


def test_no_domain_is_favoured_by_its_place():
    steps = [apportion(THIRDS, 16, 9, step) for step in range(1, 3001)]
    totals = [sum(counts[name] for counts in steps) for name in THIRDS]
    assert max(totals) - min(totals) < 0.01 * 16000


def test_steps_and_seeds_draw_on_their_own():
    assert len({tuple(apportion(THIRDS, 16, 1, step).items()) for step in range(30)}) == 3
    assert [apportion(THIRDS, 16, 1, t) for t in range(20)] != [apportion(THIRDS, 16, 2, t) for t in range(20)]


@pytest.mark.parametrize(
    "shares", [{}, {"a": 0.5, "b": 0.4}, {"a": 1.5, "b": -0.5}, {"a": float("nan"), "b": 1.0}, {"a": float("inf")}]
)
def test_what_is_no_distribution_is_refused(shares):
    with pytest.raises(InputError, match="domain shares must"):
        apportion(shares, 16, 1, 1)


def test_a_negative_total_is_refused():
    with pytest.raises(InputError, match="-1"):
        apportion(THIRDS, -1, 1, 1)


def test_any_two_domains_can_get_the_odd_prompts_of_one_step():
    # in one fixed order, steps would only ever give one each to the first and third, or the second and fourth
    quarters = dict.fromkeys("abcd", 1 / 4)
    pairs = {"".join(name for name, n in apportion(quarters, 2, 3, step).items() if n) for step in range(200)}
    assert pairs == {"ab", "ac", "ad", "bc", "bd", "cd"}
