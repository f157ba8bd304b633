"""verl's synchronous PPO trainer with a data policy: every arm of a study, its control too, trains through it."""

import json
from pathlib import Path
from typing import Any, NamedTuple

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
from verl.workers.utils.padding import response_to_nested

from policies.base import Policy, PolicySpec, RolloutBatch
from policies.checked import CheckedPolicy
from policies.delivery import DeliveryRecord
from policies.prompt_stream import PromptStream
from policies.registry import create
from training.verl_plugin.advantages import demand_grpo, grpo_advantages
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
_FIELDS = ["data_source", "index", "rm_scores", "old_log_probs", "response_mask"]


@register_trainer(TRAINER_NAME)
class PolicyTrainer(PPOTrainerSync):
    """Asks the policy for shares before each rollout and for weights after the advantages; records the delivery."""

    def __init__(self, config: DictConfig) -> None:
        with open_dict(config):
            config.trainer.v1.trainer_mode = "sync"  # the base class takes every other name for an async trainer
        demand_grpo(config)
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
            self.sampler.prepare(self.global_steps, CheckedPolicy(self.policy).shares(self.global_steps))

    def _compute_advantage(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        """verl's own, with the policy in the middle: one fetch and one store for both."""
        where = {"keys": batch.keys, "partition_id": batch.partition_id}
        data = tq.kv_batch_get(**where, select_fields=_FIELDS)
        mask = data["response_mask"]
        padded = _Padded(*(data[name].to_padded_tensor(0) for name in ("response_mask", "rm_scores", "old_log_probs")))
        advantages = grpo_advantages(padded.rewards, padded.mask, batch.keys, self.config)
        fields = {"advantages": advantages, "returns": advantages}
        with marked_timer(HOOKS, self.timing_raw):
            step = self._policy_step(_rollout_batch(data, padded, advantages, batch.keys), padded, batch.keys)
            indices = [int(index) for index in data["index"]]
            record = step_record(self.global_steps, self.sampler.shares, step, indices, self.policy)
            self.pending = record, int(step.trained.mask.sum())
            CheckedPolicy(self.policy).observe(step.trained, self.global_steps)
            if step.trained.advantages is not step.graded.advantages:
                fields["advantages"] = torch.tensor(step.trained.advantages)
            if step.weights is not None:
                a_token = step.weights if step.weights.ndim == 2 else step.weights[:, None]
                fields["rollout_is_weights"] = torch.tensor(a_token).expand(padded.mask.shape)
        nested = {name: response_to_nested(values, mask) for name, values in fields.items()}
        # The worker fetches only the fields that the returned metadata names: it must be that of this very store.
        return tq.kv_batch_put(**where, fields=TensorDict(nested, batch_size=len(batch.keys)))

    def _policy_step(self, graded: RolloutBatch, padded: "_Padded", keys: list[str]) -> PolicyStep:
        """Asks the policy what this step trains on."""
        step, policy, trained = self.global_steps, self.policy, graded
        rewards = checked_rewards(policy, graded, step)
        if rewards is not None:
            earned = torch.zeros_like(padded.rewards)
            earned[:, 0] = torch.tensor(rewards, dtype=earned.dtype)  # GRPO adds up a rollout's tokens
            advantages = grpo_advantages(earned, padded.mask, keys, self.config)
            trained = graded._replace(rewards=rewards, advantages=_masked(advantages, graded.mask))
        others = checked_advantages(policy, trained, step)
        if others is not None:
            trained = trained._replace(advantages=others)
        return PolicyStep(graded, trained, checked_weights(policy, trained, step))

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
        state = {"policy": CheckedPolicy(self.policy).state_dict(), "prompts": self.sampler.prompts.state_dict()}
        (folder / STATE_FILE).write_text(json.dumps(state, allow_nan=False), encoding="utf-8")
        super()._save_checkpoint()  # writes the tracker file last: a checkpoint without our state is never resumed

    def _load_checkpoint(self) -> None:
        super()._load_checkpoint()
        self.delivery.rewind(self.global_steps)
        if self.global_steps == 0:
            return
        folder = Path(self.config.trainer.default_local_dir) / f"global_step_{self.global_steps}"
        state = json.loads((folder / STATE_FILE).read_text(encoding="utf-8"))
        CheckedPolicy(self.policy).load_state_dict(state["policy"])
        self.sampler.prompts.load_state_dict(state["prompts"])
        # verl restored its own position, which would draw the prompts of earlier steps once more
        self.train_dataloader = self._policy_dataloader()


class _Padded(NamedTuple):
    """(N, L) tensors of a step."""

    mask: torch.Tensor
    rewards: torch.Tensor
    log_probs: torch.Tensor


def _rollout_batch(data: TensorDict, padded: _Padded, advantages: torch.Tensor, keys: list[str]) -> RolloutBatch:
    """What a policy sees, as numpy: N rollouts, L response tokens; a key is `{prompt uuid}_{rollout}_{turn}`."""
    mask = padded.mask.bool().numpy()
    numbers: dict[str, int] = {}  # groups are numbered in row order: prompt uuids differ between runs
    parts = [key.rsplit("_", 2) for key in keys]
    return RolloutBatch(
        rewards=_masked(padded.rewards, mask).sum(-1).astype(np.float64),
        advantages=_masked(advantages, mask),
        log_probs=_masked(padded.log_probs, mask),
        mask=mask,
        groups=np.array([numbers.setdefault(part[0], len(numbers)) for part in parts], dtype=np.int64),
        indices=np.array([int(part[1]) for part in parts], dtype=np.int64),
        domains=np.array([str(name) for name in data["data_source"]]),
    )


def _masked(values: torch.Tensor, mask: np.ndarray) -> np.ndarray:
    """(N, L) float32, 0 where masked."""
    return np.asarray(values.float().numpy() * mask)
