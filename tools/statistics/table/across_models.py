"""One treatment against one control on several models: whether it holds on all tested models or on some; never pooled.

"Holds on all M" is an intersection-union test: every model supports the claim with the same sign, each at its own
family level, without correction over models. "Holds on some" applies Holm over M to one p-value per model, that of its
every-summary claim. That p-value also comes from an intersection-union test: in each direction it is the largest
one-sided p over the summaries; since either direction could be claimed, it is twice the smaller of the two, times the k
treatments of the model's family (Bonferroni). It is at most alpha exactly if the verdict is `supported`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from policies.errors import InputError
from policies.model import StrictModel
from tools.statistics.levels import holm
from tools.statistics.verdict_model import Comparison, OverallVerdict

Direction = Literal["better", "worse"]


class ModelEffect(StrictModel):
    """The comparison on one model, with its effect under the primary summary in score points."""

    verdict: OverallVerdict
    direction: Direction | None
    n: int
    k: int
    primary: str
    mean: float | None
    low_family: float | None
    high_family: float | None
    p: float | None
    """p of the every-summary claim, corrected for the model's own k treatments; None if it cannot be tested."""
    p_holm: float | None
    """The same p, also corrected for the number of models."""


class AcrossModels(StrictModel):
    """One treatment against one control on all tested models."""

    treatment: str
    control: str
    confidence: float
    models: dict[str, ModelEffect]
    holds_on_all: Direction | None
    """The direction that every model supports; None if there is none."""
    holds_on: dict[str, Direction]
    """Models on which the claim holds after Holm's correction over all models."""
    alone: tuple[str, ...]
    """Models that support the claim individually, but not after Holm's correction."""
    same_summaries: bool
    """Whether every model was judged under summaries of the same names."""


def across_models(comparisons: Mapping[str, Comparison]) -> AcrossModels:
    """Combines the comparisons of the same treatment and control on several models, at the same confidence.

    comparisons: model -> its comparison. Raises ValueError if arms or confidence differ, or if there is none.
    """
    asked = {(one.treatment, one.control, one.confidence) for one in comparisons.values()}
    if len(asked) != 1:
        raise ValueError(f"models must share one treatment, control and confidence: got {sorted(asked)}")
    treatment, control, confidence = asked.pop()
    p = {model: every_summary_p(one) for model, one in comparisons.items()}
    adjusted = holm(p)
    directions = {one.direction for one in comparisons.values()}
    supported = all(one.verdict == "supported" for one in comparisons.values())
    models = {model: _effect(one, p[model], adjusted[model]) for model, one in comparisons.items()}
    holds_on = {
        model: one.direction
        for model, one in models.items()
        if one.direction and one.verdict == "supported" and one.p_holm is not None and one.p_holm <= 1.0 - confidence
    }
    return AcrossModels(
        treatment=treatment,
        control=control,
        confidence=confidence,
        models=models,
        holds_on_all=directions.pop() if supported and len(directions) == 1 else None,
        holds_on=holds_on,
        alone=tuple(name for name, one in models.items() if one.verdict == "supported" and name not in holds_on),
        same_summaries=len({frozenset(one.summaries) for one in comparisons.values()}) == 1,
    )


def every_summary_p(one: Comparison) -> float | None:
    """Returns the two-sided p of "the same sign under every summary", times k, at most 1.

    None if no such claim can be made: without valid, delivered, estimable pairs; if lost pairs undo the claim; or in a
    sequential study, where the p-values for a fixed number of seeds are not valid.
    """
    undone = one.worst_case is not None and one.verdict != "supported"
    if one.verdict in ("invalid_data", "treatment_not_delivered", "not_estimable") or undone or one.repeated:
        return None
    p_values, signs = [], set()
    for summary in one.summaries.values():
        if summary.p is None or summary.mean is None:
            return None
        p_values.append(summary.p)
        signs.add(summary.mean > 0)
    return min(1.0, one.k * max(p_values)) if len(signs) == 1 else 1.0


def _effect(one: Comparison, p: float | None, p_holm: float | None) -> ModelEffect:
    primary = one.summaries.get(one.primary)
    return ModelEffect(
        verdict=one.verdict,
        direction=one.direction,
        n=len(one.seeds),
        k=one.k,
        primary=one.primary,
        mean=primary.mean if primary else None,
        low_family=primary.low_family if primary else None,
        high_family=primary.high_family if primary else None,
        p=p,
        p_holm=p_holm,
    )


Value = str | int | float | bool
Cells = Sequence[tuple[Mapping[str, Value], Sequence[Comparison]]]


class Followed(NamedTuple):
    """One treatment across the values of a column."""

    group: dict[str, Value]
    """The other columns that separate cells, with their common values."""
    across: AcrossModels


def models_of(cells: Cells, by: str) -> tuple[Followed, ...]:
    """Follows each treatment and control across the values of the column `by`, with equal values in all other columns.

    cells: group and comparisons of each family. A treatment that is compared on only one value is left out. Raises
    InputError if that column separates no cells.
    """
    columns = tuple(dict.fromkeys(name for group, _ in cells for name in group))
    if by not in columns:
        told = f"cells are separated by {', '.join(columns)}" if columns else "the table is one cell"
        raise InputError(f"--by {by!r} separates no cells: {told}; name the column with --column group={by}")
    found: dict[tuple[object, ...], dict[str, Comparison]] = {}
    groups: dict[tuple[object, ...], dict[str, Value]] = {}
    for group, comparisons in cells:
        rest = {name: value for name, value in group.items() if name != by}
        for one in comparisons if by in group else ():
            key = (*rest.items(), one.treatment, one.control)
            groups[key] = rest
            found.setdefault(key, {})[str(group[by])] = one
    return tuple(Followed(groups[key], across_models(models)) for key, models in found.items() if len(models) > 1)
