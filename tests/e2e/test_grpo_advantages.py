"""The advantages that a policy meets are verl's own, whatever rewards they are made of.

verl is loaded when a test runs and not before: other tests fork this process.
"""

import numpy as np
import pytest

pytest.importorskip("verl", reason="needs the train extra")

from policies.errors import AdvisorError
from policies.seeding import stream
from policies.synthetic import grpo_advantages as by_hand
from policies.synthetic import grpo_batch


def config(estimator: str = "grpo", kl: bool = False) -> object:
    from omegaconf import OmegaConf

    algorithm = {"adv_estimator": estimator, "use_kl_in_reward": kl, "gamma": 1.0, "lam": 1.0}
    return OmegaConf.create({"algorithm": algorithm, "actor_rollout_ref": {"rollout": {"n": 5}}})


@pytest.mark.parametrize("place", ["first token", "last token"])
def test_they_are_those_of_the_formula_wherever_the_reward_stands(place: str) -> None:
    import torch

    from training.verl_plugin.advantages import grpo_advantages

    batch = grpo_batch({"math": 6, "logic": 4}, {"math": 0.5, "logic": 0.4}, stream("test"))
    rewards = np.zeros(batch.mask.shape, dtype=np.float32)
    column = 0 if place == "first token" else batch.mask.sum(axis=1) - 1
    rewards[np.arange(len(rewards)), column] = batch.rewards
    keys = [f"prompt-{group}_{index}_0" for group, index in zip(batch.groups, batch.indices, strict=True)]
    made = grpo_advantages(torch.tensor(rewards), torch.tensor(batch.mask).long(), keys, config())
    assert made.shape == batch.mask.shape
    assert made.numpy() == pytest.approx(by_hand(batch.rewards, batch.groups, batch.mask), abs=1e-5)
    assert np.count_nonzero(made.numpy()[~batch.mask]) == 0


def test_a_configuration_with_other_advantages_is_refused() -> None:
    from training.verl_plugin.advantages import demand_grpo

    demand_grpo(config())
    with pytest.raises(AdvisorError, match="not on gae with use_kl_in_reward=False"):
        demand_grpo(config("gae"))
    with pytest.raises(AdvisorError, match="use_kl_in_reward=True"):
        demand_grpo(config(kl=True))
