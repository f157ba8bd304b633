"""verl's single-turn agent loop with a sampling seed of its own for every rollout request."""

from typing import Any

from verl.experimental.agent_loop.agent_loop import AgentLoopOutput
from verl.experimental.agent_loop.single_turn_agent_loop import SingleTurnAgentLoop

from training.verl_plugin.rollout_server import ROLLOUT_NAME, request_seed


class SeededSingleTurnAgentLoop(SingleTurnAgentLoop):
    """verl gives vLLM no seed a request (or, with `full_determinism`, the same one to all): set it here; it wins."""

    async def run(self, sampling_params: dict[str, Any], priority: int = 0, **kwargs: Any) -> AgentLoopOutput:
        """Runs one request."""
        step, prompt_index, rollout_index = (int(kwargs[key]) for key in ("global_steps", "index", "session_id"))
        ours = self.config.advisor
        sampling = dict(sampling_params)
        sampling["seed"] = request_seed(ours.seed, ours.replicate, step, prompt_index, rollout_index)
        if self.rollout_config.name == ROLLOUT_NAME:
            sampling["advisor_batch"] = f"step-{step}"
            sampling["advisor_batch_size"] = self.config.data.train_batch_size * self.rollout_config.n
        return await super().run(sampling, priority=priority, **kwargs)
