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

from policies.base import Policy, PolicySpec, RolloutBatch
from policies.delivery import DeliveryRecord
from policies.prompt_stream import PromptStream
from policies.registry import create
from training.verl_plugin.delivery_log import DeliveryLog, weights_seen
from training.verl_plugin.prompt_sampler import PolicyBatchSampler
from training.verl_plugin.step_record import checked_weights, step_record

TRAINER_NAME = "advisor_sync"
STATE_FILE = "advisor_state.json"
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
        self.sampler.prepare(self.global_steps, self.policy.shares(self.global_steps))

    def _compute_advantage(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        batch = super()._compute_advantage(batch, metrics)
        data = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=_FIELDS)
        rollouts = _rollout_batch(data, batch.keys)
        indices = [int(index) for index in data["index"]]
        weights = checked_weights(self.policy, rollouts, self.global_steps)
        record = step_record(self.global_steps, self.sampler.shares, rollouts, indices, weights, self.policy)
        self.pending = record, int(rollouts.mask.sum())
        self.policy.observe(rollouts, self.global_steps)
        if weights is None:
            return batch
        # The worker fetches only the fields that the returned metadata names: dropping this return value would
        # train without the weights while every log says otherwise.
        return tq.kv_batch_put(
            keys=batch.keys,
            partition_id=batch.partition_id,
            fields=_weight_field(weights, data["advantages"]),
        )

    def _update_actor(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        batch = super()._update_actor(batch, metrics)
        if self.pending is None:
            raise RuntimeError(f"step {self.global_steps} updated the actor before its advantages were computed")
        record, tokens = self.pending
        self.delivery.append(record.model_copy(update={"weights_seen": weights_seen(metrics, tokens)}))
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

    def padded(field: str) -> np.ndarray:
        return np.asarray(data[field].to_padded_tensor(0.0).float().numpy() * mask)

    uids, groups = np.unique(np.array([key.rsplit("_", 2)[0] for key in keys]), return_inverse=True)
    # groups are numbered in row order: prompt uuids differ between runs
    first_rows = np.array([int(np.argmax(groups == group)) for group in range(len(uids))])
    groups = np.argsort(np.argsort(first_rows))[groups]
    return RolloutBatch(
        rewards=padded("rm_scores").sum(-1).astype(np.float64),
        advantages=padded("advantages"),
        log_probs=padded("old_log_probs"),
        mask=mask,
        groups=groups.astype(np.int64),
        indices=np.array([int(key.rsplit("_", 2)[1]) for key in keys], dtype=np.int64),
        domains=np.array([str(name) for name in data["data_source"]]),
    )


def _weight_field(weights: np.ndarray, advantages: torch.Tensor) -> TensorDict:
    """`rollout_is_weights`, nested and jagged like the advantages; `weights` is (N,) or (N, L)."""
    rows = []
    for weight, advantage in zip(weights, advantages.unbind(), strict=True):
        row = torch.as_tensor(np.array(weight), dtype=torch.float32)
        rows.append(row.expand(len(advantage)).clone() if row.ndim == 0 else row[: len(advantage)].clone())
    nested = torch.nested.as_nested_tensor(rows, layout=torch.jagged)
    return TensorDict({"rollout_is_weights": nested}, batch_size=len(rows))
