"""How an attempt reads what its processes left, and the record that the trainer keeps a step."""

from pathlib import Path

import numpy as np
import pytest

from policies.base import Policy, RolloutBatch
from policies.delivery import DeliveryRecord, weight_statistics
from policies.registry import create, resolve
from training.attempt import _last_error
from training.verl_plugin.delivery_log import DeliveryLog, read_records, weights_seen
from training.verl_plugin.prompt_sampler import PolicyBatchSampler
from training.verl_plugin.step_record import checked_weights, step_record


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
    return step_record(step, None, rows, [int(group) for group in rows.groups], None, policy)


def test_a_record_counts_prompts_by_domain() -> None:
    made = record(1)
    assert made.realised_shares == {"logic": 0.25, "math": 0.75, "science": 0.0}
    assert (made.prompts, made.rollouts, made.weight_dose, made.effective_sample_size) == (4, 12, 0.0, 12.0)
    assert made.weights_set is None


def test_averages_over_micro_batches_become_the_sums_again() -> None:
    rows = batch()
    weights = np.linspace(0, 2, len(rows.rewards)).astype(np.float32)
    whole = weight_statistics(weights, rows.mask)
    halves = [weight_statistics(weights[half], rows.mask[half]) for half in (slice(0, 6), slice(6, 12))]
    metrics = {
        f"actor/advisor_weight_{name}": float(np.mean([getattr(half, name) for half in halves]))
        for name in ("tokens", "total", "squared", "zeros")
    }
    seen = weights_seen(metrics, whole.tokens)
    assert seen is not None
    assert seen.tokens == whole.tokens
    assert seen.zeros == whole.zeros
    assert seen.total == pytest.approx(whole.total, rel=1e-12)
    assert seen.squared == pytest.approx(whole.squared, rel=1e-12)


def test_a_loss_that_saw_no_weights_is_recorded_as_such() -> None:
    assert weights_seen({"actor/advisor_weight_tokens": 10.0}, 10) is None


class _Broken(Policy):
    name, family, control = "broken", "selection", "baseline"
    answer = np.ones(1)

    def weights(self, batch: RolloutBatch, step: int) -> np.ndarray:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (np.ones(5), "of shape"),
        (np.full(12, np.nan), "non-finite"),
        (-np.ones(12), "negative"),
        (np.full(12, np.inf), "non-finite"),
    ],
)
def test_weights_that_cannot_be_used_stop_the_run(answer: np.ndarray, said: str) -> None:
    policy = _Broken(resolve_parameters(), ["math"], 1)
    policy.answer = answer
    with pytest.raises(ValueError, match=said):
        checked_weights(policy, batch(), 3)


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


def test_shares_set_for_a_step_act_in_that_step() -> None:
    from policies.prompt_stream import PromptStream

    domains = ["math", "logic"] * 50
    sampler = PolicyBatchSampler(PromptStream(domains, 1), 10)
    draws = iter(sampler)
    for step, share in enumerate((0.0, 1.0, 0.5), start=1):
        sampler.prepare(step, {"math": share, "logic": 1 - share})
        drawn = [domains[row] for row in next(draws)]
        assert drawn.count("math") == 10 * share


def test_the_last_exception_of_a_log_is_named(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(
        "step:1\n\x1b[36m(WorkerDict pid=12)\x1b[0m ValueError: first\n"
        "\x1b[36m(TaskRunner pid=13)\x1b[0m torch.cuda.OutOfMemoryError: CUDA out of memory\nbye\n"
    )
    assert _last_error(log) == "torch.cuda.OutOfMemoryError: CUDA out of memory"
    log.write_text("(raylet) Object store memory is idle.\n")
    assert _last_error(log) == f"see {tmp_path.name}/train.log"
