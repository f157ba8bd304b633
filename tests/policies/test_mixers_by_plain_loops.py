"""The three mixers against plain loops, on streams whose signal, spread and drawn domains change all the time."""

import math

import numpy as np
import pytest

from policies.base import RolloutBatch
from policies.registry import create, resolve

DOMAINS = ("a", "b", "c")
STEPS = 40


def stream(seed: int) -> list[RolloutBatch]:
    """Levels that wander and differences that grow and shrink; now and then a domain is not drawn."""
    rng = np.random.default_rng(seed)
    steps = []
    for step in range(1, STEPS + 1):
        drawn = [name for name in DOMAINS if rng.random() < 0.85] or ["a"]
        domains = np.repeat(drawn, rng.integers(1, 7, len(drawn)))
        rows, size = len(domains), abs(math.sin(step / 5))
        level = {name: 0.5 + 0.4 * size * math.cos(step / 7 + place) for place, name in enumerate(DOMAINS)}
        mask = np.arange(4)[None, :] < rng.integers(0, 5, rows)[:, None]
        steps.append(
            RolloutBatch(
                rewards=np.clip(np.array([level[name] for name in domains]) + rng.normal(0, 0.05, rows), 0, 1),
                advantages=np.where(mask, rng.normal(0, 0.2 + size, mask.shape), 0.0),
                log_probs=np.zeros(mask.shape),
                mask=mask,
                groups=np.arange(rows),
                domains=domains,
            )
        )
    return steps


def rollout_signal(name: str, batch: RolloutBatch) -> list[float]:
    if name != "dump_ucb":
        return [float(reward) for reward in batch.rewards]
    return [
        sum(abs(a) for a, counts in zip(row, mask, strict=True) if counts) / max(1, sum(mask))
        for row, mask in zip(batch.advantages.tolist(), batch.mask.tolist(), strict=True)
    ]


def slope(points: list[tuple[int, float]]) -> float | None:
    if len(points) < 2:
        return None
    x, y = (math.fsum(column) / len(points) for column in zip(*points, strict=True))
    return abs(math.fsum((t - x) * (m - y) for t, m in points) / math.fsum((t - x) ** 2 for t, _ in points))


def scores(name: str, history: list[tuple[int, dict[str, float]]]) -> dict[str, float | None]:
    points = {d: [(step, means[d]) for step, means in history if d in means] for d in DOMAINS}
    if name == "tscl":
        return {d: slope(points[d]) for d in DOMAINS}
    means = {d: math.fsum(m for _, m in points[d]) / len(points[d]) if points[d] else None for d in DOMAINS}
    if name == "dump_ucb":
        return means
    best = max(mean for mean in means.values() if mean is not None)
    return {d: None if mean is None else best - mean for d, mean in means.items()}


def expected(name: str, steps: list[RolloutBatch], set_to: dict[str, float]) -> list[dict[str, float]]:
    """The shares of each step."""
    equal = dict.fromkeys(DOMAINS, 1 / 3)
    shares, history, counts = [equal], [], dict.fromkeys(DOMAINS, 0)
    variance, updates = 0.0, 0
    for step, batch in enumerate(steps, start=1):
        signal, means = rollout_signal(name, batch), {}
        for d in DOMAINS:
            mine = [value for value, domain in zip(signal, batch.domains, strict=True) if domain == d]
            counts[d] += len(mine)
            if mine:
                means[d] = math.fsum(mine) / len(mine)
        history = [*history, (step, means)][-int(set_to["window"]) :]
        found = scores(name, history)
        known = [score for score in found.values() if score is not None]
        if step < set_to["warmup"] or not known:
            shares.append(equal)
            continue
        filled = [math.fsum(known) / len(known) if found[d] is None else found[d] for d in DOMAINS]
        centre = math.fsum(filled) / 3
        updates += 1
        variance += (math.fsum((s - centre) ** 2 for s in filled) / 3 - variance) / min(updates, set_to["window"])
        spread = math.sqrt(variance) if set_to["normalise"] else 1.0
        total = sum(counts.values())
        bonus = [set_to.get("c", 0.0) * math.sqrt(2 * math.log(total + 1) / (counts[d] + 1)) for d in DOMAINS]
        raised = [math.exp((s / spread + b) / set_to["temperature"]) for s, b in zip(filled, bonus, strict=True)]
        shares.append(
            {
                d: set_to["floor"] + (1 - 3 * set_to["floor"]) * r / sum(raised)
                for d, r in zip(DOMAINS, raised, strict=True)
            }
        )
    return shares


@pytest.mark.parametrize("name", ["tscl", "reward_gap", "dump_ucb"])
@pytest.mark.parametrize("seed", range(4))
def test_the_shares_of_every_step_are_those_of_a_plain_loop(name, seed):
    rng = np.random.default_rng(seed + 100)
    set_to = {
        "warmup": int(rng.integers(2, 7)),
        "window": int(rng.integers(2, 9)),
        "temperature": float(rng.choice([0.5, 1.0, 3.0])),
        "floor": float(rng.choice([0.0, 0.05, 0.2])),
        "normalise": seed != 3,
        **({"c": float(rng.choice([0.3, 2.0]))} if name == "dump_ucb" else {}),
    }
    policy, steps = create(resolve(name, set_to), DOMAINS, 1), stream(seed)
    wanted = expected(name, steps, set_to)
    for step, batch in enumerate(steps, start=1):
        assert policy.shares(step) == pytest.approx(wanted[step - 1], abs=2e-5), f"step {step}"
        policy.observe(batch, step)
