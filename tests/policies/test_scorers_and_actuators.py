"""Scorers and actuators are known by name, can be added by others, and swapped in a policy's parameters."""

import numpy as np
import pytest

from policies import actuators, scorers
from policies.errors import InputError
from policies.registry import get, names, resolve
from policies.selection import KeepFraction
from policies.testing import check_policy
from tests.policies.rollout_batches import graded, policy_of

BATCH = graded([[0, 0, 0, 1, 1], [0, 1, 1, 1, 1]], lengths=[[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])


@pytest.fixture
def own(monkeypatch):
    """Registrations of one test."""
    monkeypatch.setattr(scorers, "_scorers", dict(scorers._scorers))
    monkeypatch.setattr(actuators, "_actuators", dict(actuators._actuators))


def test_a_scorer_of_ones_own_is_used_by_its_name(own):
    @scorers.scorer("rollout", "mask")
    def longness(batch):
        """(N,) tokens that count."""
        return scorers.lengths(batch).astype(float)

    kept = policy_of("topk", scorer="longness", keep_fraction=0.2).act(BATCH, 1)
    assert np.flatnonzero(kept).tolist() == [4, 5]
    check_policy("softmax", {"scorer": "longness", "temperature": 5})


def test_an_actuator_of_ones_own_is_used_by_its_name(own):
    @actuators.actuator("selection", KeepFraction)
    def keep_lowest(scores, batch, parameters, keys):
        """Keeps the lowest."""
        kept = np.zeros(len(scores), dtype=bool)
        kept[np.lexsort((keys, scores))[: round(parameters.keep_fraction * len(scores))]] = True
        return kept

    kept = policy_of("topk", actuator="keep_lowest", scorer="solve_rate").act(BATCH, 1)
    assert np.flatnonzero(kept).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", [name for name in names() if "scorer" in get(name).Parameters.model_fields])
@pytest.mark.parametrize("scorer", scorers.scorer_names())
def test_every_policy_with_a_scorer_takes_every_scorer(name, scorer):
    policy = policy_of(name, scorer=scorer, **({"floor": 0.0} if get(name).family == "mixing" else {}))
    policy.observe(BATCH, 1)
    weights = policy.weights(BATCH, 1)
    assert weights is None or (np.isfinite(weights).all() and (weights >= 0).all())


def test_names_that_nobody_knows_are_offered_the_nearest():
    with pytest.raises(InputError, match=r"topk: scorer: unknown scorer 'rewards' .*; did you mean reward"):
        resolve("topk", {"scorer": "rewards"})
    with pytest.raises(InputError, match=r"'softmax' is not one of keep_extremes, keep_highest, keep_highest_in_group"):
        resolve("topk", {"actuator": "softmax"})
    with pytest.raises(InputError, match="unknown scorer 'abs_slope' of a rollout"):
        resolve("per", {"scorer": "abs_slope"})
    with pytest.raises(InputError, match="unknown actuator 'nothing'"):
        actuators.get_actuator("nothing")


def test_a_name_that_is_taken_is_refused(own):
    with pytest.raises(InputError, match="scorer 'reward' exists already"):

        @scorers.scorer("rollout")
        def reward(batch):
            """Another."""
            return batch.rewards

    with pytest.raises(InputError, match="actuator 'softmax' exists already"):

        @actuators.actuator("reweighting", KeepFraction)
        def softmax(scores, batch, parameters, keys):
            """Another."""
            return scores


def test_scores_by_hand():
    assert scorers.solve_rate(BATCH).tolist() == [0.4] * 5 + [0.8] * 5
    assert scorers.reward_per_token(BATCH).tolist() == [0, 0, 0, 1 / 4, 1 / 5, 0, 1 / 4, 1 / 3, 1 / 2, 1]
    assert scorers.shortness(BATCH)[:2].tolist() == [1, 1 / 2]
    assert scorers.token_probability(BATCH)[0, 0] == pytest.approx(np.exp(-0.7))
