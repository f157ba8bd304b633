"""`verdict.json`: the verdict, every claim, and every number under an id of its own."""

from collections.abc import Iterator
from typing import Any

from tools.report.claims import all_claims
from tools.report.diagnostics import benchmark_diagnostics, outcome_diagnostics
from tools.report.material import ReportMaterial
from tools.report.study_sensitivity import StudySensitivity
from tools.report.titles import title
from tools.report.wording_study import measured_price, spent_hours
from tools.statistics.power_model import PowerStatement, SummaryPower
from tools.statistics.verdict_model import SummaryVerdict

_POINTS = "score points"
_POWER_UNITS = {
    "n": "seed pairs",
    "k": "treatments",
    "alpha": "probability",
    "family_alpha": "probability",
    "sesoi": _POINTS,
    "critical_t": "standard errors",
    "critical_t_alone": "standard errors",
    "prior_df": "degrees of freedom",
    "detectable_effect": _POINTS,
    "detectable_effect_upper": _POINTS,
    "detectable_supported": _POINTS,
    "detectable_supported_upper": _POINTS,
    "power_primary": "probability",
    "power_primary_upper": "probability",
    "probability_supported": "probability",
    "probability_supported_upper": "probability",
    "probability_supported_most": "probability",
    "probability_supported_most_upper": "probability",
    "draws": "simulated studies",
    "standard_error": "probability",
    "seeds_needed_primary": "seed pairs",
    "seeds_needed_supported": "seed pairs",
    "seeds_needed_supported_upper": "seed pairs",
    "seeds_needed_negative_equivalent": "seed pairs",
    "seeds_needed_negative_equivalent_upper": "seed pairs",
}
_SUMMARY_UNITS = {
    "power": "probability",
    "power_upper": "probability",
    "seeds_needed": "seed pairs",
    "seeds_needed_upper": "seed pairs",
}


def verdict_file(material: ReportMaterial, sensitivity: StudySensitivity) -> dict[str, Any]:
    """Plain JSON, keys in a fixed order; a number that could not be estimated is null, never NaN."""
    return {
        "schema_version": 1,
        "study_id": material.study_id,
        "plan_hash": material.plan_hash,
        "toy": material.plan.recipe.toy,
        "suite": material.verdict.suite,
        "exploratory": material.exploratory,
        "title": f"{'Exploratory: ' if material.exploratory else ''}{title(material.verdict)}",
        "verdict": material.verdict.model_dump(mode="json"),
        "claims": [claim.model_dump() for claim in all_claims(material)],
        "numbers": {key: {"value": value, "unit": unit, "n": n} for key, value, unit, n in _numbers(material)},
        "sensitivity": sensitivity.stored(),
    }


_Number = tuple[str, float | int | None, str, int | None]


def _numbers(material: ReportMaterial) -> Iterator[_Number]:
    for one in material.verdict.comparisons:
        arm = one.treatment
        for summary in one.summaries.values():
            yield from _of_summary(f"{arm}.summary.{summary.summary}", summary)
        yield f"{arm}.k", one.k, "treatments", None
        yield f"{arm}.confidence", one.confidence, "share", None
        yield f"{arm}.family_confidence", one.family_confidence, "share", None
        yield f"{arm}.strict_confidence", one.strict_confidence, "share", None
        yield f"{arm}.pairs", len(one.seeds), "seed pairs", None
        yield f"{arm}.lost_pairs", len(one.lost_seeds), "seed pairs", None
        yield f"{arm}.exclusions_unadjusted", len(one.exclusions_unadjusted), "summaries", None
        yield f"{arm}.exclusions_expected", one.exclusions_expected, "summaries", None
        yield f"{arm}.delivery.dose", one.delivery.dose, "total variation", len(one.delivery.by_seed)
        yield f"{arm}.delivery.minimum_dose", one.delivery.minimum_dose, "total variation", None
        yield f"{arm}.delivery.treatment_dose", one.delivery.treatment_dose, "total variation", None
        yield f"{arm}.delivery.control_dose", one.delivery.control_dose, "total variation", None
        for seed, dose in one.delivery.by_seed.items():
            yield f"{arm}.delivery.seed-{seed}", dose, "total variation", 1
        for failed, count in one.failures.items():
            yield f"{arm}.failures.{failed}", count, "runs", None
        for row in benchmark_diagnostics(material, one):
            pair = row.difference
            values = {"treatment": row.treatment_mean, "control": row.control_mean, "mean": pair.mean}
            for key, value in (values | {"sd": pair.sd, "low": pair.low, "high": pair.high}).items():
                yield f"{arm}.benchmark.{row.name}.{key}", value, _POINTS, pair.n
        for outcome, row in outcome_diagnostics(material, one):
            pair = row.difference
            values = {"treatment": row.treatment_mean, "control": row.control_mean, "mean": pair.mean}
            for key, value in (values | {"sd": pair.sd, "low": pair.low, "high": pair.high}).items():
                yield f"{arm}.outcome.{outcome.name}.{key}", value, outcome.unit, pair.n
    if material.power is not None:
        yield from _of_power(material.power)
    yield "study.device_hours", spent_hours(material), "device-hours", len(material.runs)
    yield "study.scoring_device_hours", material.scoring_device_hours, "device-hours", len(material.runs)
    yield "study.device_hours_per_run", measured_price(material).device_hours_per_run, "device-hours", None


def _of_power(power: PowerStatement) -> Iterator[_Number]:
    for key, unit in _POWER_UNITS.items():
        yield f"plan.{key}", getattr(power, key), unit, power.n
    for case in ("verdicts_at_zero", "verdicts_at_sesoi"):
        for verdict, probability in (getattr(power, case) or {}).items():
            yield f"plan.{case}.{verdict}", probability, "probability", power.n
    for name, one in power.summaries.items():
        for key in SummaryPower.model_fields:
            yield f"plan.summary.{name}.{key}", getattr(one, key), _SUMMARY_UNITS.get(key, _POINTS), power.n


def _of_summary(prefix: str, one: SummaryVerdict) -> Iterator[_Number]:
    for key in (
        "control_mean",
        "mean",
        "sd",
        "low",
        "high",
        "low_family",
        "high_family",
        "low_tost",
        "high_tost",
        "sesoi",
    ):
        yield f"{prefix}.{key}", getattr(one, key), _POINTS, one.n
    yield f"{prefix}.p", one.p, "probability", one.n
    yield f"{prefix}.p_holm", one.p_holm, "probability", one.n
    for seed, difference in one.differences.items():
        yield f"{prefix}.seed-{seed}", difference, _POINTS, 1
