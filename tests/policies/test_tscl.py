"""tscl: shares follow the slope of each domain's reward, and its defaults act on realistic rewards."""

import json

import numpy as np
import pytest

from policies.apportion import apportion
from policies.domain_window import DomainWindow
from policies.errors import InputError
from policies.registry import create, resolve
from policies.scorers import abs_slope
from policies.synthetic import DOMAINS, DRIFTS, PROMPTS, STEPS, drifting, simulate, steps_changed
from tests.policies.rollout_batches import after, step_of

MATH, LOGIC, SCIENCE = DOMAINS


def tscl(**parameters):
    return create(resolve("tscl", parameters), DOMAINS, seed=1)


def test_the_domain_that_moves_gets_the_prompts_upwards_or_downwards():
    for sign in (+1, -1):
        shares = after(tscl(), lambda t, sign=sign: {MATH: 0.5 + sign * 0.01 * t, LOGIC: 0.5, SCIENCE: 0.5})
        assert shares[MATH] > 0.6
        assert shares[LOGIC] == pytest.approx(shares[SCIENCE])


def test_the_formula_by_hand_without_normalising():
    policy = tscl(normalise=False, temperature=0.01, floor=0.05)
    shares = after(policy, lambda t: {MATH: 0.02 * t, LOGIC: 0.3 + 0.01 * t, SCIENCE: 0.5})
    raised = np.exp(np.array([0.02, 0.01, 0.0]) / 0.01)
    expected = 0.05 + 0.85 * raised / raised.sum()
    assert [shares[name] for name in DOMAINS] == pytest.approx(expected.tolist())


def test_the_formula_by_hand_with_normalising_on_a_steady_signal():
    shares = after(tscl(), lambda t: {MATH: 0.02 * t, LOGIC: 0.3 + 0.01 * t, SCIENCE: 0.5}, steps=30)
    slopes = np.array([0.02, 0.01, 0.0])
    raised = np.exp(slopes / slopes.std())
    assert [shares[name] for name in DOMAINS] == pytest.approx((0.05 + 0.85 * raised / raised.sum()).tolist())


def test_the_size_of_the_slopes_does_not_matter_when_normalised():
    steep = after(tscl(), lambda t: {MATH: 0.01 * t, LOGIC: 0.5, SCIENCE: 0.5})
    shallow = after(tscl(), lambda t: {MATH: 0.0001 * t, LOGIC: 0.5, SCIENCE: 0.5})
    assert steep == pytest.approx(shallow)


def test_the_warm_up_has_equal_shares_and_the_next_step_acts():
    policy = tscl(warmup=6)
    for step in range(1, 7):
        assert policy.shares(step) == dict.fromkeys(DOMAINS, 1 / 3)
        policy.observe(step_of({MATH: 0.05 * step, LOGIC: 0.5, SCIENCE: 0.5}), step)
    assert policy.shares(7)[MATH] > 0.5


def test_the_window_is_in_steps_and_forgets():
    def curve(t):
        return {MATH: min(0.02 * t, 0.3), LOGIC: 0.5 + max(0, t - 20) * 0.02, SCIENCE: 0.5}

    shares = after(tscl(window=5), curve, steps=30)
    assert shares[LOGIC] > 0.6 > shares[MATH]


def test_step_means_count_alike_however_many_rollouts_a_step_has():
    window = DomainWindow(DOMAINS, 10)
    for step, rows in ((1, 5), (2, 500), (3, 5)):
        batch = step_of({MATH: 0.1 * step, LOGIC: 0.2, SCIENCE: 0.3}, rows=rows)
        window.add(step, batch.rewards, batch.domains)
    assert window.means[:, 0] == pytest.approx([0.1, 0.2, 0.3])
    assert window.counts[:, 0].tolist() == [5, 500, 5]
    assert abs_slope(window.steps, window.means) == pytest.approx([0.1, 0, 0], abs=1e-12)


def test_the_slope_agrees_with_numpys_line_and_skips_steps_without_rollouts():
    rng = np.random.default_rng(3)
    steps, values = np.arange(5.0, 15.0) ** 1.5, rng.random((10, 4))
    values[rng.random((10, 4)) < 0.3] = np.nan
    values[1:, 2], values[:, 3] = np.nan, np.nan
    slopes = abs_slope(steps, values)
    for column in (0, 1):
        seen = ~np.isnan(values[:, column])
        assert slopes[column] == pytest.approx(abs(np.polyfit(steps[seen], values[seen, column], 1)[0]))
    assert np.isnan(slopes[2:]).all()


def test_a_domain_without_evidence_counts_as_the_mean_of_the_others():
    policy = tscl()
    for step in range(1, 12):
        policy.observe(step_of({MATH: 0.02 * step, LOGIC: 0.5}), step)
    shares = policy.shares(12)
    assert shares[MATH] > shares[SCIENCE] > shares[LOGIC]


def test_a_domain_unknown_to_the_policy_is_named():
    with pytest.raises(InputError, match="unknown domain history"):
        tscl().observe(step_of({"history": 0.5}), 1)


def test_state_is_plain_json_and_belongs_to_its_domains():
    policy = tscl()
    after(policy, lambda t: {MATH: 0.01 * t, LOGIC: 0.5}, steps=8)
    state = json.loads(json.dumps(policy.state_dict(), allow_nan=False))
    other = create(resolve("tscl"), ("a", "b", "c"), seed=1)
    with pytest.raises(InputError, match="policy state is of domains"):
        other.load_state_dict(state)


def test_the_default_is_not_inert_on_the_rewards_of_the_tiny_recipe():
    """16 prompts x 5 rollouts, three domains, 60 steps, mean reward .45 -> .6 (middle); beside it the study's."""
    ours = {name: np.mean([steps_changed(tscl(), drifting(name), seed=s) for s in range(3)]) for name in DRIFTS}
    study = {
        name: np.mean([steps_changed(tscl(normalise=False), drifting(name), seed=s) for s in range(3)])
        for name in DRIFTS
    }
    for name in DRIFTS:
        print(f"tscl, {name}: {ours[name]:.0%} of steps changed; with normalise=False {study[name]:.0%}")  # noqa: T201
        assert ours[name] > 0.7
        assert study[name] < 0.15


def test_its_dose_against_static_is_well_above_the_default_minimum():
    doses = []
    for seed in range(5):
        for moment in simulate(tscl(), drifting("middle"), seed=seed):
            static = apportion(dict.fromkeys(DOMAINS, 1 / 3), PROMPTS, seed, moment.step)
            doses.append(sum(abs(moment.counts[name] - static[name]) for name in DOMAINS) / PROMPTS / 2)
    print(f"tscl against static, {STEPS} steps x 5 seeds: dose {np.mean(doses):.3f}")  # noqa: T201
    assert np.mean(doses) > 0.1
