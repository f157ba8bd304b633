"""verl's synchronous PPO trainer with a data policy: every arm of a study, its control too, trains through it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transfer_queue as tq
from omegaconf import DictConfig, OmegaConf, open_dict
from tensordict import TensorDict
from torchdata.stateful_dataloader import StatefulDataLoader
from transfer_queue import KVBatchMeta
from verl.trainer.ppo.v1.trainer_base import register_trainer
from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync
from verl.utils.dataset.rl_dataset import collate_fn
from verl.utils.debug import marked_timer

from policies.base import Floats, Policy, PolicySpec, RolloutBatch
from policies.delivery import DeliveryRecord
from policies.prompt_stream import PromptStream
from policies.registry import create
from training.verl_plugin.delivery_log import DeliveryLog, with_seen
from training.verl_plugin.policy_step import (
    PolicyStep,
    checked_advantages,
    checked_rewards,
    checked_weights,
    step_record,
)
from training.verl_plugin.prompt_sampler import PolicyBatchSampler

TRAINER_NAME = "advisor_sync"
STATE_FILE = "advisor_state.json"
HOOKS = "advisor"
"""Name of our own time in verl's timings (`timing_s/advisor`)."""
_FIELDS = ["data_source", "index", "advantages", "rm_scores", "old_log_probs", "response_mask"]


