"""Mixers move the prompts that are really drawn, and go on with the same ones after a kill.

A dataset with one solved domain (logic), one impossible one (math) and one that is being learned (science).
"""

import json
from collections.abc import Iterator

import numpy as np
import pytest

from policies.base import Policy
from policies.prompt_stream import PromptStream
from policies.registry import create, resolve
from policies.seeding import stream
from policies.synthetic import grpo_batch
from training.verl_plugin.prompt_sampler import PolicyBatchSampler

POOL = ["logic", "math", "science"] * 100
PROMPTS, STEPS = 16, 40


def rates(step: int) -> dict[str, float]:
    return {"logic": 1.0, "math": 0.0, "science": 0.2 + 0.6 * step / STEPS}


def started(name: str) -> tuple[Policy, PromptStream]:
    return create(resolve(name), ["logic", "math", "science"], 7), PromptStream(POOL, 7)


def steps(policy: Policy, prompts: PromptStream, first: int, last: int) -> Iterator[list[int]]:
    """The rows drawn in each step; the policy observes rollouts of exactly these prompts."""
    sampler = PolicyBatchSampler(prompts, PROMPTS)
    draws = iter(sampler)
    for step in range(first, last + 1):
        sampler.prepare(step, policy.shares(step))
        rows = next(draws)
        yield rows
        names = [POOL[row] for row in rows]
        counts = {name: names.count(name) for name in rates(step)}
        policy.observe(grpo_batch(counts, rates(step), stream("rollouts", step)), step)


def late_share(name: str) -> dict[str, float]:
    """Realised shares of the domains over the last ten steps."""
    drawn = list(steps(*started(name), 1, STEPS))[-10:]
    names = [POOL[row] for rows in drawn for row in rows]
    return {domain: names.count(domain) / len(names) for domain in rates(1)}


def test_static_keeps_equal_shares() -> None:
    assert late_share("static") == pytest.approx(dict.fromkeys(rates(1), 1 / 3), abs=0.02)


def test_reward_gap_gives_the_impossible_domain_most_and_the_solved_one_least() -> None:
    found = late_share("reward_gap")
    assert found["math"] > 0.5 > found["science"] > found["logic"]


@pytest.mark.parametrize("name", ["tscl", "dump_ucb"])
def test_the_domain_that_is_being_learned_gets_the_prompts_of_the_solved_and_the_impossible(name: str) -> None:
    found = late_share(name)
    assert found["science"] > 0.5, found
    assert max(found["math"], found["logic"]) < 0.3, found


@pytest.mark.parametrize("name", ["static", "reward_gap", "dump_ucb", "tscl"])
@pytest.mark.parametrize("killed_after", [3, 11, 26])
def test_killed_and_resumed_it_draws_the_prompts_that_it_would_have_drawn(name: str, killed_after: int) -> None:
    whole = list(steps(*started(name), 1, STEPS))
    policy, prompts = started(name)
    assert list(steps(policy, prompts, 1, killed_after)) == whole[:killed_after]
    kept = json.dumps([policy.state_dict(), prompts.state_dict()], allow_nan=False)
    policy, prompts = started(name)
    for one, state in zip((policy, prompts), json.loads(kept), strict=True):
        one.load_state_dict(state)
    assert list(steps(policy, prompts, killed_after + 1, STEPS)) == whole[killed_after:]


def test_prompts_differ_between_mixers() -> None:
    found = {name: np.concatenate(list(steps(*started(name), 1, STEPS))).tolist() for name in ("tscl", "static")}
    assert found["tscl"] != found["static"]
