"""What any report says about one comparison, whoever made the scores: from the stored verdict alone."""

from typing import NamedTuple

from tools.report.facts import Facts
from tools.report.markdown import text
from tools.report.quotes import may_be_said, may_not_be_said
from tools.report.summary_tables import seed_table, summary_table
from tools.report.titles import comparison_title, verdict_name
from tools.report.wording import (
    excluded_sentence,
    family_sentence,
    tost_sentence,
    unadjusted_sentence,
    verdict_sentence,
)


class Conclusion(NamedTuple):
    """Sentences and tables, ready made; empty where there is nothing to say."""

    title: str
    verdict: str
    """Name of the verdict, bold in the report."""
    because: str
    family: str
    faults: tuple[str, ...]
    notes: tuple[str, ...]
    summaries: str
    excluded: str
    unadjusted: str
    said: tuple[str, ...]
    unsaid: tuple[str, ...]
    seeds: str
    adjusted: bool
    """Several treatments share the control."""
    repeated: bool
    """The intervals are those of a sequential plan, at the look that it ended with."""


def conclusion(one: Facts) -> Conclusion:
    """Filled from what the verdict holds."""
    comparison = one.comparison
    valid = comparison.verdict != "invalid_data"
    verdict, _, because = verdict_sentence(one).removeprefix("Verdict: ").partition(f"{verdict_name(comparison)}. ")
    return Conclusion(
        title=text(comparison_title(comparison)),
        verdict=text(f"Verdict: {verdict}{verdict_name(comparison)}."),
        because=text(because),
        family=text(family_sentence(one)) if comparison.k > 1 and valid else "",
        faults=_faults(one),
        notes=tuple(text(note) for note in comparison.notes),
        summaries=summary_table(one) if valid and one.summaries else "",
        excluded=text(f"{excluded_sentence(one)} {tost_sentence(one)}") if valid else "",
        unadjusted=text(unadjusted_sentence(one)) if valid else "",
        said=tuple(text(sentence) for sentence in may_be_said(one)),
        unsaid=tuple(text(sentence) for sentence in may_not_be_said(one)),
        seeds=seed_table(one) if valid and any(summary.differences for summary in one.summaries) else "",
        adjusted=comparison.k > 1,
        repeated=comparison.repeated,
    )


def _faults(one: Facts) -> tuple[str, ...]:
    """Where they tell more than the verdict sentence does; reasons of delivery stand in its own section."""
    told = one.comparison.verdict == "invalid_data" or (one.comparison.verdict == "not_estimable" and one.n > 1)
    return tuple(text(fault) for fault in one.comparison.faults) if told else ()
