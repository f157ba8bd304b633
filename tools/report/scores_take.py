"""What it would take to answer the question of a score table: pairs, at the spread known for its model or its own."""

from typing import NamedTuple

from policies.errors import InputError
from tools.report.facts import NEGATIVE
from tools.report.markdown import text
from tools.report.wording_power import needed_equivalent_sentence, needed_supported_sentence, spread_sentence
from tools.statistics.estimate_prior import estimate_prior
from tools.statistics.plan_power import power_statement
from tools.statistics.power_model import PowerStatement
from tools.statistics.priors import Prior, find_prior
from tools.statistics.score_analysis import JudgedCell, JudgedFamily
from tools.statistics.streams import rng_for

OPEN = (*NEGATIVE, "depends_on_summary")


class _Asked(NamedTuple):
    prior: Prior
    n: int


class Takes:
    """Statements by what they rest on: cells of one model and one family size share them."""

    def __init__(self, scores_hash: str) -> None:
        self._hash = scores_hash
        self._known: dict[str, PowerStatement] = {}

    def sentences(self, cell: JudgedCell, family: JudgedFamily) -> tuple[str, ...]:
        """Pairs for the smallest effect of interest and for equivalence, and the spread assumed; Markdown.

        Empty where every comparison is settled or invalid, and where no spread is known.
        """
        if not any(one.verdict in OPEN for one in family.comparisons):
            return ()
        asked = _asked(cell, family)
        if asked is None:
            return ("The spread of the differences is not known: fewer than two seeds are complete in all arms.",)
        analysis = family.analysis
        key = f"{asked.n} {analysis.model_dump_json()} {asked.prior.model_dump_json()}"
        if key not in self._known:
            rng = rng_for(self._hash, f"power of {asked.n}")
            self._known[key] = power_statement(asked.n, analysis, asked.prior, rng)
        power = self._known[key]
        said = (needed_supported_sentence(power, None), needed_equivalent_sentence(power, None), spread_sentence(power))
        return tuple(text(one) for one in said)


def _asked(cell: JudgedCell, family: JudgedFamily) -> _Asked | None:
    """The prior of the cell's model where it knows these summaries, else the spread of the family's own runs."""
    n = max(len(one.seeds) for one in family.comparisons)
    names = [str(value) for value in (*cell.group.values(), *cell.about.values())]
    known = find_prior(*names)
    if known is not None:
        try:
            known.spread(family.analysis.summaries)
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
    """The spread of these arms' runs; what a policy does is an effect of its arm, so every arm may serve."""
    source = f"sqrt(2*MSE) of arm + seed in the runs of this table, {len(arms)} arms"
    try:
        return estimate_prior(cell.table, family.analysis.summaries, ["this table"], source, arms)
    except InputError:
        return None
