"""A CPU "device platform" for verl 0.9.1, loaded with `VERL_USE_EXTERNAL_MODULES` and chosen with `VERL_PLATFORM=cpu`.

verl asks its platform for a device module, a collective backend and a Ray resource. On a CPU these are torch's own CPU
module with memory functions that answer zero, gloo, and Ray's *logical* GPU resource (verl counts only GPU and NPU).
"""

import os
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed
from verl.plugin.platform.platform_base import PlatformBase
from verl.plugin.platform.platform_manager import PlatformRegistry


class _CPUDeviceModule(types.ModuleType):
    """`torch.cpu` plus the memory and random-state functions that verl expects of a device module."""

    def __getattr__(self, name: str) -> Any:
        return getattr(torch.cpu, name)

    def memory_allocated(self, *_: Any, **__: Any) -> int:
        return 0

    memory_reserved = max_memory_allocated = max_memory_reserved = memory_allocated

    def mem_get_info(self, *_: Any, **__: Any) -> tuple[int, int]:
        import psutil

        memory = psutil.virtual_memory()
        return memory.available, memory.total

    def empty_cache(self, *_: Any, **__: Any) -> None:
        return None

    ipc_collect = reset_peak_memory_stats = empty_cache

    def get_device_name(self, *_: Any, **__: Any) -> str:
        return "CPU"

    def get_rng_state(self, *_: Any, **__: Any) -> torch.Tensor:
        return torch.get_rng_state()

    def set_rng_state(self, state: torch.Tensor, *_: Any, **__: Any) -> None:
        torch.set_rng_state(state)

    def is_available(self) -> bool:
        return False


_DEVICE_MODULE = _CPUDeviceModule("advisor_torch_cpu")


@PlatformRegistry.register(platform="cpu")
class PlatformCPU(PlatformBase):
    """verl's device platform for machines without an accelerator."""

    device_name = "cpu"
    vendor_name = "generic"
    device_module = _DEVICE_MODULE

    def is_available(self) -> bool:
        """Whether an accelerator is there: never."""
        return False

    def is_platform_available(self, use_smi_check: bool = False) -> bool:
        """Never found by itself; `VERL_PLATFORM=cpu` opts in."""
        return False

    def current_device(self) -> str:
        """What verl hands to `tensor.to`."""
        return "cpu"

    def device_count(self) -> int:
        """One logical device a process."""
        return 1

    def set_device(self, device_index: int) -> None:
        """Nothing to choose."""

    def synchronize(self, device_index: int | None = None) -> None:
        """CPU kernels are synchronous."""

    def manual_seed(self, seed: int) -> None:
        """Seeds torch's one CPU generator."""
        torch.manual_seed(seed)

    manual_seed_all = manual_seed

    def set_allocator_settings(self, settings: str) -> None:
        """No device allocator."""

    def empty_cache(self) -> None:
        """No device cache."""

    def get_device_capability(self, device_index: int = 0) -> tuple[None, None]:
        """No compute capability."""
        return None, None

    def communication_backend_name(self) -> str:
        """`gloo`; creates the process group first.

        verl builds "cpu:gloo,<device>:<backend>", and with device "cpu" torch refuses the doubled device type. verl
        skips its own initialisation when the group exists, and this runs while verl evaluates that very string.
        """
        environment = os.environ
        needed = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
        if not torch.distributed.is_initialized() and all(key in environment for key in needed):
            torch.distributed.init_process_group(
                "gloo", rank=int(environment["RANK"]), world_size=int(environment["WORLD_SIZE"])
            )
        return "gloo"

    def visible_devices_envvar(self) -> str:
        """Ray sets this one for its logical GPU."""
        return "CUDA_VISIBLE_DEVICES"

    @contextmanager
    def nvtx_range(self, msg: str) -> Iterator[None]:
        """No profiler ranges."""
        yield

    def profiler_start(self) -> None:
        """No device profiler."""

    def profiler_stop(self) -> None:
        """No device profiler."""

    def ray_resource_name(self) -> str:
        """verl counts only GPU and NPU: use Ray's logical GPU."""
        return "GPU"

    def ray_resource_options(self, num_gpus: float) -> dict[str, float]:
        """Options of a Ray actor that holds devices."""
        return {"num_gpus": num_gpus}

    def ray_noset_envvars(self) -> list[str]:
        """None needed."""
        return []

    def is_ipc_supported(self) -> bool:
        """No device memory to share."""
        return False

    def cudart(self) -> None:
        """No CUDA runtime."""
