"""The environment of a run's processes, the recorded part of it, and the hardware class."""

import platform
from collections.abc import Mapping
from pathlib import Path

from training.fast_start import SWITCH, is_wanted
from training.launchers.environment import child_environment

_RECORDED = ("VERL_", "RAY_", "OMP_", "MKL_", "OPENBLAS_", "TORCH", "TQ_", "NCCL_", "GLOO_", "VLLM_", "CUDA_", "HF_",
             "TOKENIZERS_", "TRANSFORMERS_", "PYTHON", "LC_", "LANG", "TZ")  # fmt: skip


_OF_THE_SHELL = {"LANG", "LANGUAGE", "LC_CTYPE", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "CUDA_HOME"}
"""Not passed on: languages, and devices, since Ray uses a logical one."""
_PLACES = {"HF_HOME", "HF_HUB_CACHE", "HF_TOKEN_PATH"}
"""Locations of files; the files are identified by content."""


def training_environment(metrics_file: Path) -> dict[str, str]:
    """Returns the environment that verl, Ray and torch need on a CPU, for the run's own processes only.

    The same whatever shell it is started from: a study that is resumed elsewhere must not differ between its arms.
    Raises InputError as `fast_start.is_wanted` does.
    """
    given = {name: value for name, value in child_environment().items() if name not in _OF_THE_SHELL}
    return given | {
        SWITCH: "1" if is_wanted(given) else "0",  # not recorded below: it changes no result, `driver.json` has it
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "VERL_USE_EXTERNAL_MODULES": "training.verl_plugin.platform_cpu",
        "VERL_USE_EXTERNAL_PLUGINS": "none",
        "VERL_PLATFORM": "cpu",
        "VERL_LOGGING_LEVEL": "WARN",
        "VERL_FILE_LOGGER_PATH": str(metrics_file),
        "TRANSFER_QUEUE_ENABLE": "1",
        "TQ_NUM_THREADS": "1",  # TransferQueue otherwise gives torch all cores around every put and get
        "JE_ARROW_MALLOC_CONF": "background_thread:false",  # a process with one thread can be forked
        "OMP_NUM_THREADS": "1",  # two torch threads per process on busy cores are twenty times slower
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
        "GLOO_SOCKET_IFNAME": "lo0" if platform.system() == "Darwin" else "lo",
        "HYDRA_FULL_ERROR": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONSAFEPATH": "1",
        "RAY_DEDUP_LOGS": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_DISABLE_IMPORT_WARNING": "1",
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_memory_monitor_refresh_ms": "0",
        "RAY_worker_niceness": "0",  # Ray's workers run at nice 15 by default and starve next to other processes
    }


def recorded_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the part of an environment that can change what a run computes; it is compared between arms."""
    kept = {key: value for key, value in environment.items() if key.startswith(_RECORDED) and key not in _PLACES}
    return dict(sorted(kept.items()))


def hardware_class() -> str:
    """Returns machine type and processor, e.g. `cpu x86_64 Intel(R) Xeon(R) ...`; equal for comparable runs."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"cpu {platform.machine()} {model}".strip()