@register_trainer(TRAINER_NAME)
class PolicyTrainer(PPOTrainerSync):
    """Asks the policy for shares before each rollout and for weights after the advantages; records the delivery."""

    def __init__(self, config: DictConfig) -> None:
        with open_dict(config):
            config.trainer.v1.trainer_mode = "sync"  # the base class takes every other name for an async trainer
        super().__init__(config)
        self.ours = config.advisor
        self.delivery = DeliveryLog(Path(self.ours.delivery_file))
        self.policy: Policy
        self.sampler: PolicyBatchSampler
        self.pending: tuple[DeliveryRecord, int] | None = None

    def _init_dataloader(self) -> None:
        super()._init_dataloader()
        domains = [str(name) for name in self.train_dataset.dataframe["data_source"]]
        spec = PolicySpec.model_validate(OmegaConf.to_container(self.ours.policy, resolve=True))
        self.policy = create(spec, sorted(set(domains)), int(self.ours.seed))
        self.sampler = PolicyBatchSampler(
            PromptStream(domains, int(self.ours.seed)), int(self.config.data.train_batch_size)
        )
        self.train_dataloader = self._policy_dataloader()

    def _policy_dataloader(self) -> StatefulDataLoader:
        return StatefulDataLoader(
            dataset=self.train_dataset, batch_sampler=self.sampler, num_workers=0, collate_fn=collate_fn
        )

    def on_step_begin(self) -> None:
        """Puts this step's mixture before its rollouts."""
        super().on_step_begin()
        with marked_timer(HOOKS, self.timing_raw):
            self.sampler.prepare(self.global_steps, self.policy.shares(self.global_steps))

    def _compute_advantage(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        batch = super()._compute_advantage(batch, metrics)
        with marked_timer(HOOKS, self.timing_raw):
            return self._apply_policy(batch, metrics)

    def _apply_policy(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        """Asks the policy what this step trains on, puts it beside the batch, and keeps the record of it."""
        step, policy = self.global_steps, self.policy
        data = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=_FIELDS)
        graded = trained = _rollout_batch(data, batch.keys)
        fields = {}
        rewards = checked_rewards(policy, graded, step)
        if rewards is not None:
            trained = graded._replace(rewards=rewards, advantages=self._advantages_on(rewards, batch, data, metrics))
        advantages = checked_advantages(policy, trained, step)
        if advantages is not None:
            trained = trained._replace(advantages=advantages)
            fields["advantages"] = _nested(advantages, data["advantages"])
        weights = checked_weights(policy, trained, step)
        if weights is not None:
            fields["rollout_is_weights"] = _nested(weights, data["advantages"])
        indices = [int(index) for index in data["index"]]
        record = step_record(step, self.sampler.shares, PolicyStep(graded, trained, weights), indices, policy)
        self.pending = record, int(trained.mask.sum())
        policy.observe(trained, step)
        if not fields:
            return batch
        # The worker fetches only the fields that the returned metadata names: dropping this return value would
        # train without the weights while every log says otherwise.
        return tq.kv_batch_put(
            keys=batch.keys, partition_id=batch.partition_id, fields=TensorDict(fields, batch_size=len(batch.keys))
        )

    def _advantages_on(
        self, rewards: Floats, batch: KVBatchMeta, data: TensorDict, metrics: dict[str, Any]
    ) -> np.ndarray:
        """verl's advantages (N, L) on other rewards (N,); the graded ones are put back, for verl's metrics."""
        where = {"keys": batch.keys, "partition_id": batch.partition_id}
        graded = data["rm_scores"]
        others = [torch.zeros_like(row) for row in graded.unbind()]
        for row, reward in zip(others, rewards, strict=True):
            row[-1] = float(reward)
        nested = torch.nested.as_nested_tensor(others, layout=torch.jagged)
        tq.kv_batch_put(**where, fields=TensorDict({"rm_scores": nested}, batch_size=len(others)))
        super()._compute_advantage(batch, metrics)
        tq.kv_batch_put(**where, fields=TensorDict({"rm_scores": graded}, batch_size=len(others)))
        trained = tq.kv_batch_get(**where, select_fields=["advantages"])["advantages"]
        return _padded(trained, data["response_mask"].to_padded_tensor(0).bool().numpy())

    def _update_actor(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        batch = super()._update_actor(batch, metrics)
        if self.pending is None:
            raise RuntimeError(f"step {self.global_steps} updated the actor before its advantages were computed")
        with marked_timer(HOOKS, self.timing_raw):
            record, tokens = self.pending
            self.delivery.append(with_seen(record, metrics, tokens))
            self.pending = None
        return batch

    def _save_checkpoint(self) -> None:
        folder = Path(self.config.trainer.default_local_dir) / f"global_step_{self.global_steps}"
        folder.mkdir(parents=True, exist_ok=True)
        state = {"policy": self.policy.state_dict(), "prompts": self.sampler.prompts.state_dict()}
        (folder / STATE_FILE).write_text(json.dumps(state, allow_nan=False), encoding="utf-8")
        super()._save_checkpoint()  # writes the tracker file last: a checkpoint without our state is never resumed

    def _load_checkpoint(self) -> None:
        super()._load_checkpoint()
        self.delivery.rewind(self.global_steps)
        if self.global_steps == 0:
            return
        folder = Path(self.config.trainer.default_local_dir) / f"global_step_{self.global_steps}"
        state = json.loads((folder / STATE_FILE).read_text(encoding="utf-8"))
        self.policy.load_state_dict(state["policy"])
        self.sampler.prompts.load_state_dict(state["prompts"])
        # verl restored its own position, which would draw the prompts of earlier steps once more
        self.train_dataloader = self._policy_dataloader()


def _rollout_batch(data: TensorDict, keys: list[str]) -> RolloutBatch:
    """What a policy sees, as numpy: N rollouts, L response tokens; a key is `{prompt uuid}_{rollout}_{turn}`."""
    mask = data["response_mask"].to_padded_tensor(0).bool().numpy()
    numbers: dict[str, int] = {}  # groups are numbered in row order: prompt uuids differ between runs
    parts = [key.rsplit("_", 2) for key in keys]
    return RolloutBatch(
        rewards=_padded(data["rm_scores"], mask).sum(-1).astype(np.float64),
        advantages=_padded(data["advantages"], mask),
        log_probs=_padded(data["old_log_probs"], mask),
        mask=mask,
        groups=np.array([numbers.setdefault(part[0], len(numbers)) for part in parts], dtype=np.int64),
        indices=np.array([int(part[1]) for part in parts], dtype=np.int64),
        domains=np.array([str(name) for name in data["data_source"]]),
    )


def _padded(nested: torch.Tensor, mask: np.ndarray) -> np.ndarray:
    """(N, L) float32, 0 where masked."""
    return np.asarray(nested.to_padded_tensor(0.0).float().numpy() * mask)


def _nested(values: Floats, like: torch.Tensor) -> torch.Tensor:
    """`values` (N,) or (N, L), nested and jagged as `like` (verl's advantages) is."""
    rows = []
    for value, row in zip(values, like.unbind(), strict=True):
        one = torch.as_tensor(np.array(value), dtype=torch.float32)
        rows.append(one.expand(len(row)).clone() if one.ndim == 0 else one[: len(row)].clone())
    return torch.nested.as_nested_tensor(rows, layout=torch.jagged)
