"""`doctor`: what this machine can run, and the exact line that adds what is missing."""

import os
import shutil
import subprocess
import sys
from typing import Literal, NamedTuple

from advisor.cli import output

EXTRAS = {
    "train": ("verl", "torch", "ray", "transformers", "TransferQueue", "math-verify"),
    "gpu": ("vllm",),
    "mcp": ("mcp",),
}
BASE = (
    "langgraph", "langgraph-checkpoint-sqlite", "openai", "pydantic", "scipy", "numpy", "typer", "rich", "matplotlib",
)  # fmt: skip
MEMORY_GIB = 4.0
"""Peak of a tiny-cpu run, with room."""


class Check(NamedTuple):
    """One line of the answer."""

    name: str
    state: Literal["ok", "missing", "info"]
    """`missing` makes the exit code 1."""
    detail: str
    fix: str = ""


def doctor(as_json: output.JsonFlag = False) -> int:
    """Says what this machine can run; exit 1 when no study."""
    checks = [*_machine(), *_packages(), _fast_start(), _llm(), *_folders()]
    healthy = all(check.state != "missing" for check in checks)
    if as_json:
        output.emit({"healthy": healthy, "checks": [check._asdict() for check in checks]})
        return 0 if healthy else 1
    from rich.text import Text

    console = output.data()
    style = {"ok": "green", "missing": "bold red", "info": "dim"}
    for check in checks:
        state = (f"{check.state:<8}", style[check.state])
        console.print(Text.assemble(f"{check.name:<16} ", state, f" {check.detail}"), soft_wrap=True)
        if check.fix:
            console.print(f"{'':<25} {check.fix}", soft_wrap=True, markup=False)
    return 0 if healthy else 1


def _machine() -> list[Check]:
    import psutil

    supported, installed = (3, 11) <= sys.version_info[:2] <= (3, 12), sys.version.split()[0]
    memory = psutil.virtual_memory()
    total, free = memory.total / 2**30, memory.available / 2**30
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [
        Check("python", "ok", installed) if supported else Check("python", "missing", installed, "use 3.11 or 3.12"),
        Check("cpu", "info", f"{cores} cores"),
        Check(
            "memory",
            "ok" if free >= MEMORY_GIB else "info",
            f"{free:.1f} GiB free of {total:.1f}; a tiny-cpu run takes under {MEMORY_GIB:g} GiB",
        ),
        _gpu(),
    ]


def _gpu() -> Check:
    """By nvidia-smi, without torch."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return Check("gpu", "info", "none found (no nvidia-smi); the recipe tiny-cpu runs without")
    command = [tool, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return Check("gpu", "info", "nvidia-smi is there and does not answer")
    names = [line.strip() for line in answer.stdout.splitlines() if line.strip()]
    return Check("gpu", "ok" if names else "info", "; ".join(names) or "nvidia-smi lists none")


def _packages() -> list[Check]:
    checks = [_extra("base", BASE, required=True, fix="pip install -e .")]
    for extra, names in EXTRAS.items():
        constraint = "gpu" if extra == "gpu" else "cpu"
        fix = f"pip install -c constraints/{constraint}.txt -e '.[{extra}]'"
        checks.append(_extra(extra, names, required=extra == "train", fix=fix))
    return checks


def _extra(extra: str, names: tuple[str, ...], *, required: bool, fix: str) -> Check:
    found = {name: _version(name) for name in names}
    missing = [name for name, value in found.items() if value is None]
    label = "packages" if extra == "base" else f"extra {extra}"
    if missing:
        return Check(label, "missing" if required else "info", f"not installed: {', '.join(missing)}", fix)
    return Check(label, "ok", ", ".join(f"{name} {value}" for name, value in found.items()))


def _version(name: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _fast_start() -> Check:
    """Whether Ray's workers are forked, and the switch."""
    from policies.errors import InputError
    from training.fast_start import SWITCH, is_wanted

    try:
        wanted = is_wanted()
    except InputError as error:
        return Check("fast start", "missing", str(error))
    if not wanted:
        return Check("fast start", "info", f"off, runs start slower; unset {SWITCH} to switch it on")
    if sys.platform != "linux":
        return Check("fast start", "info", "none: it needs Linux")
    return Check("fast start", "info", f"on; {SWITCH}=0 switches it off if Ray's workers fail to start")


def _llm() -> Check:
    """Whether one is configured; the key itself is never shown."""
    from advisor.settings import load_settings

    settings = load_settings()
    key = "set" if settings.api_key else "not set"
    if settings.has_llm:
        return Check("llm", "ok", f"{settings.model} at {settings.place}, key {key}")
    detail = "none: questions are read by rules"
    return Check("llm", "info", detail, "set ADVISOR_MODEL and OPENAI_API_KEY, or OPENAI_BASE_URL for your own server")


def _folders() -> list[Check]:
    from advisor.settings import load_settings
    from tools.study.folder import studies_root

    checks = []
    places = (
        ("studies", studies_root(), "ADVISOR_STUDIES"),
        ("conversations", load_settings().state_dir, "ADVISOR_HOME"),
    )
    for label, folder, variable in places:
        parent = next(place for place in (folder, *folder.parents) if place.exists())
        free = shutil.disk_usage(parent).free / 2**30
        writable = os.access(parent, os.W_OK) and parent.is_dir()
        fix = "" if writable else f"set {variable} to a folder of yours"
        state: Literal["ok", "missing"] = "ok" if writable else "missing"
        checks.append(Check(label, state, f"{folder}, {free:.0f} GiB free{'' if writable else ', not writable'}", fix))
    return checks
