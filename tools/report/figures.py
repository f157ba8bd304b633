"""The figures: intervals of every summary (forest plot), and training reward by arm. Same input, same bytes."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any

from tools.evaluation.material import Curve
from tools.report.claims.facts import Facts
from tools.text import numbers
from tools.text.plain_text import middle_cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#4d4d4d", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""The control first, then treatments; Okabe and Ito's palette, which colour-blind readers can distinguish."""
_THIN = "#6e6e6e"
_LONGEST = 36
"""Most characters of a name beside a plot: a longer one would leave no room for the plot."""

_STYLE: Any = {
    "svg.hashsalt": "experiment-advisor", "font.family": "DejaVu Sans", "font.size": 9.0, "text.parse_math": False,
    "axes.unicode_minus": False, "axes.spines.top": False, "axes.spines.right": False,
}  # fmt: skip


def forest(comparisons: Sequence[Facts]) -> str:
    """SVG of `forest_figure`; empty when there is nothing to draw."""
    with _style():
        figure = forest_figure(comparisons)
        return "" if figure is None else _svg(figure)


def forest_figure(comparisons: Sequence[Facts]) -> "Figure | None":
    """Draws one panel a comparison that has summaries; None when there is none."""
    shown = [one for one in comparisons if any(summary.mean is not None for summary in one.summaries)]
    if not shown:
        return None
    rows = [len(one.summaries) for one in shown]
    with _style():
        figure = _figure(7.2, sum(0.3 * count + 0.45 for count in rows) + 0.75)
        ratios = [count + 1 for count in rows]
        panels = figure.subplots(len(shown), 1, squeeze=False, sharex=True, height_ratios=ratios)[:, 0]
        for panel, one in zip(panels, shown, strict=True):
            _forest_panel(panel, one)
        panels[-1].set_xlabel("treatment - control, score points")
        figure.suptitle(_legend(shown), fontsize=8.5, color="#333333")
        return figure


def _forest_panel(panel: "Axes", one: Facts) -> None:
    for at, summary in enumerate(one.summaries):
        place = len(one.summaries) - 1 - at
        panel.fill_betweenx([place - 0.5, place + 0.5], -summary.sesoi, summary.sesoi, color="#ececec", lw=0, zorder=0)
        if one.comparison.k > 1 and summary.low is not None and summary.high is not None:
            panel.plot([summary.low, summary.high], [place, place], color=_THIN, lw=1.2, zorder=3)
            _ticks(panel, summary.low, summary.high, place)
        if summary.low_family is not None and summary.high_family is not None:
            ends = [summary.low_family, summary.high_family]
            panel.plot(ends, [place, place], color=COLORS[1], lw=4.5, alpha=0.55, solid_capstyle="butt", zorder=2)
        if summary.mean is not None:
            mark = "D" if summary.summary == one.comparison.primary else "o"
            panel.plot([summary.mean], [place], marker=mark, ms=6, color=COLORS[1], mec="white", mew=0.8, zorder=4)
    panel.axvline(0, color="black", lw=0.9, zorder=1)
    panel.set_ylim(-0.6, len(one.summaries) - 0.4)
    labels = [
        f"{middle_cut(summary.summary, _LONGEST)}{' (primary)' if summary.summary == one.comparison.primary else ''}"
        f", n = {summary.n}"
        for summary in reversed(one.summaries)
    ]
    panel.set_yticks(range(len(labels)), labels)
    panel.tick_params(axis="y", length=0)
    panel.tick_params(axis="x", labelbottom=True)
    panel.spines["left"].set_visible(False)
    difference = middle_cut(one.difference, 2 * _LONGEST)
    title = f"{difference} ({one.caveat})" if one.caveat else difference
    panel.set_title(title, loc="left", fontsize=9.5, fontweight="bold")


def _ticks(panel: "Axes", low: float, high: float, place: int) -> None:
    for end in (low, high):
        panel.plot([end, end], [place - 0.14, place + 0.14], color=_THIN, lw=1.2, zorder=3)


def _legend(shown: Sequence[Facts]) -> str:
    first = shown[0]
    sizes = {summary.sesoi for one in shown for summary in one.summaries}
    band = f"within {numbers.points(sizes.pop())} of zero" if len(sizes) == 1 else "smallest effect of interest"
    if not any(summary.low_family is not None for one in shown for summary in one.summaries):
        return f"points: mean difference, no interval; grey band: {band}"
    if first.comparison.k == 1:
        return f"bar: {first.level}; grey band: {band}"
    return f"thick: {first.level}; thin: {numbers.percent(first.comparison.confidence)} alone; grey band: {band}"


def curves(series: Sequence[Curve], arms: Sequence[str]) -> str:
    """Returns an SVG of mean training reward by step, thin lines per seed, a thick one per arm; empty without data."""
    shown = [one for one in series if one.points]
    if not shown:
        return ""
    with _style():
        figure = _figure(7.2, 3.6)
        panel = figure.subplots()
        for arm, color in zip(arms, _cycle(), strict=False):
            own = [one for one in shown if one.arm == arm]
            for one in own:
                panel.plot(*zip(*one.points, strict=True), color=color, lw=0.8, alpha=0.4)
            mean = _mean_curve(own)
            if mean:
                name = f"{middle_cut(arm, _LONGEST)}, mean of {len(own)} {'seed' if len(own) == 1 else 'seeds'}"
                panel.plot(*zip(*mean, strict=True), color=color, lw=2.2, label=name)
        panel.set_xlabel("step")
        panel.set_ylabel("mean training reward")
        panel.grid(axis="y", color="#e5e5e5", lw=0.6)
        panel.legend(frameon=False, loc="best")
        return _svg(figure)


def _cycle() -> Iterator[str]:
    while True:
        yield from COLORS


def _mean_curve(series: Sequence[Curve]) -> list[tuple[int, float]]:
    """Returns the mean over the steps that every seed has, so that it never jumps when a seed ends."""
    if not series:
        return []
    values = [dict(one.points) for one in series]
    common = sorted(set.intersection(*(set(one) for one in values)))
    return [(step, sum(one[step] for one in values) / len(values)) for step in common]


@contextmanager
def _style() -> Iterator[None]:
    from matplotlib import rc_context, rcdefaults

    with rc_context():
        rcdefaults()
        with rc_context(_STYLE):
            yield


def _figure(width: float, height: float) -> "Figure":
    """A figure that a notebook shows, with or without pyplot."""
    from matplotlib.figure import Figure

    class Shown(Figure):
        def _repr_svg_(self) -> str:
            with _style():
                return _svg(self)

    return Shown(figsize=(width, height), layout="constrained")


def _svg(figure: "Figure") -> str:
    """Returns the SVG with letters as shapes, the same everywhere; as text where this font lacks a character."""
    drawn, lacking = _drawn(figure, "path")
    return _drawn(figure, "none")[0] if lacking else drawn


def _drawn(figure: "Figure", letters: str) -> tuple[str, bool]:
    """Returns the SVG, and whether the font lacks any of its characters."""
    from matplotlib import rc_context

    written = StringIO()
    with rc_context({"svg.fonttype": letters}), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    return written.getvalue(), any("missing from font" in str(one.message) for one in said)
