"""How the answer to a question of power looks at a terminal."""

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from advisor.views.plan import power_rows
from tools.design_power import DesignPower
from tools.plan.cost import SeedPrice, hours
from tools.report.claims.power import effect_points, plan_claims, probability
from tools.statistics.power.curve import CurvePoint
from tools.text import numbers
from tools.text.markdown import Column, page, table, text


def power_view(answer: DesignPower) -> Group:
    """What the design can show, the curve, and why it cannot answer where it cannot."""
    rows = power_rows(answer.power, answer.setting, answer.price)
    alone = answer.power.seeds_needed_primary
    pairs = "over a million pairs" if alone is None else f"{alone:,} pairs"
    rows.add_row("one summary", f"On {answer.power.primary} alone, which is no claim about the rest: {pairs}.")
    notes = (Text(f"note: {note}", style="dim") for note in answer.notes)
    warnings = (Text(f"warning: {shortfall}", style="bold yellow") for shortfall in answer.shortfalls)
    return Group(rows, _curve(answer), *notes, *map(Text, _claims(answer)), *warnings)


def power_lines(answer: DesignPower) -> list[str]:
    """The setting, what the design can show, and why it cannot answer where it cannot."""
    claims = (claim.text for claim in plan_claims(answer.power, answer.price))
    return [f"{answer.setting}:", *claims, *_claims(answer), *answer.shortfalls]


def power_markdown(answer: DesignPower) -> str:
    """The same with the curve, as Markdown."""
    title, *lines = map(text, power_lines(answer))
    heads, rows = _curve_rows(answer)
    curve = table([Column(head, "right") for head in heads], rows)
    return page([f"**{title}**", "\n".join(f"- {line}" for line in lines), curve])


def _claims(answer: DesignPower) -> list[str]:
    """That the number of pairs answers the question, where it does."""
    if not answer.answers:
        return []
    claim = f"n = {answer.power.n} answers the question: a true difference of {numbers.points(answer.power.sesoi)}"
    return [f"{claim} on every benchmark would be shown with probability 0.80 or more"]


def _curve(answer: DesignPower) -> Group:
    power = answer.power
    most = "at most " if power.by == "bound" else ""
    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    heads, rows = _curve_rows(answer)
    for head in heads:
        shown.add_column(head, justify="right")
    for point, row in zip(answer.curve, rows, strict=True):
        shown.add_row(*row, style="bold" if point.n == power.n else None)
    key = (
        f"In points: half-width, expected, of the interval on {power.primary}; seen, the true difference there that is "
        f"seen with probability 0.80; shown, {most}the one on every benchmark that is shown under every summary with "
        f"0.80. P(shown): probability of that at {numbers.points(power.sesoi)}; P(equivalent): of equivalence under "
        "every summary if nothing differs."
    )
    return Group(shown, Text(key, style="dim"))


def _curve_rows(answer: DesignPower) -> tuple[list[str], list[list[str]]]:
    """Heads, and one row a number of pairs."""
    heads = ["pairs", "runs", "half-width", "seen", "shown", "P(shown)", "P(equivalent)"]
    if answer.price is not None:
        heads.insert(2, answer.price.unit)
    arms, bound = answer.power.k + 1, answer.power.by == "bound"
    return heads, [_row(point, answer.price, arms, bound) for point in answer.curve]


def _row(point: CurvePoint, price: SeedPrice | None, arms: int, bound: bool) -> list[str]:
    runs = point.n * arms
    cost = [] if price is None else [hours(runs * price.device_hours_per_run, "").strip()]
    sizes = (point.half_width, point.detectable_effect, point.detectable_supported)
    chances = (point.probability_supported, point.probability_equivalent)
    return [f"{point.n:,}", f"{runs:,}", *cost, *map(_size, sizes), *(_chance(chance, bound) for chance in chances)]


def _size(points: float | None) -> str:
    return numbers.MISSING if points is None else effect_points(points).removesuffix(" points")


def _chance(value: float, bound: bool) -> str:
    if not bound:
        return probability(value)
    return f"{numbers.fixed(value)} or more" if value >= 0.005 else "not known"
