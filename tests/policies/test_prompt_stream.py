"""The prompts of a step: common to all arms of a seed, without replacement, continued exactly."""

import json
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.errors import InputError
from policies.prompt_stream import PromptStream
from policies.seeding import stable_seed

ROWS = ["math"] * 40 + ["logic"] * 25 + ["science"] * 7
EQUAL = dict.fromkeys(("math", "logic", "science"), 1 / 3)
SKEWED = {"math": 0.75, "logic": 0.125, "science": 0.125}


def test_seeds_are_stable_and_tell_their_parts_apart():
    # first 16 hex digits of `printf '[1, 0, 3]' | sha256sum`, halved
    assert stable_seed(1, 0, 3) == 0xB0B6272265C2733F // 2
    parts = [(1, 0), (10,), ("1", 0), ("a", "b"), ("ab",), ("a,b",), (0, 1), ()]
    assert len({stable_seed(*each) for each in parts}) == len(parts)
    assert all(0 <= stable_seed("x", number) < 2**63 for number in range(200))


def test_the_shares_decide_the_domains():
    drawn = Counter(ROWS[row] for step in range(1, 41) for row in PromptStream(ROWS, 1).draw(step, 16, SKEWED))
    assert drawn["math"] == 40 * 12
    assert drawn["logic"] == drawn["science"] == 40 * 2


def test_a_domain_is_read_without_replacement_then_in_a_fresh_order():
    stream = PromptStream(ROWS, 3)
    only = {"science": 1.0}
    epochs = [[stream.draw(step, 1, only)[0] for step in range(7)] for _ in range(4)]
    assert all(sorted(epoch) == list(range(65, 72)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 4


def test_arms_of_a_seed_meet_a_domains_prompts_in_the_same_order():
    def met(domain, shares):
        stream = PromptStream(ROWS, 4)
        steps = [stream.draw(step, 16, shares) for step in range(1, 4)]
        return [row for step in steps for row in step if ROWS[row] == domain]

    order = [PromptStream(ROWS, 4).draw(1, count, {"logic": 1.0}) for count in range(26)]
    for shares in (EQUAL, SKEWED):
        rows = met("logic", shares)
        assert sorted(rows) == sorted(order[len(rows)])


def test_arms_with_the_same_counts_draw_the_same_rows_in_the_same_places():
    nearly = {"math": 1 / 3 + 1e-9, "logic": 1 / 3, "science": 1 / 3 - 1e-9}
    one, other = PromptStream(ROWS, 5), PromptStream(ROWS, 5)
    assert [one.draw(t, 16, EQUAL) for t in range(1, 30)] == [other.draw(t, 16, nearly) for t in range(1, 30)]


def test_without_shares_the_whole_pool_is_read_once_an_epoch():
    stream = PromptStream(ROWS, 6)
    epochs = [[row for step in range(9) for row in stream.draw(step, 8)] for _ in range(2)]
    assert all(sorted(epoch) == list(range(72)) for epoch in epochs)
    assert epochs[0] != epochs[1]


def test_a_step_may_be_larger_than_a_domain():
    counts = Counter(PromptStream(ROWS, 1).draw(1, 17, {"science": 1.0}))
    assert sorted(counts.values()) == [2, 2, 2, 2, 3, 3, 3]


def test_domains_are_not_laid_out_in_blocks():
    drawn = [ROWS[row] for row in PromptStream(ROWS, 8).draw(1, 30, EQUAL)]
    assert sum(one != other for one, other in pairwise(drawn)) > 8


def test_seeds_differ_and_a_seed_repeats_itself():
    draws = [[PromptStream(ROWS, seed).draw(1, 16, shares) for seed in (1, 1, 2)] for shares in (EQUAL, None)]
    for first, again, other in draws:
        assert first == again != other


@given(
    steps=st.lists(st.tuples(st.integers(0, 30), st.sampled_from([None, EQUAL, SKEWED])), max_size=12),
    stop=st.integers(0, 12),
    seed=st.integers(0, 2**31 - 1),
)
def test_a_stream_continues_from_its_state_as_if_nothing_had_happened(steps, stop, seed):
    whole, before, after = (PromptStream(ROWS, seed) for _ in range(3))
    drawn = [whole.draw(step, total, shares) for step, (total, shares) in enumerate(steps)]
    first = [before.draw(step, total, shares) for step, (total, shares) in enumerate(steps[:stop])]
    after.load_state_dict(json.loads(json.dumps(before.state_dict())))
    rest = [after.draw(step, total, shares) for step, (total, shares) in enumerate(steps) if step >= stop]
    assert first + rest == drawn


def test_another_seeds_or_datas_state_is_refused():
    state = PromptStream(ROWS, 1).state_dict()
    with pytest.raises(InputError, match=r"seed 1 .* cannot continue as seed 2"):
        PromptStream(ROWS, 2).load_state_dict(state)
    with pytest.raises(InputError, match="on data"):
        PromptStream(ROWS[:-1], 1).load_state_dict(state)


def test_what_cannot_be_drawn_is_named():
    with pytest.raises(InputError, match="no domain history; it has logic, math, science"):
        PromptStream(ROWS, 1).draw(1, 4, {"history": 1.0})
    with pytest.raises(InputError, match="no rows"):
        PromptStream([], 1)
    assert PromptStream(ROWS, 1).draw(1, 4, {"history": 0.0, "math": 1.0})
