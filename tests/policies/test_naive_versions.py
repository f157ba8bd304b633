"""What a naive version gets wrong, rule by rule: each property holds here and fails for the naive version beside it.

Rule 1 (weights must reach the loss) is proved in the worker: tests/e2e and tests/training.
"""

from collections import Counter

import numpy as np
import pytest

from policies.apportion import apportion
from policies.base import RolloutBatch
from policies.delivery import effective_sample_size, weight_dose
from policies.prompt_stream import PromptStream
from policies.registry import create, resolve
from policies.scorers import mean_abs_advantage, window_mean
from policies.synthetic import DOMAINS, permuted, simulate
from tests.policies.rollout_batches import graded, mean_over_carrying, policy_of

MATH, LOGIC, SCIENCE = DOMAINS
SELECTORS = ["difffilter", "maxvar", "gfpo", "topk"]
REWEIGHTERS = ["ar", "per", "softmax", "diffband"]
FLAT = graded([[1] * 5, [0] * 5])
MIXED = graded([[0, 0, 0, 1, 1], [0, 1, 1, 1, 1], [1] * 5, [0] * 5], lengths=[[1, 2, 3, 4, 5]] * 2 + [[9] * 5] * 2)


def adam(gradients):
    """Where a parameter that starts at 0 stands after each gradient (Kingma and Ba, 2015; step size .1)."""
    place = first = second = 0.0
    places = []
    for step, gradient in enumerate(gradients, start=1):
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        place -= 0.1 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        places.append(place)
    return places


# Rule 2: zero weights are not "off", and a factor on all weights does nothing.


def test_a_step_of_zero_weights_still_moves_the_parameters_so_a_selector_never_gives_one():
    before, after = adam([1.0, 1.0, 0.0])[-2:]
    assert abs(after - before) > 0.01, "the naive version's step of zero weights is no standstill"
    for name in SELECTORS:
        policy = policy_of(name)
        assert (policy.weights(FLAT, 1) == 1).all(), name
        assert policy.kept_everything, name
    naive = np.where(np.zeros(10, dtype=bool), 1.0, 0.0)
    assert not (naive == 1).all()


def test_a_factor_on_all_weights_is_no_treatment_and_has_no_dose():
    gradients = np.random.default_rng(0).normal(size=50)
    assert adam(gradients * 0.5) == pytest.approx(adam(gradients), rel=1e-4)
    halved = np.full(20, 0.5)
    assert weight_dose(halved, MIXED.advantages) == 0
    assert 0.5 * np.abs(halved - 1).mean() > 0, "a naive distance from 1 would call it a dose"


# Rule 3: mean one over the tokens that count and carry gradient.


@pytest.mark.parametrize("name", [*SELECTORS, *REWEIGHTERS])
def test_the_mean_is_one_over_tokens_with_gradient_where_a_mean_over_rollouts_is_not(name):
    policy = policy_of(name)
    batch = MIXED
    if name == "ar":
        probabilities = np.random.default_rng(1).uniform(0.1, 1, batch.mask.shape)
        batch = batch._replace(log_probs=np.where(batch.mask, np.log(probabilities), 0.0))
    weights = policy.weights(batch, 1)
    assert mean_over_carrying(weights, batch) == pytest.approx(1)
    naive = weights / weights.mean()
    if name != "diffband":  # half of these rollouts are solved: its band holds everything
        assert mean_over_carrying(naive, batch) != pytest.approx(1, abs=1e-3)


def test_the_effective_sample_size_is_kishs():
    weights = policy_of("maxvar").weights(MIXED, 1)
    assert effective_sample_size(weights, MIXED.mask) == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert effective_sample_size(weights, MIXED.mask) == pytest.approx(8)


# Rule 4: a mixture acts before rollout.


def test_choosing_among_exactly_as_many_prompts_as_are_needed_changes_nothing():
    rows = [MATH] * 40 + [LOGIC] * 25 + [SCIENCE] * 15
    shares = {MATH: 0.1, LOGIC: 0.1, SCIENCE: 0.8}
    control = PromptStream(rows, 1).draw(1, 16)
    by_share = sorted(control, key=lambda row: -shares[rows[row]])[:16]
    assert sorted(by_share) == sorted(control), "the naive version: a choice of 16 among 16"
    drawn = Counter(rows[row] for row in PromptStream(rows, 1).draw(1, 16, shares))
    assert drawn == apportion(shares, 16, 1, 1)
    assert drawn[SCIENCE] >= 12


# Rule 5: each mixer gets its own signal.


