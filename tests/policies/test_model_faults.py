"""Faults of a model are told in one short line, however large the value that is wrong."""

import time

import pytest
from pydantic import ValidationError

from policies.base import PolicySpec
from policies.model import StrictModel, describe_faults
from policies.registry import resolve


class Small(StrictModel):
    count: int
    words: dict[str, str] | None = None


def said(**values: object) -> str:
    with pytest.raises(ValidationError) as caught:
        Small.model_validate(values)
    return describe_faults(caught.value)


def test_a_value_that_refers_to_itself_many_times_over_is_not_written_out():
    bomb: object = ["lol"] * 9
    for _ in range(40):  # what YAML aliases make of nine lines: 9 ** 40 words
        bomb = [bomb] * 9
    start = time.perf_counter()
    told = said(count=bomb)
    assert time.perf_counter() - start < 0.5
    assert len(told) < 200


def test_small_values_are_shown_whole_and_long_ones_cut():
    assert said(count="three").endswith("(got 'three')")
    assert said(count=1, words={"a": 2}).endswith("(got 2)")
    told = said(count="x" * 5000)
    assert "'xxx" in told
    assert len(told) < 200


def test_a_specs_text_has_one_order_fresh_or_loaded():
    fresh = resolve("tscl")
    loaded = PolicySpec(name="tscl", parameters=dict(sorted(fresh.parameters.items())))
    assert list(fresh.parameters) != list(loaded.parameters)
    assert str(fresh) == str(loaded)
