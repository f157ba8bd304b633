"""Which accelerators this machine has, found without loading torch."""

from pathlib import Path


def gpu_count(root: Path = Path("/")) -> int:
    """NVIDIA GPUs that the driver shows, 0 where there are none."""
    listed = root / "proc" / "driver" / "nvidia" / "gpus"
    if listed.is_dir():
        return sum(1 for _ in listed.iterdir())
    return sum(1 for device in (root / "dev").glob("nvidia*") if device.name.removeprefix("nvidia").isdigit())
