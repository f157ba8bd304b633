"""The report's section on leaving out one seed, benchmark or domain."""

from tools.report.claims.comparison import variant_name
from tools.report.claims.facts import facts
from tools.statistics.sensitivity.leave_out import LeaveOneOut, LeaveOut, LeftOut
from tools.statistics.verdict_model import Comparison
from tools.text import numbers
from tools.text.markdown import Column, table, text

_NAMED = 12
"""At most this many changes of one kind are listed one by one."""


def section(result: LeaveOut, comparison: Comparison) -> str:
    """Returns one comparison, judged again in `result`, as Markdown without a heading."""
    if comparison.verdict == "invalid_data":
        return "The scores cannot be compared, so nothing is left out of them."
    if result.n < 2:
        return f"n = {result.n}: fewer than two complete seed pairs give no verdict that leaving parts out could test."
    parts = [_lead(result, comparison), _table(result), _changes(result, comparison), _emptied(result)]
    return "\n\n".join(part for part in parts if part)


def _lead(result: LeaveOut, comparison: Comparison) -> str:
    base = text(variant_name(comparison, result.verdict, result.direction, negligible=comparison.negligible))
    changed = sum(len(one.changed) for one in result.kinds)
    tried = [one for one in result.kinds if not one.skipped]
    removals = numbers.counted(sum(one.removals for one in tried), "removal")
    level = numbers.percent(comparison.family_confidence)
    said = (
        f"The verdict {base} (n = {result.n} seed pairs, {level} {facts(comparison).kind}s, family of {comparison.k})"
    )
    if not tried:
        return f"{said} was not tested by leaving parts out."
    if not changed:
        kinds = numbers.listed([one.kind for one in tried], "or")
        return f"{said} does not depend on any single {kinds}: it is the same after each of the {removals}."
    return (
        f"{said} changes in {numbers.word(changed)} of {removals}. Many removals are many chances to find a change: "
        "a change shows what the verdict depends on and is not a verdict itself."
    )


def _table(result: LeaveOut) -> str:
    columns: list[Column | str] = [
        "left out, one at a time",
        Column("removals", "right"),
        Column("pairs left", "right"),
        Column("lowest primary difference", "right"),
        Column("highest primary difference", "right"),
        "verdict changes without",
    ]
    rows = [
        [
            one.kind,
            str(one.removals),
            str(one.n),
            _extreme(one.lowest, one.lowest_without),
            _extreme(one.highest, one.highest_without),
            _names(one),
        ]
        for one in result.kinds
        if not one.skipped
    ]
    if not rows:
        return ""
    stood = "" if result.mean is None else f"{numbers.signed(result.mean)} with nothing left out; "
    return (
        f"{table(columns, rows)}\n\nMean differences on {text(result.primary)} in points, without intervals: {stood}"
        "in parentheses, what was left out."
    )


def _extreme(value: float | None, name: str) -> str:
    return numbers.MISSING if value is None else f"{numbers.signed(value)} ({text(name)})"


def _names(one: LeaveOneOut) -> str:
    names = [text(change.name) for change in one.changed[:_NAMED]]
    more = len(one.changed) - _NAMED
    return numbers.listed([*names, f"{more} more"] if more > 0 else names) or "none"


def _changes(result: LeaveOut, comparison: Comparison) -> str:
    lines = [
        f"- Without {one.kind} {text(change.name)} the reading would be "
        f"{_verdict(change, comparison)}{_read_from(change)}."
        for one in result.kinds
        for change in one.changed[:_NAMED]
    ]
    seeds = next(one for one in result.kinds if one.kind == "seed")
    if seeds.changed:
        lines.append(
            f"- Without one seed, n is {seeds.n} and every interval is wider for that reason alone: a lost claim then "
            "does not mean that the seed was unusual."
        )
    if comparison.lost_seeds and result.verdict != "not_estimable":
        lost = numbers.counted(len(comparison.lost_seeds), "lost pair")
        lines.append(f"- As in the verdict, a claim has to hold with the {lost} at the worst possible scores.")
    lines += [f"- No {one.kind} is left out: {one.skipped}." for one in result.kinds if one.skipped]
    return "\n".join(lines)


def _read_from(change: LeftOut) -> str:
    if not change.emptied:
        return ""
    names = numbers.listed([text(name) for name in change.emptied])
    return f", judged without {names}, which has no benchmark left"


def _emptied(result: LeaveOut) -> str:
    names = tuple(dict.fromkeys(name for one in result.kinds for name in one.emptied))
    rule = "The weight of a benchmark left out goes to the rest of each summary, in proportion; all seed pairs stay."
    if not names:
        return rule
    gone = numbers.listed([text(name) for name in names])
    return f"{rule} Where nothing is left of a summary ({gone}), the others are read."


def _verdict(change: LeftOut, comparison: Comparison) -> str:
    return text(variant_name(comparison, change.verdict, change.direction, negligible=change.negligible))
