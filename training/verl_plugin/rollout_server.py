"""A transformers generation server as a verl rollout engine (`transformers_cpu`), for machines without GPUs.

All requests of a training step are generated in one left-padded batch; every row samples with a generator of its own,
seeded by its request, so that a rollout depends on the weights, its prompt and its seed alone.
"""

import asyncio
import hashlib
import os
from typing import Any, NamedTuple

import ray
import torch
from verl.workers.rollout.base import BaseRollout
from verl.workers.rollout.replica import RolloutReplica, TokenOutput

from policies.seeding import stable_seed

ROLLOUT_NAME = "transformers_cpu"


class Request(NamedTuple):
    """One rollout that waits for its batch."""

    seed: int
    prompt_ids: list[int]
    sampling: dict[str, Any]
    answer: "asyncio.Future[TokenOutput]"


class TransformersServer:
    """Ray actor that holds the rollout weights and generates."""

    def __init__(self, rollout_config: Any, model_path: str) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True, warn_only=True)
        self.config = rollout_config
        self.model = AutoModelForCausalLM.from_pretrained(
            model_path, dtype=torch.float32, attn_implementation="eager"
        ).eval()
        tokenizer = AutoTokenizer.from_pretrained(model_path)
        self.end, self.pad = tokenizer.eos_token_id, tokenizer.pad_token_id
        self.parameters = dict(self.model.named_parameters())
        self.global_steps: int | None = None
        self.waiting: dict[str, list[Request]] = {}

    async def ready(self) -> int:
        """The server's process id."""
        return os.getpid()

    async def update_weights(self, weights: dict[str, Any], global_steps: int) -> None:
        """Replaces all weights; a missing tensor is an error, not a stale value."""
        missing = set(self.parameters) - set(weights)
        if missing:
            raise ValueError(f"weight update lacks {len(missing)} tensors, e.g. {sorted(missing)[:3]}")
        with torch.no_grad():
            for name, parameter in self.parameters.items():
                parameter.copy_(torch.as_tensor(weights[name]))
        self.global_steps = global_steps

    async def digest(self) -> dict[str, str]:
        """Tensor name -> sha256 of its float32 bytes, for the check of an exported model."""
        return {
            name: hashlib.sha256(parameter.detach().contiguous().numpy().tobytes()).hexdigest()
            for name, parameter in self.parameters.items()
        }

    async def set_global_steps(self, global_steps: int) -> None:
        """Version of the weights, reported with every answer."""
        self.global_steps = global_steps

    async def idle(self, *_: Any, **__: Any) -> None:
        """Sleep, wake and cache management: nothing to do on a CPU."""

    sleep = wake_up = clear_kv_cache = release_kv_cache = resume_kv_cache = idle
    abort_all_requests = resume_generation = start_profile = stop_profile = idle

    async def generate(
        self, prompt_ids: list[int], sampling_params: dict[str, Any], request_id: str, **_: Any
    ) -> TokenOutput:
        """Tokens and log-probabilities of one rollout; waits until its whole batch has arrived."""
        sampling = dict(sampling_params)
        batch, size = sampling.pop("advisor_batch", request_id), int(sampling.pop("advisor_batch_size", 1))
        if sampling.get("seed") is None:
            raise ValueError(f"rollout request {request_id} has no seed; every request needs its own")
        request = Request(int(sampling["seed"]), list(prompt_ids), sampling, asyncio.get_running_loop().create_future())
        waiting = self.waiting.setdefault(batch, [])
        waiting.append(request)
        if len(waiting) == size:
            self._answer(sorted(self.waiting.pop(batch), key=lambda one: one.seed))
        return await request.answer

    def _answer(self, requests: list[Request]) -> None:
        try:
            outputs = self._generate_batch(requests)
        except Exception as error:
            for request in requests:
                request.answer.set_exception(error)
            return
        for request, (tokens, log_probs) in zip(requests, outputs, strict=True):
            request.answer.set_result(
                TokenOutput(
                    token_ids=tokens,
                    log_probs=log_probs,
                    stop_reason="completed",
                    extra_fields={"global_steps": self.global_steps},
                )
            )

    @torch.no_grad()
    def _generate_batch(self, requests: list[Request]) -> list[tuple[list[int], list[float]]]:
        sampling = requests[0].sampling
        limit = int(sampling.get("max_tokens") or self.config.response_length)
        temperature = float(sampling.get("temperature", 1.0))
        if float(sampling.get("top_p", 1.0)) != 1.0 or int(sampling.get("top_k", -1)) > 0:
            raise ValueError("the transformers rollout server samples from the full distribution (top_p 1, top_k -1)")
        generators = [torch.Generator().manual_seed(request.seed) for request in requests]
        ids, mask = self._left_padded([request.prompt_ids for request in requests])
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        output = self.model(
            input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=True, logits_to_keep=1
        )
        tokens: list[list[int]] = [[] for _ in requests]
        log_probs: list[list[float]] = [[] for _ in requests]
        live = list(range(len(requests)))
        for step in range(limit):
            chosen, chosen_log_probs = _sample(output.logits[:, -1].float(), temperature, generators, live)
            for row in live:
                tokens[row].append(int(chosen[row]))
                log_probs[row].append(float(chosen_log_probs[row]))
            live = [row for row in live if tokens[row][-1] != self.end]
            if not live or step == limit - 1:
                break
            mask = torch.cat([mask, torch.ones(len(requests), 1, dtype=mask.dtype)], 1)
            output = self.model(
                input_ids=chosen[:, None],
                attention_mask=mask,
                position_ids=positions[:, -1:] + step + 1,
                past_key_values=output.past_key_values,
                use_cache=True,
            )
        return list(zip(tokens, log_probs, strict=True))

    def _left_padded(self, prompts: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        width = max(map(len, prompts))
        ids = torch.tensor([[self.pad] * (width - len(prompt)) + prompt for prompt in prompts])
        mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts])
        return ids, mask


