"""Parameters at the ends of their bounds give finite answers in the first step, and wrong ones one short line."""

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest

from policies.checked import LARGEST, CheckedPolicy
from policies.errors import InputError
from policies.registry import create, get, names, resolve
from policies.scorers import scorer_names
from policies.synthetic import DOMAINS, drifting, simulate
from tests.policies.rollout_batches import graded, mean_over_carrying, policy_of

TINY = 5e-324
"""The smallest float above 0."""
ODD = [float("nan"), float("inf"), 1e309, None, [], {}, "x\ny", "x" * 5000, 10**5000, object(), True]
MIXED = graded(
    [[0, 0, 0, 1, 1], [1] * 5, [0] * 5, [0.5, 0.2, 1.0], [0.3]], [[9, 1, 2, 5, 7], [1] * 5, [9] * 5, [1, 2, 3], [2]]
)
BATCHES = [MIXED, graded([[1] * 5, [0] * 3]), graded([[0.7]]), graded([[0, 1]])]
ENDS: dict[str, list[dict[str, Any]]] = {
    "topk": [{"keep_fraction": end} for end in (TINY, 1)],
    "maxvar": [{"keep_fraction": end} for end in (TINY, 1)],
    "gfpo": [{"k": k, "metric": metric} for k in (1, 4096) for metric in ("efficiency", "short")],
    "difffilter": [{"low": 0, "high": TINY}, {"low": 1, "high": 1, "inclusive": True}, {"low": 0, "high": 1}],
    "ar": [{"alpha": end} for end in (0, 1)],
    "per": [{"alpha": 10, "epsilon": end} for end in (TINY, 1)],
    "softmax": [{"temperature": end} for end in (TINY, 1e-3, 1000)],
    "diffband": [{"focus": 0.001}, {"focus": 1000}, {"low_q": 1, "high_q": 1}, {"low_q": 0, "high_q": 0}],
}
RUNS = [
    (name, ends | ({"scorer": scorer} if scorer else {}))
    for name, many in ENDS.items()
    for ends in many
    for scorer in (scorer_names() if "scorer" in get(name).Parameters.model_fields else ("",))
]


@pytest.mark.parametrize(("name", "parameters"), RUNS)
def test_weights_are_finite_in_float32_and_mean_one(name, parameters):
    policy = policy_of(name, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in BATCHES:
            weights = np.asarray(CheckedPolicy(policy).weights(batch, 1), dtype=np.float32)
            assert np.isfinite(weights).all()
            assert np.isfinite(weights.T * batch.advantages.T).all(), "infinity times an advantage of 0 is NaN"
            if batch.advantages.any():
                assert mean_over_carrying(weights.astype(float), batch) == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("temperature", [1e-3, 1e-5, TINY])
def test_a_solved_group_does_not_push_the_others_out_of_a_sharp_softmax(temperature):
    batch = graded([[1] * 5, [0, 0, 1, 1, 1], [0, 0, 0, 0, 1]])
    weights = policy_of("softmax", scorer="solve_rate", temperature=temperature).weights(batch, 1)
    assert weights[5:10] == pytest.approx(2), "of the groups with gradient, the one that is solved most"
    assert weights[10:] == pytest.approx(0, abs=1e-80)


def test_token_probabilities_next_to_zero_leave_the_range_of_single_precision_at_neither_end():
    batch = graded([[0, 1]])
    log_probs = np.where(batch.advantages > 0, -100.0, 0.0).astype(np.float32)
    batch = batch._replace(log_probs=log_probs, advantages=np.where(batch.advantages > 0, batch.advantages, 0))
    weights = policy_of("ar", alpha=1).weights(batch, 1)
    assert weights.dtype == np.float32
    assert mean_over_carrying(weights, batch) == pytest.approx(1, rel=1e-3)
    assert weights.max() <= LARGEST


def test_scores_that_are_all_small_are_ranked_by_variance_all_the_same():
    """1 / 8190 and 1 / 8192 differ by 3e-8, their variance by 1e-15: no rounding error, and no tie."""
    batch = graded([[0, 1, 0, 1]], [[8190, 8191, 8191, 8192]])
    for seed in range(10):
        kept = policy_of("maxvar", seed, scorer="shortness").act(batch, 1)
        assert kept.tolist() == [True, False, False, True]


@pytest.mark.parametrize("name", ["tscl", "reward_gap", "dump_ucb"])
def test_shares_sum_to_one_and_hold_the_floor(name):
    ends = product((TINY, 1000), (0, 1 / 3), (2, 100_000), (True, False))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for temperature, floor, window, normalise in ends:
            parameters = {"temperature": temperature, "floor": floor, "window": window, "normalise": normalise}
            policy = create(resolve(name, parameters | {"warmup": 2}), DOMAINS, 1)
            for moment in simulate(policy, drifting("middle"), last=6):
                shares = np.array(list(moment.shares.values()))
                assert shares.sum() == pytest.approx(1, abs=1e-9)
                assert shares.min() >= floor - 1e-12


def test_advantages_of_the_kept_are_not_computed_anew_by_what_they_would_change():
    """The kept rollouts of the new advantages would be others than those that the new advantages were made of."""
    with pytest.raises(InputError, match=r"maxvar: .*recompute_advantage changes what scorer=mean_abs_advantage reads"):
        resolve("maxvar", {"recompute_advantage": True, "scorer": "mean_abs_advantage"})
    assert resolve("maxvar", {"scorer": "mean_abs_advantage"})


@pytest.mark.parametrize("name", names())
def test_a_wrong_value_is_told_in_one_short_line(name):
    for key, field in get(name).Parameters.model_fields.items():
        for value in ODD:
            if value is True and field.annotation is bool:
                continue
            with pytest.raises(InputError, match=f"^policy {name}: {key}") as caught:
                resolve(name, {key: value})
            assert "\n" not in str(caught.value)
            assert len(str(caught.value)) < 300


@pytest.mark.parametrize("key", [1, None, "", "a\nb", "x" * 5000])
def test_a_parameter_or_policy_that_nobody_knows_is_told_in_one_short_line(key):
    for spoiled in (lambda: resolve("topk", {key: 1}), lambda: resolve(key)):
        with pytest.raises(InputError, match="unknown") as caught:
            spoiled()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("written", ["TSCL", " tscl ", "Tscl"])
def test_a_name_is_offered_however_it_is_written(written):
    with pytest.raises(InputError, match="did you mean tscl"):
        resolve(written)
