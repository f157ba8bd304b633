"""The tables about scores: per summary and per seed, from the stored verdict."""

from tools.report import numbers
from tools.report.facts import Facts, excluded_gains
from tools.report.markdown import Column, table, text
from tools.statistics.verdict_model import SummaryVerdict


def summary_table(one: Facts) -> str:
    """One row a summary, sorted by its lower family limit, worst first."""
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


def reading(one: Facts, summary: SummaryVerdict) -> str:
    """A summary's reading in words. Above or below zero under one summary is `better` only where the verdict is."""
    words = {
        "equivalent": f"equivalent within {numbers.short(summary.sesoi)}",
        "inconclusive": "inconclusive",
        "not_estimable": "not estimable",
        "better": "above zero",
        "worse": "below zero",
    }
    name = words[summary.verdict]
    if one.comparison.verdict == "supported" and summary.verdict == one.comparison.direction:
        name = summary.verdict
    return f"{name}, negligible" if summary.negligible else name


def seed_table(one: Facts) -> str:
    """Paired differences by seed: one row a summary, in the order of the summary table."""
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