def _sample(
    logits_n_v: torch.Tensor, temperature: float, generators: list[torch.Generator], live: list[int]
) -> tuple[torch.Tensor, torch.Tensor]:
    """(N,) token ids by inverse CDF, one uniform a live row, and their log-probabilities."""
    log_probs_n_v = torch.log_softmax(logits_n_v / temperature if temperature > 0 else logits_n_v, -1)
    if temperature <= 0:
        chosen = log_probs_n_v.argmax(-1)
    else:
        uniform = torch.zeros(logits_n_v.shape[0], 1)
        for row in live:
            uniform[row, 0] = torch.rand(1, generator=generators[row])[0]
        cumulative = log_probs_n_v.exp().cumsum(-1)
        chosen = torch.searchsorted(cumulative, uniform * cumulative[:, -1:]).squeeze(-1)
        chosen = chosen.clamp(max=logits_n_v.shape[-1] - 1)
    return chosen, log_probs_n_v.gather(-1, chosen[:, None])[:, 0]


def request_seed(seed: int, replicate: int, step: int, prompt_index: int, rollout_index: int) -> int:
    """The sampling seed of one rollout request (below 2**63)."""
    return stable_seed("rollout", seed, replicate, step, prompt_index, rollout_index)


class TransformersReplica(RolloutReplica):
    """verl's handle on the server."""

    async def launch_servers(self) -> None:
        """Starts the one server actor."""
        path = getattr(self.model_config, "path", None) or self.model_config["path"]
        server = (
            ray.remote(TransformersServer)
            .options(name=_server_name(self.replica_rank), num_cpus=0, max_concurrency=self.max_concurrency)
            .remote(self.config, path)
        )
        await server.ready.remote()
        self.servers = [server]
        self._server_handle = server
        self._server_address = f"{ROLLOUT_NAME}:{self.replica_rank}"


def _server_name(replica_rank: int) -> str:
    return f"advisor_{ROLLOUT_NAME}_{replica_rank}"


def load_replica() -> type[TransformersReplica]:
    """What verl's replica registry calls."""
    return TransformersReplica


class TransformersRollout(BaseRollout):
    """Lives in the actor's process (hybrid mode) and pushes its weights to the server."""

    def __init__(self, config: Any, model_config: Any, device_mesh: Any, **_: Any) -> None:
        super().__init__(config, model_config, device_mesh)
        self.rank = int(os.environ.get("RANK", "0"))
        self._server: Any = None

    async def resume(self, tags: list[str]) -> None:
        """Nothing is ever offloaded."""

    async def release(self) -> None:
        """Nothing is ever offloaded."""

    @torch.no_grad()
    async def update_weights(
        self, weights: Any, global_steps: int | None = None, wire_format: str = "named_tensors", **_: Any
    ) -> None:
        """Sends all weights as float32; every rank drains the generator, for its collectives."""
        if wire_format != "named_tensors":
            raise ValueError(f"wire format {wire_format!r} is not supported by {ROLLOUT_NAME}; use named_tensors")
        tensors = {name: tensor.detach().float().cpu().numpy().copy() for name, tensor in weights}
        if self.rank == 0:
            if self._server is None:
                self._server = ray.get_actor(_server_name(0))
            await self._server.update_weights.remote(tensors, global_steps)
