"""One treatment against one control on several models: all tested models, or which of them. Never a pooled mean.

"Holds on all M" is an intersection-union test: every model supports it, with the same sign, each at its own family
level; no correction over models. "Holds on some" is Holm over M of one p-value a model, that of its every-summary
claim. That p-value, too, comes from an intersection-union test: upwards it is the largest one-sided p over the
summaries, downwards likewise, and since either direction would be claimed it is twice the smaller of the two, times
the k treatments of the model's family (Bonferroni). It is at most alpha exactly where the verdict is `supported`.
"""

from collections.abc import Mapping
from typing import Literal

from policies.model import StrictModel
from tools.statistics.family import holm
from tools.statistics.verdict_model import Comparison, OverallVerdict

Direction = Literal["better", "worse"]


class ModelEffect(StrictModel):
    """One model's comparison, on its primary summary, score points."""

    verdict: OverallVerdict
    direction: Direction | None
    n: int
    k: int
    primary: str
    mean: float | None
    low_family: float | None
    high_family: float | None
    p: float | None
    """Of the every-summary claim, corrected for the model's own k treatments; None: no such claim can be tested."""
    p_holm: float | None
    """Corrected for the number of models as well."""


class AcrossModels(StrictModel):
    """All tested models."""

    treatment: str
    control: str
    confidence: float
    models: dict[str, ModelEffect]
    holds_on_all: Direction | None
    """The direction that every model supports."""
    holds_on: dict[str, Direction]
    """Models on which it holds by Holm over all of them."""
    alone: tuple[str, ...]
    """Models that support it by themselves and not after Holm."""
    same_summaries: bool
    """Whether every model was judged under summaries of the same names."""


def across_models(comparisons: Mapping[str, Comparison]) -> AcrossModels:
    """comparisons: model -> its comparison of the same treatment and control at the same confidence.

    Raises ValueError when they are of different arms or confidence, or when there is none.
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
    """Two-sided p of "the same sign under every summary", times k, at most 1.

    None where no such claim is made: no valid, delivered, estimable pairs; a claim that lost pairs undo; seeds added
    look by look, where the p-values of a fixed number of seeds do not hold.
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