def learning_step(step: int) -> RolloutBatch:
    """Math rises from .55 to .75 at small advantages, logic lies low and flat, science is flat with large ones."""
    level = {MATH: 0.55 + 0.01 * step, LOGIC: 0.1, SCIENCE: 0.9}
    size = {MATH: 0.3, LOGIC: 0.4, SCIENCE: 0.9}
    domains = np.repeat(DOMAINS, 10)
    return RolloutBatch(
        rewards=np.array([level[name] for name in domains]),
        advantages=np.array([size[name] for name in domains])[:, None] * np.array([1.0, -1.0]),
        log_probs=np.zeros((30, 2)),
        mask=np.ones((30, 2), dtype=bool),
        groups=np.arange(30) // 5,
        domains=domains,
    )


def favourite(policy) -> str:
    for step in range(1, 21):
        policy.observe(learning_step(step), step)
    shares = policy.shares(21)
    return max(shares, key=lambda name: shares[name])


def test_slope_gap_and_advantage_favour_three_different_domains():
    mixers = {name: create(resolve(name), DOMAINS, 1) for name in ("tscl", "reward_gap", "dump_ucb")}
    chosen = {name: favourite(policy) for name, policy in mixers.items()}
    assert chosen == {"tscl": MATH, "reward_gap": LOGIC, "dump_ucb": SCIENCE}


def test_mixers_that_share_one_signal_favour_the_same_domain(monkeypatch):
    chosen = set()
    for name in ("tscl", "reward_gap", "dump_ucb"):
        policy = create(resolve(name, {"scorer": "reward"}), DOMAINS, 1)
        monkeypatch.setattr(policy, "score", lambda p=policy: window_mean(p.window.steps, p.window.means))
        chosen.add(favourite(policy))
    assert chosen == {SCIENCE}, "the naive version: everybody follows the mean reward"


# Rule 6: ties are a seeded draw, and reordering a group of equal rewards is a no-op.


@pytest.mark.parametrize("name", SELECTORS)
def test_what_is_kept_goes_with_the_rollout_and_not_with_the_row(name):
    batch = graded([[0, 0, 1, 1, 1], [0, 1, 1, 1, 1], [0, 0, 0, 0, 1]] * 4)
    order = np.random.default_rng(0).permutation(len(batch.rewards))
    kept = policy_of(name).act(batch, 1)
    assert (policy_of(name).act(permuted(batch, order), 1) == kept[order]).all()


def test_a_stable_sort_gives_the_place_to_whoever_stands_first():
    batch = graded([[0, 0, 0, 1, 1]] * 8)
    order = np.random.default_rng(0).permutation(40)

    def naive(rollouts):
        kept = np.zeros(40, dtype=bool)
        kept[np.argsort(-mean_abs_advantage(rollouts), kind="stable")[:20]] = True
        return kept

    assert (naive(permuted(batch, order)) != naive(batch)[order]).any()


@pytest.mark.parametrize("name", ["maxvar", "gfpo", "topk"])
def test_dropping_rollouts_of_equal_rewards_counts_as_nothing(name):
    batch = graded([[1] * 5, [0] * 5, [1] * 5])
    kept = policy_of(name).act(batch, 1)
    assert kept.mean() < 0.7, "a naive dose, the share of rows that are dropped, would be over 30 %"
    assert weight_dose(kept.astype(float), batch.advantages) == 0


# Rule 7: pure and seeded; state goes through a checkpoint.


def even(step: int) -> dict[str, float]:
    return {MATH: 0.3 + 0.005 * step, LOGIC: 0.5, SCIENCE: 0.6 - 0.004 * step}


@pytest.mark.parametrize("name", ["tscl", "reward_gap", "dump_ucb"])
def test_a_mixer_without_its_state_goes_on_otherwise(name):
    whole, before, resumed, naive = (create(resolve(name), DOMAINS, 2) for _ in range(4))
    expected = [moment.shares for moment in simulate(whole, even, last=30)]
    list(simulate(before, even, last=18))
    resumed.load_state_dict(before.state_dict())
    assert [moment.shares for moment in simulate(resumed, even, first=19, last=30)] == expected[18:]
    assert [moment.shares for moment in simulate(naive, even, first=19, last=30)] != expected[18:]


def test_ties_from_a_global_generator_do_not_repeat():
    batch = graded([[0, 0, 1, 1, 1]] * 8)
    draws = np.random.default_rng()
    naive = [np.lexsort((draws.random(40), -mean_abs_advantage(batch)))[:20].tolist() for _ in range(2)]
    assert naive[0] != naive[1]
    assert (policy_of("topk").act(batch, 5) == policy_of("topk").act(batch, 5)).all()
