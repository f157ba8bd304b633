"""verl's FSDP2 engine on a CPU (gloo). Registered when imported."""

import torch
from verl.utils.torch_dtypes import PrecisionType
from verl.workers.engine.base import EngineRegistry
from verl.workers.engine.fsdp.transformer_impl import FSDPEngineWithLMHead


@EngineRegistry.register(model_type="language_model", backend=["fsdp", "fsdp2"], device="cpu")
class CPUEngineWithLMHead(FSDPEngineWithLMHead):
    """Real FSDP2 for the actor; the reference model stays unwrapped.

    verl shards a forward-only module with `CPUOffloadPolicy(pin_memory=True)`, and pinning needs an accelerator.
    """

    def _build_fsdp_module(self, module: torch.nn.Module) -> torch.nn.Module:
        if not self.engine_config.forward_only:
            return super()._build_fsdp_module(module)
        precision = self.engine_config.mixed_precision or {}
        self._autocast_dtype = PrecisionType.to_dtype(precision.get("param_dtype", "fp32"))
        self.scaler = None
        self._is_offload_param = self._is_offload_optimizer = False
        return module.eval()
