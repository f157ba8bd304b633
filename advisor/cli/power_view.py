"""How the answer to a question of power looks at a terminal."""

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from advisor.cli.plan_view import power_rows
from tools.design_power import DesignPower
from tools.report import numbers
from tools.report.wording_power import effect_points, probability
from tools.statistics.power_curve import CurvePoint
from tools.study.cost import SeedPrice, hours


def show_design_power(console: Console, answer: DesignPower) -> None:
    """Prints what the design can show, the curve, and why it cannot answer where it cannot."""
    rows = power_rows(answer.power, answer.setting, answer.price)
    alone = answer.power.seeds_needed_primary
    pairs = "over a million pairs" if alone is None else f"{alone:,} pairs"
    rows.add_row("one summary", f"On {answer.power.primary} alone, which is no claim about the rest: {pairs}.")
    parts: list[RenderableType] = [rows]
    parts.append(_curve(answer))
    parts += [Text(f"note: {note}", style="dim") for note in answer.notes]
    if answer.answers:
        claim = f"n = {answer.power.n} answers the question: a true difference of {numbers.points(answer.power.sesoi)}"
        parts.append(Text(f"{claim} on every benchmark would be shown with probability 0.80 or more"))
    parts += [Text(f"warning: {shortfall}", style="bold yellow") for shortfall in answer.shortfalls]
    console.print(Group(*parts))


def _curve(answer: DesignPower) -> Group:
    power = answer.power
    bound = power.by == "bound"
    most = "at most " if bound else ""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    heads = ["pairs", "runs", "half-width", "seen", "shown", "P(shown)", "P(equivalent)"]
    if answer.price is not None:
        heads.insert(2, answer.price.unit)
    for head in heads:
        table.add_column(head, justify="right")
    for point in answer.curve:
        table.add_row(*_row(point, answer.price, power.k + 1, bound), style="bold" if point.n == power.n else None)
    key = (
        f"In points: half-width, expected, of the interval on {power.primary}; seen, the true difference there that is "
        f"seen with probability 0.80; shown, {most}the one on every benchmark that is shown under every summary with "
        f"0.80. P(shown): probability of that at {numbers.points(power.sesoi)}; P(equivalent): of equivalence under "
        "every summary if nothing differs."
    )
    return Group(table, Text(key, style="dim"))


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
