"""Seeded random generators: every draw of an analysis follows from the plan's hash, none from global state."""

import hashlib

import numpy as np


def rng_for(plan_hash: str, purpose: str) -> np.random.Generator:
    """A generator of its own for each purpose of one plan; the same two strings give the same draws everywhere."""
    digest = hashlib.sha256(f"{plan_hash}\0{purpose}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))
