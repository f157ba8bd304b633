"""Neutral titles and lead sentences over many comparisons."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tools.report.claims.facts import facts
from tools.report.claims.titles import NAMES, comparison_title
from tools.statistics.table.analysis import Judged, JudgedCell, ScoreAnalysis
from tools.statistics.verdict_model import Comparison
from tools.text import numbers

_KINDS = {"better": "better", "worse": "worse"} | {verdict: name.counted for verdict, name in NAMES.items()}
"""Verdict names in the order of the report; better and worse are reported even where there is none."""
_KNOWN = 8
"""Most columns of a cell that are named."""


def scores_title(analysis: ScoreAnalysis) -> str:
    """Returns question and answer in one line."""
    judged = analysis.judged
    if len(judged) == 1:
        return comparison_title(judged[0].comparison)
    names = tuple(dict.fromkeys(one.comparison.treatment for one in judged))
    controls = tuple(dict.fromkeys(one.comparison.control for one in judged))
    if len(names) <= 4 and len(controls) == 1:
        question = f"Do {numbers.listed(names)} beat {controls[0]}?"
        question = question.replace("Do ", "Does ", 1) if len(names) == 1 else question
    else:
        question = f"Does any of {numbers.counted(len(names), 'treatment')} beat its control?"
    return f"{question} Of {numbers.word(len(judged))} comparisons {counts_sentence(judged)}"


def counts_sentence(judged: Sequence[Judged]) -> str:
    """Returns `none is better or worse under every summary; 44 are inconclusive, one is equivalent`."""
    counts = Counter(_kind(one.comparison) for one in judged)
    sides = [(counts.pop("better", 0), "better"), (counts.pop("worse", 0), "worse")]
    if not any(count for count, _ in sides):
        first = "none is better or worse under every summary"
    else:
        first = f"{numbers.listed([f'{_is(count)} {side}' for count, side in sides])} under every summary"
    whole = [kind for kind in counts if counts[kind] == len(judged) > 2]
    rest = [
        f"{'all ' if kind in whole else ''}{_is(counts[kind])} {name}" for kind, name in _KINDS.items() if counts[kind]
    ]
    return "; ".join([first, *([", ".join(rest)] if rest else [])])


def chance_sentence(judged: Sequence[Judged]) -> str:
    """Returns how many unadjusted intervals exclude zero, and how many would by chance; empty without intervals."""
    known = [
        one.comparison for one in judged if any(each.low is not None for each in one.comparison.summaries.values())
    ]
    if not known:
        return ""
    intervals = sum(len(one.summaries) for one in known)
    found = [len(one.exclusions_unadjusted) for one in known]
    expected = sum(one.exclusions_expected or 0.0 for one in known)
    every = sum(len(one.exclusions_unadjusted) == len(one.summaries) for one in known)
    level = numbers.percent(known[0].confidence)
    some = numbers.counted(sum(count > 0 for count in found), "comparison")
    return (
        f"At the unadjusted {level} level {sum(found):,} of {intervals:,} intervals exclude zero, in {some}, under "
        f"every summary in {numbers.word(every) if every else 'none'}; about {expected:.3g} intervals would do so by "
        "chance if no arm differed."
    )


def count_of(judged: Sequence[Judged]) -> dict[str, int]:
    """Returns the number of comparisons with each verdict that occurs, by its name."""
    counts = Counter(_kind(one.comparison) for one in judged)
    return {name: counts[kind] for kind, name in _KINDS.items() if counts[kind]}


def _kind(one: Comparison) -> str:
    return one.direction or "" if one.verdict == "supported" else one.verdict


def _is(count: int) -> str:
    return "none is" if count == 0 else f"{numbers.word(count)} {'is' if count == 1 else 'are'}"


def cell_title(cell: JudgedCell) -> str:
    """Returns `main, Qwen2.5-0.5B-Instruct, standard`; `All comparisons` where nothing separates cells."""
    return ", ".join(str(value) for value in cell.group.values()) or "All comparisons"


def detail_title(judged: Judged) -> str:
    """Returns the comparison's title with its cell."""
    where = ", ".join(str(value) for value in judged.group.values())
    return comparison_title(judged.comparison, where)


def scope_sentence(judged: Judged, cell: JudgedCell, sesoi: str) -> str:
    """Returns what is known about one comparison's cell, its family and its smallest effect of interest."""
    one = facts(judged.comparison)
    known = [f"{name} {value}" for name, value in (*cell.group.items(), *cell.about.items())][:_KNOWN]
    family = numbers.counted(one.comparison.k, "treatment")
    parts = [
        *([", ".join(known)] if known else []),
        f"{family} against {one.control}",
        f"smallest effect of interest {sesoi}",
    ]
    return f"{numbers.capital('; '.join(parts))}."


_FIRST = ("supported", "depends_on_summary", "invalid_data", "treatment_not_delivered", "not_estimable")


def worst_first(comparisons: Iterable[Judged]) -> list[Judged]:
    """Sorts by the primary summary's lower family limit; those without an interval last, in the table's order."""
    return sorted(comparisons, key=_low)


def most_telling(comparisons: Iterable[Judged]) -> list[Judged]:
    """Sorts by what is likely to be quoted: claims, faults, then the number of summaries that exclude zero alone."""
    return sorted(comparisons, key=lambda one: (*_claim(one), *_low(one)))


def _low(judged: Judged) -> tuple[bool, float]:
    low = judged.comparison.summaries[judged.comparison.primary].low_family
    return low is None, 0.0 if low is None else low


def _claim(judged: Judged) -> tuple[int, int]:
    one = judged.comparison
    place = _FIRST.index(one.verdict) if one.verdict in _FIRST else len(_FIRST)
    return place, -len(one.exclusions_unadjusted)
