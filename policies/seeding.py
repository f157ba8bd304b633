"""Seeds from names: every random draw of a run has its own stream, fixed by what it is for."""

import hashlib
import json

import numpy as np


def stable_seed(*parts: int | str) -> int:
    """A seed in [0, 2**63) that depends on `parts` alone, the same on every machine and in every process.

    `stable_seed(seed, replicate, step, prompt, rollout)` names one rollout's stream. Parts are told apart by type and
    border: ("a", "b") differs from ("ab",), 1 from "1".
    """
    text = json.dumps([part if isinstance(part, str) else int(part) for part in parts])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def stream(*parts: int | str) -> np.random.Generator:
    """A fresh generator seeded with `stable_seed(*parts)`."""
    return np.random.default_rng(stable_seed(*parts))
