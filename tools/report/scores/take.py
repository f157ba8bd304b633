"""The pairs needed to answer the question of a score table, at the spread known for its model or its own spread."""

from typing import NamedTuple

from policies.errors import InputError
from tools.plan.prior import Prior
from tools.report.claims.facts import NEGATIVE
from tools.report.claims.power import needed_equivalent_sentence, needed_supported_sentence, spread_sentence
from tools.statistics.power.estimate_prior import estimate_prior
from tools.statistics.power.model import PowerStatement
from tools.statistics.power.priors import find_prior, spread
from tools.statistics.power.statement import power_statement
from tools.statistics.random_streams import rng_for
from tools.statistics.table.analysis import JudgedCell, JudgedFamily
from tools.text.markdown import text

OPEN = (*NEGATIVE, "depends_on_summary")


class _Asked(NamedTuple):
    prior: Prior
    n: int


class Takes:
    """Sentences on the pairs needed; cells with the same model and family size share the computation."""

    def __init__(self, scores_hash: str) -> None:
        self._hash = scores_hash
        self._known: dict[str, PowerStatement] = {}

    def sentences(self, cell: JudgedCell, family: JudgedFamily) -> tuple[str, ...]:
        """Returns the pairs for the smallest effect of interest and for equivalence, and the assumed spread; Markdown.

        Empty where every comparison is settled or invalid; says so where no spread is known.
        """
        if not any(one.verdict in OPEN for one in family.comparisons):
            return ()
        asked = _asked(cell, family)
        if asked is None:
            return ("The spread of the differences is unknown: fewer than two seeds are complete in all arms.",)
        analysis = family.analysis
        key = f"{asked.n} {analysis.model_dump_json()} {asked.prior.model_dump_json()}"
        if key not in self._known:
            rng = rng_for(self._hash, f"power of {asked.n}")
            self._known[key] = power_statement(asked.n, analysis, asked.prior, rng)
        power = self._known[key]
        said = (needed_supported_sentence(power, None), needed_equivalent_sentence(power, None), spread_sentence(power))
        return tuple(text(one) for one in said)


def _asked(cell: JudgedCell, family: JudgedFamily) -> _Asked | None:
    """Returns the prior of the cell's model where it covers these summaries, else the spread of the family's runs."""
    n = max(len(one.seeds) for one in family.comparisons)
    names = [str(value) for value in (*cell.group.values(), *cell.about.values())]
    known = find_prior(*names)
    if known is not None:
        try:
            spread(known, family.analysis.summaries)
        except InputError:
            known = None
    if known is not None:
        return _Asked(known, n)
    invalid = {one.comparison.treatment for one in cell.judged if one.comparison.verdict == "invalid_data"}
    every = [arm for arm in cell.table.arms if arm not in invalid]
    named = [family.control, *(one.treatment for one in family.comparisons if one.treatment not in invalid)]
    own = _own(cell, family, every) or _own(cell, family, named)
    return None if own is None else _Asked(own, n)


def _own(cell: JudgedCell, family: JudgedFamily, arms: list[str]) -> Prior | None:
    """Returns the spread of these arms' runs; a policy's effect is an arm effect, so every arm can be used."""
    source = f"sqrt(2*MSE) of arm + seed in the runs of this table, {len(arms)} arms"
    try:
        return estimate_prior(cell.table, family.analysis.summaries, ["this table"], source, arms)
    except InputError:
        return None
