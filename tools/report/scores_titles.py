"""Titles and lead sentences over many comparisons, without leaning."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tools.report import numbers
from tools.report.facts import facts
from tools.report.titles import comparison_title
from tools.statistics.score_analysis import Judged, JudgedCell, ScoreAnalysis
from tools.statistics.verdict_model import Comparison

_KINDS: Mapping[str, str] = {
    "better": "better",
    "worse": "worse",
    "depends_on_summary": "depending on the summary",
    "negative_equivalent": "equivalent",
    "negative_inconclusive": "inconclusive",
    "not_estimable": "not estimable",
    "invalid_data": "with invalid data",
}
"""In the order in which they are told; better and worse are told even where there is none."""


_KNOWN = 8
"""Columns of a cell that are named."""


def scores_title(analysis: ScoreAnalysis) -> str:
    """Question and answer in one line."""
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
    """`none is better and none worse under every summary; 44 are inconclusive, one is equivalent`."""
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
    """How many unadjusted intervals exclude zero, and how many would by chance; empty where none was computed."""
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
    """How many comparisons end in each way, named as a reader would, those that occur."""
    counts = Counter(_kind(one.comparison) for one in judged)
    return {name: counts[kind] for kind, name in _KINDS.items() if counts[kind]}


def _kind(one: Comparison) -> str:
    return one.direction or "" if one.verdict == "supported" else one.verdict


def _is(count: int) -> str:
    return "none is" if count == 0 else f"{numbers.word(count)} {'is' if count == 1 else 'are'}"


def cell_title(cell: JudgedCell) -> str:
    """`main, Qwen2.5-0.5B-Instruct, standard`; the arms where nothing separates cells."""
    return ", ".join(str(value) for value in cell.group.values()) or "All comparisons"


def detail_title(judged: Judged) -> str:
    """The comparison's title with the cell that it stands in."""
    where = ", ".join(str(value) for value in judged.group.values())
    title = comparison_title(judged.comparison)
    question, mark, answer = title.partition("? ")
    return f"{question}, in {where}{mark}{answer}" if where else title


def scope_sentence(judged: Judged, cell: JudgedCell, sesoi: str) -> str:
    """What is known of the cell, the family and the smallest effect of interest of one comparison."""
    one = facts(judged.comparison)
    known = [f"{name} {value}" for name, value in (*cell.group.items(), *cell.about.items())][:_KNOWN]
    family = numbers.counted(one.comparison.k, "treatment")
    parts = [
        *([", ".join(known)] if known else []),
        f"{family} against {one.control}",
        f"smallest effect of interest {sesoi}",
    ]
    return f"{numbers.capital('; '.join(parts))}."
