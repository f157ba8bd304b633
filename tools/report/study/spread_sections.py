"""The spread in reports of A/A studies and pilots: how much runs differ by chance. No verdict."""

from collections.abc import Mapping

from tools.statistics.spread.noise_study import NoiseSpread, NoiseStudy
from tools.statistics.spread.spread_study import PilotStudy
from tools.text import numbers
from tools.text.markdown import Column, table, text


def noise_section(result: NoiseStudy) -> str:
    """Returns the spread of an A/A study as Markdown without a heading."""
    parts = [_lead(result), _pairs(result)]
    if result.df:
        parts += [_table(result.summaries, "summary"), _share(result)]
        parts += [_table(result.benchmarks, "benchmark"), _method(result), _identical(result)]
    else:
        parts.append("No comparison has two complete pairs, and a spread needs at least two.")
    return "\n\n".join(part for part in parts if part)


def _lead(result: NoiseStudy) -> str:
    how = (
        "Both runs of a pair have the same seed (data order) and differ in their replicate (rollout and sampling "
        "streams)"
        if result.matched
        else "The runs of a pair differ in their seed, so data order is part of the noise"
    )
    return f"An A/A study: each arm against itself. {how}. It gives no verdict; any difference is noise."


def _pairs(result: NoiseStudy) -> str:
    counts = [f"{text(label)} (n = {n} {'pair' if n == 1 else 'pairs'})" for label, n in result.pairs.items()]
    return f"{numbers.capital(numbers.counted(len(counts), 'comparison'))}: {numbers.listed(counts)}."


def _table(spreads: Mapping[str, NoiseSpread], kind: str) -> str:
    columns: list[Column | str] = [
        kind,
        Column("SD of the differences", "right"),
        Column("95 % limits", "right"),
        Column("intervals", "right"),
        Column("exclude zero", "right"),
    ]
    rows = [
        [
            text(name),
            numbers.fixed(one.sd),
            numbers.interval(one.low_sd, one.high_sd),
            str(one.intervals),
            str(one.excluding),
        ]
        for name, one in spreads.items()
    ]
    return table(columns, rows)


def _share(result: NoiseStudy) -> str:
    parts = [share for share in (_of(result.summaries, "summaries"), _of(result.benchmarks, "benchmarks")) if share]
    if not parts:
        return ""
    return (
        f"At the unadjusted {numbers.percent(result.confidence)} level {numbers.listed(parts)} exclude zero; "
        f"{numbers.percent(1 - result.confidence)} would by chance. Intervals of one comparison share its runs and are "
        "correlated, so a share far from that can also be chance."
    )


def _of(spreads: Mapping[str, NoiseSpread], kind: str) -> str:
    total = sum(one.intervals for one in spreads.values())
    out = sum(one.excluding for one in spreads.values())
    return f"{out} of {total} intervals over {kind} ({numbers.percent(out / total)})" if total else ""


def _method(result: NoiseStudy) -> str:
    return (
        f"SDs are of one paired difference, in points, with {numbers.counted(result.df, 'degree')} of freedom (n - 1, "
        "summed over comparisons); their limits are chi-square limits and assume normal differences. A plan can use "
        "these SDs as its pilot."
    )


def _identical(result: NoiseStudy) -> str:
    names = [text(name) for name, one in result.summaries.items() if one.sd == 0.0]
    if not names:
        return ""
    return (
        f"Under {numbers.listed(names)} the differences do not vary: identical runs are suspected, with a replicate "
        "that changed nothing."
    )


def pilot_section(result: PilotStudy) -> str:
    """Returns the spread of a pilot as Markdown without a heading."""
    columns: list[Column | str] = [
        "summary",
        Column("SD of a paired difference", "right"),
        Column("95 % limits", "right"),
        Column("upper 80 % limit", "right"),
    ]
    rows = [
        [text(name), numbers.fixed(one.sd), numbers.interval(one.low, one.high), numbers.fixed(one.upper)]
        for name, one in result.summaries.items()
    ]
    arms, seeds = numbers.counted(result.arms, "arm"), numbers.counted(result.seeds, "complete seed")
    method = (
        f"Pooled over {arms} and {seeds}: SD = sqrt(2 MSE) of an arm + seed model, in points, with "
        f"{numbers.counted(result.df, 'degree')} of freedom; it excludes the mean effects of the policies. Limits are "
        "chi-square limits and assume normal residuals."
    )
    return f"{table(columns, rows)}\n\n{method}"
