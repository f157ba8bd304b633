"""What a report says of a pilot: the spread that its arms share, and nothing that tells one arm from another."""

from tools.report import numbers
from tools.report.markdown import Column, table, text
from tools.statistics.spread_study import PilotStudy


def section(result: PilotStudy) -> str:
    """Markdown without a heading."""
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
        f"Pooled over {arms} and {seeds}: SD = sqrt(2 MSE) of an arm + seed model, in points, on "
        f"{numbers.counted(result.df, 'degree')} of freedom, so what the policies do on average is not in it. Limits "
        "are chi-square ones and assume normal residuals."
    )
    return f"{table(columns, rows)}\n\n{method}"
