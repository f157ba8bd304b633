"""The part that any report has about one comparison, from the stored verdict alone, wherever the scores come from."""

from collections.abc import Iterator
from typing import NamedTuple

from tools.report.claims.comparison import (
    because_sentence,
    excluded_sentence,
    family_sentence,
    tost_sentence,
    unadjusted_sentence,
    weak_prefix,
)
from tools.report.claims.facts import Facts, excluded_gains, facts
from tools.report.claims.quotes import may_be_said, may_not_be_said
from tools.report.claims.titles import comparison_title, verdict_name
from tools.statistics.verdict_model import Comparison, SummaryVerdict
from tools.text import numbers
from tools.text.markdown import Column, table, text

SUMMARY_COLUMNS = (
    *("primary", "summary", "n", "mean", "sd", "low", "high", "low_family", "high_family", "p", "p_holm"),
    *("low_tost", "high_tost", "sesoi", "verdict", "negligible"),
)
"""What tables of numbers hold of a summary: `low` and `high` are unadjusted, the verdict reads the family interval."""


class Conclusion(NamedTuple):
    """Sentences and tables about one comparison; empty where there is nothing to report."""

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
    """Whether several treatments share the control."""
    repeated: bool
    """Whether the intervals are those of a sequential plan, at its last look."""


def conclusion(one: Facts) -> Conclusion:
    """Returns the sentences and tables, filled from the stored verdict."""
    comparison = one.comparison
    valid = comparison.verdict != "invalid_data"
    return Conclusion(
        title=text(comparison_title(comparison)),
        verdict=text(f"Verdict: {weak_prefix(one)}{verdict_name(comparison)}."),
        because=text(because_sentence(one)),
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


def verdict_markdown(comparison: Comparison) -> list[str]:
    """The verdict, what it rests on, and every summary, in short: below a title."""
    found = conclusion(facts(comparison))
    more = "\n".join(f"- {line}" for line in (*found.faults, *found.notes))
    return [f"{found.verdict} {found.because}", more, found.summaries, found.excluded]


def _faults(one: Facts) -> tuple[str, ...]:
    """Returns faults where they add to the verdict sentence; delivery has its own section."""
    told = one.comparison.verdict == "invalid_data" or (one.comparison.verdict == "not_estimable" and one.n > 1)
    return tuple(text(fault) for fault in one.comparison.faults) if told else ()


def summary_table(one: Facts) -> str:
    """Returns one row per summary, sorted by its lower family limit, worst first."""
    comparison = one.comparison
    columns: list[Column | str] = [
        "summary",
        Column("n", "right"),
        Column(text(one.difference), "right"),
        Column(one.level, "right"),
        Column(f"{numbers.percent(comparison.confidence)} alone (unadjusted)", "right"),
        "reads as",
        "rules out",
    ]
    if comparison.k == 1:
        del columns[4]
    rows = []
    for summary in one.summaries:
        row = [
            _name(one, summary),
            str(summary.n),
            numbers.signed(summary.mean),
            numbers.interval(summary.low_family, summary.high_family),
            numbers.interval(summary.low, summary.high),
            reading(one, summary),
            (one.bounds_hold and excluded_gains(summary)) or numbers.MISSING,
        ]
        if comparison.k == 1:
            del row[4]
        rows.append(row)
    return table(columns, rows)


def summary_rows(comparison: Comparison) -> Iterator[list[object]]:
    """One row of `SUMMARY_COLUMNS` a summary, worst first, numbers as they are stored."""
    for summary in facts(comparison).summaries:
        yield [summary.summary == comparison.primary, *(getattr(summary, name) for name in SUMMARY_COLUMNS[1:])]


def reading(one: Facts, summary: SummaryVerdict) -> str:
    """A summary's reading in words: `better`, `worse` and `equivalent` only where the verdict says so too."""
    words = {
        "equivalent": f"within {numbers.short(summary.sesoi)} of zero",
        "inconclusive": "inconclusive",
        "not_estimable": "not estimable",
        "better": "above zero",
        "worse": "below zero",
    }
    name = words[summary.verdict]
    if one.comparison.verdict == "supported" and summary.verdict == one.comparison.direction:
        name = summary.verdict
    if one.comparison.verdict == "negative_equivalent" and summary.verdict == "equivalent":
        name = f"equivalent within {numbers.short(summary.sesoi)}"
    return f"{name}, negligible" if summary.negligible else name


def seed_table(one: Facts) -> str:
    """Returns paired differences by seed: one row per summary, in the order of the summary table."""
    seeds = sorted({seed for summary in one.summaries for seed in summary.differences}, key=_seed_order)
    columns: list[Column | str] = [
        "summary",
        *(Column(f"seed {seed}", "right") for seed in seeds),
        Column("mean", "right"),
        Column("SD", "right"),
    ]
    rows = [
        [
            _name(one, summary),
            *(numbers.signed(summary.differences.get(seed)) for seed in seeds),
            numbers.signed(summary.mean),
            numbers.fixed(summary.sd),
        ]
        for summary in one.summaries
    ]
    return table(columns, rows)


def _name(one: Facts, summary: SummaryVerdict) -> str:
    name = text(summary.summary)
    return f"**{name}** (primary)" if summary.summary == one.comparison.primary else name


def _seed_order(seed: str) -> tuple[int, str]:
    return (int(seed), seed) if seed.lstrip("-").isdigit() else (2**63, seed)
