"""Rounding: to the nearest for means, outwards for limits, and never a minus zero or a value that is no number."""

from hypothesis import given
from hypothesis import strategies as st

from tools.text import numbers

finite = st.floats(min_value=-100, max_value=100, allow_nan=False)


def test_means_round_to_the_nearest_with_a_plain_sign() -> None:
    assert numbers.signed(0.124) == "+0.12"
    assert numbers.signed(-1.238) == "-1.24"
    assert numbers.signed(-0.004) == "0.00"
    assert numbers.fixed(-0.001) == "0.00"


def test_a_half_rounds_away_from_zero_whatever_arithmetic_left_of_it() -> None:
    assert numbers.fixed(0.225) == numbers.fixed(0.22499999999999998) == "0.23"
    assert numbers.fixed(101.25, 1) == "101.3"
    assert numbers.fixed(-0.225) == "-0.23"


def test_what_is_no_number_is_a_dash() -> None:
    for value in (None, float("nan"), float("inf"), float("-inf")):
        assert numbers.fixed(value) == numbers.signed(value) == numbers.limit(value, "low") == "-"
    assert numbers.interval(None, 1.0) == "-"


def test_limits_round_outwards() -> None:
    assert numbers.interval(-1.491, 0.641) == "[-1.50, 0.65]"
    assert numbers.interval(-1.49, 0.64) == "[-1.49, 0.64]"
    assert numbers.limit(0.1 + 0.2, "high") == "0.30"


def test_a_quantity_of_another_unit_has_its_own_decimals() -> None:
    assert numbers.interval(-12.31, 7.01, 1) == "[-12.4, 7.1]"
    assert numbers.limit(0.0, "low", 1) == "0.0"


def test_a_limit_beside_zero_keeps_its_sign() -> None:
    assert numbers.limit(0.0012, "low") == "0.001"
    assert numbers.limit(-0.0012, "high") == "-0.001"
    assert numbers.limit(0.0, "low") == "0.00"


@given(finite)
def test_a_written_limit_never_excludes_more_than_the_stored_one(value: float) -> None:
    assert float(numbers.limit(value, "low")) <= value + 1e-7
    assert float(numbers.limit(value, "high")) >= value - 1e-7
    assert abs(float(numbers.limit(value, "high")) - value) < 0.01 + 1e-7


@given(st.floats(min_value=1e-5, max_value=100), st.sampled_from([-1, 1]))
def test_which_side_of_zero_a_limit_lies_on_can_be_read(size: float, sign: int) -> None:
    value = sign * size
    assert float(numbers.limit(value, "low")) * sign > 0
    assert float(numbers.limit(value, "high")) * sign > 0


def test_counts_lists_and_settings_read_as_english() -> None:
    assert numbers.counted(1, "seed") == "one seed"
    assert numbers.counted(3, "summary", "summaries") == "three summaries"
    assert numbers.counted(40, "pair") == "40 pairs"
    assert numbers.listed(["a", "b", "c"]) == "a, b and c"
    assert numbers.listed(()) == ""
    assert numbers.percent(1 - 0.05 / 3) == "98.3 %"
    assert numbers.percent(0.95) == "95 %"
    assert numbers.percent(1 - 0.05 / 9999) == "99.999 %", "no interval has a level of 100 %"
    assert numbers.percent(1 - 0.05 / 9999, 2) == "99.999 %"
    assert numbers.percent(0.0003) == "0.03 %", "a few weightings are not none"
    assert [numbers.percent(share) for share in (0.0, 1.0)] == ["0 %", "100 %"]
    assert numbers.points(1.0) == "1.0 point"
    assert numbers.points(0.5) == "0.5 points"
    assert numbers.short(0.0002) == "0.0002"
