"""verl's replay buffer with a deterministic row order and fast polling."""

from typing import Any

import transfer_queue as tq
from transfer_queue import KVBatchMeta
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer

POLL_SECONDS = 0.02


class OrderedReplayBuffer(ReplayBuffer):
    """Rows come by (dataset index, rollout index), whatever order they finished in and whatever their uuids are.

    Without it two identical runs differ in the last bits: sums over rows depend on their order. verl polls every two
    seconds by default, which doubles the time of a short step.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["poll_interval"] = POLL_SECONDS
        super().__init__(*args, **kwargs)

    def _materialize_batch(
        self, partition_id: str, selected_prompt_uids: list[str], partition_snapshot: dict[str, dict[str, Any]]
    ) -> KVBatchMeta:
        batch = super()._materialize_batch(partition_id, selected_prompt_uids, partition_snapshot)
        if not batch.keys:
            return batch
        rows = tq.kv_batch_get(keys=batch.keys, partition_id=partition_id, select_fields=["index"])
        dataset_index = [int(value) for value in rows["index"]]

        def place(row: int) -> tuple[int, ...]:
            rollout_and_turn = batch.keys[row].rsplit("_", 2)[1:]
            return dataset_index[row], *(int(part) for part in rollout_and_turn)

        order = sorted(range(len(batch.keys)), key=place)
        return KVBatchMeta(
            partition_id=partition_id,
            keys=[batch.keys[row] for row in order],
            tags=[batch.tags[row] for row in order],
        )
