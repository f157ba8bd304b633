"""The batch sampler that puts a policy's mixture before rollout."""

from collections.abc import Iterator, Mapping

from policies.prompt_stream import PromptStream


class PolicyBatchSampler:
    """Yields the dataset rows of one step at a time, drawn when they are asked for.

    With `dataloader_num_workers=0` nothing is drawn ahead: shares set in `on_step_begin` act in the same step.
    """

    def __init__(self, prompts: PromptStream, prompts_per_step: int) -> None:
        self.prompts = prompts
        self.prompts_per_step = prompts_per_step
        self.step = 0
        self.shares: Mapping[str, float] | None = None

    def prepare(self, step: int, shares: Mapping[str, float] | None) -> None:
        """Sets what the next draw uses."""
        self.step, self.shares = step, shares

    def __iter__(self) -> Iterator[list[int]]:
        while True:
            yield self.prompts.draw(self.step, self.prompts_per_step, self.shares)
