"""How an attempt reads what its processes left, and the record that the trainer keeps a step."""

from pathlib import Path

import numpy as np
import pytest

from policies.base import Policy, RolloutBatch
from policies.delivery import DeliveryRecord, loss_digest, weight_statistics
from policies.errors import AdvisorError
from policies.registry import create, resolve
from training.run_files import RunFiles
from training.start_over import start_over_without_proof
from training.verl_plugin.delivery_log import DeliveryLog, read_records, with_seen
from training.verl_plugin.policy_step import (
    PolicyStep,
    checked_advantages,
    checked_rewards,
    checked_weights,
    step_record,
)
from training.verl_plugin.prompt_sampler import PolicyBatchSampler


def batch(groups: int = 4, size: int = 3, tokens: int = 5) -> RolloutBatch:
    rows, random = groups * size, np.random.default_rng(0)
    mask = np.arange(tokens)[None, :] < random.integers(1, tokens + 1, rows)[:, None]
    return RolloutBatch(
        rewards=random.integers(0, 2, rows).astype(float),
        advantages=random.normal(size=(rows, tokens)) * mask,
        log_probs=-random.random((rows, tokens)) * mask,
        mask=mask,
        groups=np.repeat(np.arange(groups), size),
        domains=np.repeat(np.array(["math", "logic", "math", "math"]), size),
        indices=np.tile(np.arange(size), groups),
    )


def record(step: int) -> DeliveryRecord:
    policy = create(resolve("baseline"), ["logic", "math", "science"], 1)
    rows = batch()
    return step_record(step, None, PolicyStep(rows, rows, None), [int(group) for group in rows.groups], policy)


def test_a_record_counts_prompts_by_domain() -> None:
    made = record(1)
    assert made.realised_shares == {"logic": 0.25, "math": 0.75, "science": 0.0}
    assert (made.prompts, made.rollouts, made.weight_dose, made.effective_sample_size) == (4, 12, 0.0, 12.0)
    assert (made.weights_set, made.training_reward, made.advantage_dose) == (None, None, 0.0)


def test_a_record_says_that_the_run_trained_on_other_rewards_and_keeps_the_graded_ones() -> None:
    policy, rows = create(resolve("baseline"), ["logic", "math", "science"], 1), batch()
    other = rows._replace(rewards=1 - rows.rewards, advantages=-rows.advantages)
    made = step_record(1, None, PolicyStep(rows, other, None), [0] * 12, policy)
    assert made.training_reward == pytest.approx(1 - rows.rewards.mean())
    assert made.domain_rewards["logic"] == pytest.approx(rows.rewards[rows.domains == "logic"].mean())
    assert made.advantage_dose == pytest.approx(1.0)
    doubled = step_record(
        1, None, PolicyStep(rows, rows._replace(advantages=2 * rows.advantages), None), [0] * 12, policy
    )
    assert doubled.advantage_dose == pytest.approx(0.0, abs=1e-12)


def reported(rows: RolloutBatch, weights: np.ndarray | None, parts: list[slice]) -> dict[str, float]:
    """verl's averages of what the loss reports for each micro-batch."""
    found: dict[str, list[float]] = {}
    for part in parts:
        used = None if weights is None else weights[part]
        seen = {"advisor_weight_tokens": rows.mask[part].sum()}
        seen["advisor_loss_inputs"] = loss_digest(used, rows.log_probs[part], rows.advantages[part], rows.mask[part])
        if used is not None:
            sums = weight_statistics(used, rows.mask[part])
            seen |= {f"advisor_weight_{name}": getattr(sums, name) for name in ("total", "squared", "zeros")}
        for name, value in seen.items():
            found.setdefault(f"actor/{name}", []).append(float(value))
    return {name: float(np.mean(values)) for name, values in found.items()}


HALVES, THIRDS = [slice(0, 6), slice(6, 12)], [slice(0, 4), slice(4, 8), slice(8, 12)]


@pytest.mark.parametrize("parts", [[slice(0, 12)], HALVES, THIRDS, [slice(0, 5), slice(5, 12)]])
def test_averages_over_micro_batches_become_the_sums_again(parts: list[slice]) -> None:
    rows = batch()
    weights = np.linspace(0, 2, len(rows.rewards)).astype(np.float32)
    whole = weight_statistics(weights, rows.mask)
    made = with_seen(record(1), reported(rows, weights, parts), whole.tokens)
    assert made.weights_seen is not None
    assert made.weights_seen.zeros == whole.zeros
    assert made.weights_seen.total == pytest.approx(whole.total, rel=1e-12)
    assert made.weights_seen.squared == pytest.approx(whole.squared, rel=1e-12)
    assert made.loss_inputs_seen == loss_digest(weights, rows.log_probs, rows.advantages, rows.mask)


def test_a_loss_that_saw_no_weights_is_recorded_as_such() -> None:
    rows = batch()
    made = with_seen(record(1), reported(rows, None, HALVES), int(rows.mask.sum()))
    assert made.weights_seen is None
    assert made.loss_inputs_seen == made.loss_inputs_set


def test_a_loss_that_reported_nothing_saw_nothing() -> None:
    assert with_seen(record(1), {}, 10) == record(1)


