"""Which prompts a step draws: by domain shares, from orders that all arms of a seed have in common."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from policies.apportion import apportion
from policies.errors import InputError
from policies.seeding import stream

_POOL = "pool"
_DOMAIN = "domain"


class PromptStream:
    """A pure, seeded sampler of dataset rows.

    Within a domain rows come in a seeded permutation, without replacement until the domain is exhausted, then in a
    fresh one (epoch k is seeded by (seed, domain, k)). The orders do not depend on the shares, so two arms of one seed
    meet the same prompts of a domain in the same order, and arms that ask for the same counts draw the same rows in
    the same places. Without shares, rows come from an own permutation of the whole pool.

    A step that crosses the end of an epoch may draw a row twice.
    """

    def __init__(self, domains_of_rows: Sequence[str], seed: int) -> None:
        """`domains_of_rows[i]` is the domain of dataset row i; raises InputError for an empty dataset."""
        if not len(domains_of_rows):
            raise InputError("the training data has no rows: nothing to draw prompts from")
        self.seed = int(seed)
        names = [str(name) for name in domains_of_rows]
        rows: dict[str, list[int]] = {name: [] for name in sorted(set(names))}
        for row, name in enumerate(names):
            rows[name].append(row)
        self._rows = rows
        self._pool = list(range(len(names)))
        self._data = hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]
        self._drawn = dict.fromkeys(rows, 0)
        self._pool_drawn = 0
        self._orders: dict[tuple[str, str], tuple[int, list[int]]] = {}

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains of the data, sorted."""
        return tuple(self._rows)

    def draw(self, step: int, total: int, shares: Mapping[str, float] | None = None) -> list[int]:
        """The next `total` rows, in the order in which they are rolled out.

        `shares` (domain -> share, summing to 1) are apportioned by (seed, step); None is uniform over the pool.
        Raises InputError for shares of a domain that the data lacks.
        """
        if shares is None:
            drawn = self._take(_POOL, "", self._pool, self._pool_drawn, total)
            self._pool_drawn += total
            return drawn
        unknown = sorted(name for name, share in shares.items() if share > 0 and name not in self._rows)
        if unknown:
            raise InputError(f"the training data has no domain {', '.join(unknown)}; it has {', '.join(self._rows)}")
        drawn = []
        for name, count in apportion(shares, total, self.seed, step).items():
            if count:
                drawn += self._take(_DOMAIN, name, self._rows[name], self._drawn[name], count)
                self._drawn[name] += count
        places = stream("places", self.seed, step).permutation(total)
        return [drawn[place] for place in places]

    def _take(self, kind: str, name: str, rows: list[int], start: int, count: int) -> list[int]:
        taken: list[int] = []
        while len(taken) < count:
            epoch, offset = divmod(start + len(taken), len(rows))
            order = self._order(kind, name, rows, epoch)
            taken += order[offset : offset + count - len(taken)]
        return taken

    def _order(self, kind: str, name: str, rows: list[int], epoch: int) -> list[int]:
        cached = self._orders.get((kind, name))
        if cached is None or cached[0] != epoch:
            places = stream("prompts", kind, self.seed, name, epoch).permutation(len(rows))
            cached = (epoch, [rows[place] for place in places])
            self._orders[kind, name] = cached
        return cached[1]

    def state_dict(self) -> dict[str, Any]:
        """How far each order was read, as plain JSON, with the seed and a hash of the data that it belongs to."""
        return {"seed": self.seed, "data": self._data, "drawn": dict(self._drawn), "pool": self._pool_drawn}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues where `state_dict` was taken; raises InputError if that was another seed or other data."""
        if state["seed"] != self.seed or state["data"] != self._data:
            raise InputError(
                f"prompt stream of seed {state['seed']} on data {state['data']} cannot continue as seed {self.seed} on "
                f"data {self._data}: start the run anew"
            )
        self._drawn = {name: int(state["drawn"][name]) for name in self._rows}
        self._pool_drawn = int(state["pool"])
