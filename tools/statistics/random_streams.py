"""Seeded random generators: every draw of an analysis is determined by the plan's hash, none by global state."""

import hashlib

import numpy as np


def rng_for(plan_hash: str, purpose: str) -> np.random.Generator:
    """Returns a separate generator for each purpose of a plan; the same two strings always give the same draws."""
    digest = hashlib.sha256(f"{plan_hash}\0{purpose}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))
