"""What a report says about leaving one seed, benchmark or domain out."""

from tools.report import numbers
from tools.report.markdown import Column, table, text
from tools.report.titles import verdict_name
from tools.statistics.sensitivity.leave_out import LeaveOneOut, LeaveOut, LeftOut
from tools.statistics.verdict_model import Comparison, OverallVerdict

_NAMED = 12
"""So many changes of one kind are told one by one."""


def section(result: LeaveOut, comparison: Comparison) -> str:
    """Markdown without a heading, for one comparison that `result` judges again."""
    if comparison.verdict == "invalid_data":
        return "The scores cannot be compared, so nothing is left out of them."
    if result.n < 2:
        return (
            f"n = {result.n}: with fewer than two complete seed pairs there is no verdict to test by leaving parts out."
        )
    parts = [_lead(result, comparison), _table(result), _changes(result, comparison), _emptied(result)]
    return "\n\n".join(part for part in parts if part)


def _lead(result: LeaveOut, comparison: Comparison) -> str:
    base = _verdict(result.verdict, result.direction, comparison)
    lead = "The verdict" if result.verdict == comparison.verdict else "What the complete pairs say, read alone,"
    changed = sum(len(one.changed) for one in result.kinds)
    tried = [one for one in result.kinds if not one.skipped]
    removals = numbers.counted(sum(one.removals for one in tried), "removal")
    level = numbers.percent(comparison.family_confidence)
    said = f'{lead} "{base}" (n = {result.n} seed pairs, {level} intervals, family of {comparison.k})'
    if not tried:
        return f"{said} was not tested by leaving parts out."
    if not changed:
        kinds = numbers.listed([one.kind for one in tried], "or")
        return f"{said} hangs on no single {kinds}: it is the same after each of the {removals}."
    return (
        f"{said} changes in {numbers.word(changed)} of {removals}. So many removals are as many chances to find "
        "a change: one says what the verdict hangs on, and is no verdict."
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
        + ("in brackets, what was left out.")
    )


def _extreme(value: float | None, name: str) -> str:
    return numbers.MISSING if value is None else f"{numbers.signed(value)} ({text(name)})"


def _names(one: LeaveOneOut) -> str:
    names = [text(change.name) for change in one.changed[:_NAMED]]
    more = len(one.changed) - _NAMED
    return numbers.listed([*names, f"{more} more"] if more > 0 else names) or "none"


def _changes(result: LeaveOut, comparison: Comparison) -> str:
    lines = [
        f"- Without {one.kind} {text(change.name)} the verdict would be "
        f'"{_verdict(change.verdict, change.direction, comparison)}"{_read_from(change)}.'
        for one in result.kinds
        for change in one.changed[:_NAMED]
    ]
    seeds = next(one for one in result.kinds if one.kind == "seed")
    if seeds.changed:
        lines.append(
            f"- Without one seed n is {seeds.n} and every interval is wider for that reason alone: losing a claim then "
            "need not mean that the seed was unusual."
        )
    lines += [f"- No {one.kind} is left out: {one.skipped}." for one in result.kinds if one.skipped]
    return "\n".join(lines)


def _read_from(change: LeftOut) -> str:
    if not change.emptied:
        return ""
    names = numbers.listed([text(name) for name in change.emptied])
    return f", read without {names}, of which nothing is left"


def _emptied(result: LeaveOut) -> str:
    names = tuple(dict.fromkeys(name for one in result.kinds for name in one.emptied))
    rule = "A benchmark left out leaves its weight to the rest of each summary, in proportion; the seed pairs stay."
    if not names:
        return rule
    gone = numbers.listed([text(name) for name in names])
    return f"{rule} Where nothing is left of a summary ({gone}), the others are read."


def _verdict(verdict: OverallVerdict, direction: str | None, comparison: Comparison) -> str:
    named = comparison.model_copy(update={"verdict": verdict, "direction": direction, "negligible": False})
    return text(verdict_name(named))
