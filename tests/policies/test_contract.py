"""Every registered policy holds the contract, and the contract check catches what naive policies get wrong."""

from collections.abc import Mapping

import numpy as np
import pytest

from policies import registry
from policies.base import Policy
from policies.builtin.difffilter import Difffilter
from policies.builtin.topk import Topk
from policies.builtin.tscl import Tscl
from policies.selection import SelectionPolicy
from policies.synthetic import DRIFTS, STEPS
from policies.testing import check_policy
from tests.distributions import registry_kept


@pytest.fixture
def registered():
    """Registers classes for one test."""
    with registry_kept():
        yield registry.register


@pytest.mark.parametrize("name", registry.names())
def test_a_policy_holds_the_contract(name):
    check = check_policy(name)
    shares = ", ".join(f"{drift} {share:.0%}" for drift, share in check.steps_changed.items())
    print(f"{name}: share of steps changed: {shares}")  # noqa: T201 - shown by pytest -s
    assert set(check.steps_changed) == set(DRIFTS)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("static", {"shares": "math=6,logic=1,science=1"}),
        ("topk", {"keep_fraction": 0.2}),
        ("tscl", {"floor": 0.0, "temperature": 0.2, "warmup": 2, "window": 3}),
        ("tscl", {"floor": 0.25, "temperature": 0.01}),
    ],
)
def test_it_holds_with_other_parameters_too(name, parameters):
    check_policy(name, parameters)


def test_the_studys_own_tscl_is_caught_as_inert():
    with pytest.raises(AssertionError, match="tscl: inert on realistic rewards"):
        check_policy("tscl", {"normalise": False})


class Naive(SelectionPolicy):
    """A selector to be spoiled by the tests below."""

    name = "naive"
    source = "a test"
    requires = ("rewards", "advantages", "mask", "groups")
    actuator = "keep_highest"
    Parameters = Topk.Parameters


def test_a_selector_that_is_sound_passes(registered):
    registered(Naive)
    check_policy(Naive)


def _by_row(policy, batch, step):
    score = np.abs(batch.advantages).sum(axis=1)
    kept = np.argsort(-score, kind="stable")[: len(score) // 2]
    carrying = (batch.advantages != 0).sum(axis=1)
    weights = np.zeros(len(score))
    weights[kept] = carrying.sum() / max(carrying[kept].sum(), 1)
    return weights if carrying.any() else np.ones(len(score))


def _zero_or_one(policy, batch, step):
    return (Topk.weights(policy, batch, step) > 0).astype(float)


def _keeps_nothing(policy, batch, step):
    return Topk.weights(policy, batch, step) if batch.advantages.any() else np.zeros(len(batch.rewards))


def _unseeded(policy, batch, step):
    draw = np.random.default_rng().random(len(batch.rewards)) + 0.5
    carrying = (batch.advantages != 0).sum(axis=1)
    return draw * carrying.sum() / (draw * carrying).sum() if carrying.any() else np.ones(len(draw))


@pytest.mark.parametrize(
    ("weights", "fault"),
    [
        (_by_row, "depends on its row"),
        (_zero_or_one, "have mean"),
        (_keeps_nothing, "have mean 0.0|weights differ"),
        (_unseeded, "depends on its row"),
        (lambda policy, batch, step: -np.ones(len(batch.rewards)), "must be finite and in"),
        (
            lambda policy, batch, step: np.full(len(batch.rewards), np.nan),
            "from nan to nan at step 1",
        ),
        (lambda policy, batch, step: np.ones(3), "of shape"),
        (lambda policy, batch, step: np.ones(len(batch.rewards)), "inert on realistic rewards"),
        (lambda policy, batch, step: np.add(batch.rewards, 1, out=batch.rewards), "read-only"),
    ],
)
def test_a_naive_selector_is_caught(registered, weights, fault):
    spoiled = type("Spoiled", (Naive,), {"__doc__": Naive.__doc__, "name": "spoiled", "weights": weights})
    registered(spoiled)
    with pytest.raises(AssertionError, match=fault):
        check_policy("spoiled")


class _Forgetful(Tscl):
    __doc__ = Tscl.__doc__
    name = "forgetful"

    def state_dict(self):
        state = super().state_dict()
        return state | {"window": {**state["window"], "steps": [], "means": [], "counts": []}}


class _Sinking(Tscl):
    __doc__ = Tscl.__doc__
    name = "sinking"

    def shares(self, step: int) -> dict[str, float]:
        shares: Mapping[str, float] = super().shares(step)
        lowest = min(shares, key=lambda name: (shares[name], name))
        return {name: 0.0 if name == lowest else share / (1 - shares[lowest]) for name, share in shares.items()}


class _Dusty(Tscl):
    """Divides by a spread that is only float noise."""

    name = "dusty"

    def shares(self, step: int) -> dict[str, float]:
        if self._scores is None or self._variance == 0:
            return super().shares(step)
        raised = np.exp((np.array(self._scores) - max(self._scores)) / np.sqrt(self._variance))
        return dict(zip(self.domains, 0.05 + 0.85 * raised / raised.sum(), strict=True))


@pytest.mark.parametrize(
    ("mixer", "fault"),
    [
        (_Forgetful, "resumed after step"),
        (_Sinking, "below the floor"),
        (_Dusty, "although every reward is the same"),
    ],
)
def test_a_naive_mixer_is_caught(registered, mixer, fault):
    registered(mixer)
    with pytest.raises(AssertionError, match=fault):
        check_policy(mixer)


def test_a_policy_that_reads_more_than_it_says_is_caught(registered):
    registered(type("Reader", (Difffilter,), {"__doc__": "d", "name": "reader", "requires": ("groups", "advantages")}))
    with pytest.raises(AssertionError, match="reader: reads rewards, which `requires` does not name"):
        check_policy("reader")


def test_a_class_that_is_not_registered_is_named(registered):
    registered(Naive)
    impostor = type("Impostor", (Naive,), {})
    with pytest.raises(AssertionError, match="register the class"):
        check_policy(impostor)


def test_a_check_covers_a_run_of_the_tiny_recipes_length():
    assert STEPS >= 60


def test_a_policy_of_advantages_alone_is_not_inert(registered):
    class Signs(Policy):
        """Trains on the sign of the advantage, (N, L)."""

        name = "signs"
        family = "reweighting"
        control = "baseline"
        source = "a test"
        requires = ("advantages",)

        def advantages(self, batch, step):
            return np.sign(batch.advantages)

    registered(Signs)
    assert check_policy("signs").steps_changed["middle"] > 0.5
    registered(type("Copies", (Signs,), {"__doc__": "d", "name": "copies", "advantages": lambda s, b, t: b.advantages}))
    with pytest.raises(AssertionError, match="inert on realistic rewards"):
        check_policy("copies")
