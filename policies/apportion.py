"""Domain shares -> whole numbers of prompts, by systematic sampling."""

import math
from collections.abc import Mapping

import numpy as np

from policies.errors import InputError
from policies.seeding import stream


def checked_shares(shares: Mapping[str, float]) -> dict[str, float]:
    """`shares` in the order of their names, rescaled to sum to 1 exactly.

    Raises InputError for an empty mapping, a share that is negative or not finite, or a sum off 1 by over 1e-6.
    """
    faults = [f"{name}={share}" for name, share in shares.items() if not math.isfinite(share) or share < 0]
    if faults:
        raise InputError(f"domain shares must be finite and >= 0, not {', '.join(faults)}")
    total = math.fsum(shares.values())
    if not shares or abs(total - 1) > 1e-6:
        raise InputError(f"domain shares must sum to 1, not {total:g}: {dict(shares)}")
    return {name: float(shares[name]) / total for name in sorted(shares)}


def apportion(shares: Mapping[str, float], total: int, seed: int, step: int) -> dict[str, int]:
    """How many of `total` prompts each domain gets in this step; sums to `total` exactly.

    Systematic sampling: one uniform u in [0, 1) and one order of the domains, both drawn from (seed, step); with C_d
    the cumulative share in that order, domain d gets floor(C_d * total + u) - floor(C_(d-1) * total + u). It is
    floor or ceil of share * total, and its expectation over u is share * total exactly.

    Why not largest remainder: u does not depend on the shares, so arms with the same shares draw the same counts and
    arms with nearly the same shares nearly always do (common random numbers). An inert mixer then realises exactly its
    control's prompts, instead of a spurious dose made by the rounding; and a share of .0625/2 of 16 prompts comes up
    in half of the steps, where largest remainder gives it always or never.

    Raises InputError for shares that are no shares (`checked_shares`) or a negative total.
    """
    valid = checked_shares(shares)
    if total < 0:
        raise InputError(f"prompts in a step must be >= 0, not {total}")
    rng = stream("apportion", seed, step)
    u = rng.random()
    names = [list(valid)[i] for i in rng.permutation(len(valid))]
    edges = np.cumsum([valid[name] for name in names]) * total
    edges[-1] = total
    counts = np.diff(np.minimum(np.floor(edges + u), total), prepend=0).astype(int)
    return {name: int(count) for name, count in sorted(zip(names, counts, strict=True))}
