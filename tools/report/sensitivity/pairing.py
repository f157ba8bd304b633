"""The report's section on pairing by seed, compared with independent arms."""

from collections.abc import Mapping

from tools.report.claims.facts import Facts, facts
from tools.report.claims.sequential import fixed_seeds_warning
from tools.statistics.sensitivity.pairing import Pairing
from tools.statistics.verdict_model import Comparison
from tools.text import numbers
from tools.text.markdown import Column, table, text


def section(result: Mapping[str, Pairing], comparison: Comparison) -> str:
    """Returns Markdown without a heading; `result`: every summary of the comparison, at its family confidence."""
    one = facts(comparison)
    if comparison.verdict == "invalid_data":
        return "The scores cannot be compared, so Welch's interval is not computed either."
    if one.n < 2:
        return f"{one.pairs}: neither the paired interval nor Welch's exists, so pairing cannot be assessed."
    parts = [
        _lead(one), fixed_seeds_warning(one), _table(result, one), _what_it_cost(result, one), _apart(result, one),
        _none(result),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part)


def _lead(one: Facts) -> str:
    return (
        f"The verdict uses paired differences, whatever this section finds. As a named sensitivity view, Welch's t "
        f"interval treats the {numbers.word(one.n)} runs of each arm as independent; both at the "
        f"{numbers.percent(one.comparison.family_confidence)} level (family of {one.comparison.k})."
    )


def _table(result: Mapping[str, Pairing], one: Facts) -> str:
    columns: list[Column | str] = [
        "summary",
        Column("n", "right"),
        Column(f"{_paired(one)} {numbers.percent(one.comparison.family_confidence)}", "right"),
        Column(f"Welch {numbers.percent(one.comparison.family_confidence)}", "right"),
        Column("Welch df", "right"),
        Column("variance cut by pairing", "right"),
        Column("net gain (95 % limits)", "right"),
    ]
    rows = []
    for summary in one.summaries:
        found = result[summary.summary]
        rows.append(
            [
                text(summary.summary),
                str(found.n),
                numbers.interval(summary.low_family, summary.high_family),
                numbers.interval(found.low_welch, found.high_welch),
                numbers.fixed(found.df_welch, 1),
                _percent(found.variance_cut),
                _gain(found),
            ]
        )
    return table(columns, rows)


def _gain(found: Pairing) -> str:
    if found.net_gain is None or found.low_net_gain is None or found.high_net_gain is None:
        return numbers.MISSING
    return f"{_percent(found.net_gain)} ({_percent(found.low_net_gain)} to {_percent(found.high_net_gain)})"


def _what_it_cost(result: Mapping[str, Pairing], one: Facts) -> str:
    known = [found for found in result.values() if found.low_net_gain is not None and found.high_net_gain is not None]
    if not known:
        return ""
    said = (
        "Net gain is 1 - (paired half-width / Welch half-width)²: above zero, the paired interval is narrower. "
        f"Pairing halves the degrees of freedom, so at {one.pairs} and this level it pays only if it reduces the "
        f"variance by more than {_percent(known[0].break_even)}. "
    )
    paid = [name for name, found in result.items() if (found.low_net_gain or 0.0) > 0]
    lost = [name for name, found in result.items() if (found.high_net_gain or 0.0) < 0]
    if paid:
        said += f"It paid under {_named(paid)}: the limits are above zero. "
    if lost:
        said += f"It cost precision under {_named(lost)}: the limits are below zero. "
    if not paid and not lost:
        said += "The limits include zero under every summary: whether pairing paid here is not known. "
    return (
        f"{said}The limits assume normal scores; they are exact when both arms have the same spread, and too wide "
        "otherwise."
    )


def _apart(result: Mapping[str, Pairing], one: Facts) -> str:
    """Returns the summaries where Welch's interval and the verdict's disagree on zero."""
    paired = {*one.above, *one.below}
    welch = {
        name
        for name, found in result.items()
        if found.low_welch is not None
        and found.high_welch is not None
        and (found.low_welch > 0 or found.high_welch < 0)
    }
    names = [summary.summary for summary in one.summaries]
    only_welch = [name for name in names if name in welch - paired]
    only_paired = [name for name in names if name in paired - welch]
    parts = []
    if only_welch:
        parts.append(
            f"Welch's interval excludes zero under {_named(only_welch)} and the paired one does not: chosen after the "
            "fact, this supports no claim"
        )
    if only_paired:
        parts.append(f"the paired interval excludes zero under {_named(only_paired)} and Welch's does not")
    return f"{numbers.capital('; '.join(parts))}." if parts else ""


def _none(result: Mapping[str, Pairing]) -> str:
    names = [name for name, found in result.items() if found.n > 1 and found.net_gain is None]
    return (
        f"Under {_named(names)} the differences or the scores do not vary, so there is no gain to report."
        if names
        else ""
    )


def _percent(share: float | None) -> str:
    return numbers.MISSING if share is None else f"{numbers.fixed(100 * share, 0)} %"


def _paired(one: Facts) -> str:
    return "repeated" if one.comparison.repeated else "paired"


def _named(names: list[str]) -> str:
    return numbers.listed([text(name) for name in names])
