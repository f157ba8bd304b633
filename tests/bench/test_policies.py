"""What a policy costs on a large step, on one core: `make bench`.

1,024 rollouts x 8,192 tokens in float32, as a trainer has them. Targets: 50 ms a step for policies of a number a
rollout, 500 ms for those of a number a token, and less memory than three times the batch.
"""

import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from policies.base import RolloutBatch
from policies.delivery import effective_sample_size, weight_dose, weight_statistics
from policies.registry import create, get, names, resolve
from policies.scorers import lengths, mean_abs_advantage
from policies.synthetic import DOMAINS, grpo_advantages

ROLLOUTS, TOKENS, GROUP = 1024, 8192, 8
PER_TOKEN = {"ar"}
VARIANTS = [
    *((name, {}) for name in names()),
    ("maxvar", {"recompute_advantage": True}),
    ("gfpo", {"recompute_advantage": True}),
    ("difffilter", {"refill": True}),
    ("topk", {"actuator": "keep_highest_in_group"}),
]


@pytest.fixture(scope="module")
def batch() -> RolloutBatch:
    """A step with 0/1 rewards, answers of 100 to 8,192 tokens."""
    rng = np.random.default_rng(0)
    rewards = (rng.random(ROLLOUTS) < 0.5).astype(np.float64)
    groups = np.repeat(np.arange(ROLLOUTS // GROUP), GROUP)
    mask = np.arange(TOKENS)[None, :] < rng.integers(100, TOKENS + 1, ROLLOUTS)[:, None]
    log_probs = np.log(rng.uniform(0.05, 1, mask.shape, ).astype(np.float32))  # fmt: skip
    return RolloutBatch(
        rewards=rewards,
        advantages=grpo_advantages(rewards, groups, mask).astype(np.float32),
        log_probs=np.where(mask, log_probs, np.float32(0)),
        mask=mask,
        groups=groups,
        domains=np.array(DOMAINS)[rng.integers(0, 3, ROLLOUTS // GROUP)].repeat(GROUP),
        indices=np.tile(np.arange(GROUP), ROLLOUTS // GROUP),
    ).read_only()


def milliseconds(step: Callable[[], object], repeats: int = 7) -> float:
    """Median processor time of some calls, after one that warms up: other processes do not count."""
    step()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        step()
        times.append(time.process_time() - start)
    return 1000 * statistics.median(times)


def peak_bytes(step: Callable[[], object]) -> int:
    """Most memory that a call holds beside what was there before."""
    tracemalloc.start()
    try:
        step()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.bench
@pytest.mark.parametrize(("name", "parameters"), VARIANTS, ids=lambda value: str(value) if value else "-")
def test_a_step_of_a_policy(batch: RolloutBatch, name: str, parameters: dict[str, object]) -> None:
    policy = create(resolve(name, parameters), DOMAINS, 1)
    step = iter(range(1, 1_000_000))

    def whole_step() -> None:
        now = next(step)
        policy.shares(now)
        if policy.parameters.refill_rounds:
            policy.refused(batch, now)
        policy.rewards(batch, now)
        policy.advantages(batch, now)
        policy.weights(batch, now)
        policy.observe(batch, now)

    took, held = milliseconds(whole_step), peak_bytes(whole_step)
    size = sum(field.nbytes for field in batch if field is not None)
    whose = resolve(name, parameters)
    print(f"\n{whose}: {took:.1f} ms, {held / size:.2f} x the batch ({get(name).family})")  # noqa: T201
    assert took < (500 if name in PER_TOKEN or parameters.get("recompute_advantage") else 50)
    assert held < 3 * size


@pytest.mark.bench
def test_what_all_policies_share(batch: RolloutBatch) -> None:
    """Scores, counts and the record's sums, for weights a rollout and weights a token."""
    rollout, token = np.ones(ROLLOUTS), np.ones(batch.mask.shape, dtype=np.float32)
    parts = {
        "mean_abs_advantage": lambda: mean_abs_advantage(batch),
        "lengths": lambda: lengths(batch),
        "tokens with gradient": lambda: np.count_nonzero(batch.advantages, axis=1),
        "record of rollout weights": lambda: _record(rollout, batch),
        "record of token weights": lambda: _record(token, batch),
    }
    took = {what: milliseconds(part) for what, part in parts.items()}
    for what, time_ms in took.items():
        print(f"\n{what}: {time_ms:.1f} ms")  # noqa: T201
    assert max(took.values()) < 500
    assert took["mean_abs_advantage"] < 50


def _record(weights: np.ndarray, batch: RolloutBatch) -> None:
    weight_statistics(weights, batch.mask)
    weight_dose(weights, batch.advantages)
    effective_sample_size(weights, batch.mask)
