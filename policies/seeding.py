"""Seeds from names: every random draw of a run has its own stream, fixed by what it is for."""

import hashlib
import json

import numpy as np
from numpy.typing import NDArray


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


def mixed_bits(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The splitmix64 finaliser: each of 64 bits in changes half of the bits out; a bijection, element by element."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed: NDArray[np.uint64] = x ^ (x >> np.uint64(31))
    return mixed
