"""The report's section on rankings of the arms: agreement between summaries, and how often an arm ranks first."""

from tools.statistics.sensitivity.ranks import RankAgreement, Ranks
from tools.text import numbers
from tools.text.markdown import Column, table, text

_PAIRS = 15
"""The pairs of six summaries; with more pairs, only those with the primary summary are shown."""
_ARMS = 12


def section(result: Ranks) -> str:
    """Returns the rankings of all arms of one table as Markdown without a heading."""
    if result.arms < 3:
        return f"A ranking needs three arms with a complete run; there {_is_are(result.arms)}."
    parts = [_lead(result), _agreement_table(result), _agreement_words(result), _chance_words(result), _chances(result)]
    return "\n\n".join(part for part in parts if part)


def _is_are(count: int) -> str:
    return "is one" if count == 1 else f"are {numbers.word(count)}"


def _runs(result: Ranks) -> str:
    if result.fewest_runs == result.most_runs:
        return f"n = {result.fewest_runs} {'run' if result.fewest_runs == 1 else 'runs'} per arm"
    return f"n = {result.fewest_runs} to {result.most_runs} runs per arm"


def _lead(result: Ranks) -> str:
    sentence = (
        f"The {numbers.counted(result.arms, 'arm')}, controls included, ranked under each summary ({_runs(result)})."
    )
    if result.left_out:
        names = numbers.listed([text(name) for name in result.left_out[:_ARMS]])
        more = len(result.left_out) - _ARMS
        sentence += f" Left out, without a complete run: {names}{f' and {more} more' if more > 0 else ''}."
    return sentence


def _agreement_table(result: Ranks) -> str:
    shown = result.agreements
    if len(shown) > _PAIRS:
        shown = tuple(one for one in shown if result.primary in (one.first, one.second))
    columns: list[Column | str] = ["summaries", Column("Spearman", "right")]
    if result.repeats:
        level = numbers.percent(result.confidence)
        columns += [
            Column(f"{level} interval", "right"),
            Column(f"if all arms were equal: mean, middle {level}", "right"),
        ]
    if not shown:
        return ""
    return table(columns, [_agreement_row(one, result) for one in shown])


def _agreement_row(one: RankAgreement, result: Ranks) -> list[str]:
    row = [f"{text(one.first)}, {text(one.second)}", numbers.signed(one.rho)]
    if result.repeats:
        usual = f"{numbers.signed(one.expected)} {numbers.interval(one.expected_low, one.expected_high)}"
        row += [numbers.interval(one.low, one.high), numbers.MISSING if one.expected is None else usual]
    return row


def _agreement_words(result: Ranks) -> str:
    if not result.repeats:
        return (
            "How much chance affects these rankings is unknown: that needs at least two runs of one arm, and they must "
            "differ. So no interval is given, and no arm is called the likely best."
        )
    return (
        "Summaries share benchmarks, so they agree by construction: only a correlation outside the range of equal arms "
        f"is informative about the arms. Intervals come from {result.repeats:,} simulated repeats of the arm + seed "
        f"model, drawn around the measured means ({_runs(result)}, {result.df} degrees of freedom); they assume normal "
        "noise."
    )


def _chance_words(result: Ranks) -> str:
    if not result.repeats or not result.chances or result.chances[0].best is None:
        return ""
    return (
        f"How often an arm ranks first on {text(result.primary)} in these repeats ({_runs(result)}); if all "
        f"{numbers.counted(result.arms, 'arm')} were equal, each would in {numbers.percent(1 / result.arms)}. The "
        "repeats keep the luck of the measured runs, so a high share is no verdict and no reason to choose an arm."
    )


def _chances(result: Ranks) -> str:
    if not result.repeats or not result.chances or result.chances[0].best is None:
        return ""
    columns: list[Column | str] = [
        "arm", Column("mean", "right"), Column("ranks first", "right"), Column("if all were equal", "right"),
    ]  # fmt: skip
    equal = numbers.percent(1 / result.arms)
    rows = [
        [text(one.arm), numbers.fixed(one.mean), numbers.percent(one.best or 0.0), equal]
        for one in result.chances[:_ARMS]
    ]
    more = result.arms - _ARMS
    return table(columns, rows) + (f"\n\n{more:,} more arms rank first less often." if more > 0 else "")