class _Broken(Policy):
    name, family, control = "broken", "selection", "baseline"
    answer = np.ones(1)

    def weights(self, batch: RolloutBatch, step: int) -> np.ndarray:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (np.ones(5), "of shape"),
        (np.full(12, np.nan), "from nan to nan at step 3; they must be finite"),
        (np.append(np.ones(11), np.nan), "must be finite"),
        (-np.ones(12), r"from -1 to -1 at step 3; they must be finite and in \[0, 3.40282e\+38\]"),
        (np.full(12, 1e39), "must be finite"),
        (np.full(12, np.inf), "must be finite"),
    ],
)
def test_weights_that_cannot_be_used_stop_the_run(answer: np.ndarray, said: str) -> None:
    policy = _Broken(resolve_parameters(), ["math"], 1)
    policy.answer = answer
    with pytest.raises(ValueError, match=said):
        checked_weights(policy, batch(), 3)


class _Rewarding(_Broken):
    def rewards(self, batch: RolloutBatch, step: int) -> np.ndarray:
        assert not batch.advantages.any()
        return self.answer

    def advantages(self, batch: RolloutBatch, step: int) -> np.ndarray:
        return self.answer


def test_rewards_are_asked_for_before_there_are_advantages_and_lie_in_0_1() -> None:
    policy = _Rewarding(resolve_parameters(), ["math"], 1)
    policy.answer = np.linspace(0, 1, 12)
    assert checked_rewards(policy, batch(), 1) is policy.answer
    policy.answer = np.linspace(0, 1.5, 12)
    with pytest.raises(ValueError, match=r"gave rewards from 0 to 1.5 at step 1; they must be finite and in \[0, 1\]"):
        checked_rewards(policy, batch(), 1)


def test_advantages_do_not_reach_tokens_that_do_not_count() -> None:
    policy, rows = _Rewarding(resolve_parameters(), ["math"], 1), batch()
    policy.answer = np.full(rows.mask.shape, 0.1)
    advantages = checked_advantages(policy, rows, 1)
    assert advantages is not None
    assert advantages.dtype == np.float32
    assert ((advantages != 0) == rows.mask).all()
    policy.answer = np.ones(12)
    with pytest.raises(ValueError, match="advantages of shape"):
        checked_advantages(policy, rows, 1)


def resolve_parameters() -> object:
    return create(resolve("baseline"), ["math"], 1).parameters


def test_a_resumed_run_drops_the_steps_after_its_checkpoint(tmp_path: Path) -> None:
    log = DeliveryLog(tmp_path / "delivery.jsonl")
    log.rewind(0)
    for step in (1, 2, 3):
        log.append(record(step))
    with log.path.open("a") as file:
        file.write('{"schema_version":1,"step":4,"pro')
    log.rewind(2)
    log.append(record(3))
    assert [one.step for one in read_records(log.path)] == [1, 2, 3]


@pytest.mark.parametrize("spoil", ["garbage", "gap", "torn"])
def test_a_run_whose_proof_is_damaged_does_not_go_on_without_it(tmp_path: Path, spoil: str) -> None:
    log = DeliveryLog(tmp_path / "delivery.jsonl")
    for step in (1, 2, 3, 4):
        log.append(record(step))
    lines = log.path.read_text().splitlines(keepends=True)
    lines[1] = {"garbage": "\x00\x00garbage\n", "gap": "", "torn": lines[1][:40] + "\n"}[spoil]
    log.path.write_text("".join(lines))
    log.rewind(1)
    assert [one.step for one in read_records(log.path)] == [1]
    log.path.write_text("".join(lines))
    with pytest.raises(AdvisorError, match=r"delivery.jsonl has no readable record of step 2 of 3; delete .* again"):
        log.rewind(3)
    assert log.path.read_text() == "".join(lines)


def test_an_attempt_at_a_run_whose_proof_is_damaged_starts_over_and_says_so(tmp_path: Path) -> None:
    files = RunFiles(tmp_path)
    log = DeliveryLog(files.delivery)
    for step in (1, 2, 3, 4):
        log.append(record(step))
    files.checkpoints.mkdir()
    files.checkpointed.write_text("4")
    assert start_over_without_proof(files.attempt(2)) == ""
    whole = files.delivery.read_text()
    files.delivery.write_text(whole.replace('"step":2', '"stop":2'))
    reason = start_over_without_proof(files.attempt(2))
    assert reason == "delivery.jsonl has no readable record of step 2 of 4"
    assert not files.checkpoints.exists()
    assert not files.delivery.exists()
    assert files.attempt(2).started_over.read_text() == reason + "\n"
    assert '"stop":2' in files.attempt(2).damaged_delivery.read_text()
    assert start_over_without_proof(files.attempt(3)) == ""


def test_shares_set_for_a_step_act_in_that_step() -> None:
    from policies.prompt_stream import PromptStream

    domains = ["math", "logic"] * 50
    sampler = PolicyBatchSampler(PromptStream(domains, 1), 10)
    draws = iter(sampler)
    for step, share in enumerate((0.0, 1.0, 0.5), start=1):
        sampler.prepare(step, {"math": share, "logic": 1 - share})
        drawn = [domains[row] for row in next(draws)]
        assert drawn.count("math") == 10 * share
