"""`verdict.json` of a study, written and read: the verdict, every claim, and every number under its own id."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from policies.errors import AdvisorError
from policies.model import StrictModel
from tools.evaluation.material import ReportMaterial
from tools.plan.study_plan import StudyKind
from tools.report.claims.comparison import comparison_claims
from tools.report.claims.doses import dose_claims
from tools.report.claims.facts import Claim
from tools.report.claims.power import plan_claims
from tools.report.claims.spread import spread_claims
from tools.report.claims.study import measured_price, spent_hours, study_claims
from tools.report.claims.titles import title
from tools.report.study.diagnostics import benchmark_diagnostics, outcome_diagnostics
from tools.report.study.sensitivity import StudySensitivity
from tools.statistics.power.model import PowerStatement, SummaryPower
from tools.statistics.spread.spread_study import SpreadStudy
from tools.statistics.verdict_model import SummaryVerdict, Verdict

_POINTS = "score points"
_POWER_UNITS = {
    "n": "seed pairs", "k": "treatments", "alpha": "probability", "family_alpha": "probability", "sesoi": _POINTS,
    "critical_t": "standard errors", "critical_t_alone": "standard errors", "prior_df": "degrees of freedom",
    "detectable_effect": _POINTS, "detectable_effect_upper": _POINTS, "detectable_supported": _POINTS,
    "detectable_supported_upper": _POINTS, "power_primary": "probability", "power_primary_upper": "probability",
    "probability_supported": "probability", "probability_supported_upper": "probability",
    "probability_supported_most": "probability", "probability_supported_most_upper": "probability",
    "draws": "simulated studies", "standard_error": "probability", "seeds_needed_primary": "seed pairs",
    "seeds_needed_supported": "seed pairs", "seeds_needed_supported_upper": "seed pairs",
    "seeds_needed_negative_equivalent": "seed pairs", "seeds_needed_negative_equivalent_upper": "seed pairs",
}  # fmt: skip
_SUMMARY_POINTS = (
    "control_mean", "mean", "sd", "low", "high", "low_family", "high_family", "low_tost", "high_tost", "sesoi",
)  # fmt: skip
_SUMMARY_UNITS = {
    "power": "probability",
    "power_upper": "probability",
    "seeds_needed": "seed pairs",
    "seeds_needed_upper": "seed pairs",
}


class StoredNumber(StrictModel):
    """One number of a report; its value is None where it could not be estimated."""

    value: float | int | None
    unit: str
    n: int | None
    """Seed pairs, runs or studies behind it."""


class StudyVerdict(StrictModel):
    """The result of a study as stored in `verdict.json`, which omits fields that a kind of study does not have."""

    schema_version: int = 1
    study_id: str
    plan_hash: str
    kind: StudyKind | None = None
    """`noise` or `pilot`, for a study that compares no policies."""
    toy: bool
    suite: str
    exploratory: str
    """Why the study confirms nothing; empty where it can."""
    title: str
    """The answer to the question in one line."""
    verdict: Verdict
    spread: SpreadStudy | None = None
    """Only for a study that compares no policies."""
    claims: tuple[Claim, ...]
    numbers: dict[str, StoredNumber]
    sensitivity: dict[str, Any] | None = None
    """The sensitivity views of the report; None for a study that compares no policies."""

    def __repr__(self) -> str:
        return f"StudyVerdict({self.study_id}: {self.title})"

    __str__ = __repr__

    @property
    def all_invalid(self) -> bool:
        """Whether no comparison has data that are valid for a verdict."""
        found = self.verdict.comparisons
        return bool(found) and all(one.verdict == "invalid_data" for one in found)

    def stored(self) -> dict[str, Any]:
        """Returns plain JSON, keys in a fixed order; a number that could not be estimated is null, never NaN."""
        document = self.model_dump(mode="json", exclude={"spread": {"prior": {"benchmark_covariance"}}})
        optional = {"kind", "spread", "sensitivity"}
        return {key: value for key, value in document.items() if value is not None or key not in optional}


def read_verdict_file(path: Path, build_again: str) -> StudyVerdict:
    """Reads `verdict.json`; build_again: the command that rebuilds it. Raises AdvisorError for a damaged file."""
    try:
        return StudyVerdict.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise AdvisorError(f"{path} is damaged; rebuild it with: {build_again}") from error


def study_verdict(material: ReportMaterial, sensitivity: StudySensitivity) -> StudyVerdict:
    """Returns the content of `verdict.json` for a study that compares arms."""
    return StudyVerdict(
        study_id=material.study_id,
        plan_hash=material.plan_hash,
        toy=material.plan.recipe.toy,
        suite=material.verdict.suite,
        exploratory=material.exploratory,
        title=f"{'Exploratory: ' if material.exploratory else ''}{title(material.verdict)}",
        verdict=material.verdict,
        claims=all_claims(material),
        numbers=stored_numbers(_numbers(material)),
        sensitivity=sensitivity.stored(),
    )


NumberRow = tuple[str, float | int | None, str, int | None]
"""Id, value, unit, n."""


def stored_numbers(rows: Iterable[NumberRow]) -> dict[str, StoredNumber]:
    """Returns the numbers by id, in the order of the rows."""
    return {key: StoredNumber(value=value, unit=unit, n=n) for key, value, unit, n in rows}


def _numbers(material: ReportMaterial) -> Iterator[NumberRow]:
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


def _of_power(power: PowerStatement) -> Iterator[NumberRow]:
    for key, unit in _POWER_UNITS.items():
        yield f"plan.{key}", getattr(power, key), unit, power.n
    for case in ("verdicts_at_zero", "verdicts_at_sesoi"):
        for verdict, probability in (getattr(power, case) or {}).items():
            yield f"plan.{case}.{verdict}", probability, "probability", power.n
    for name, one in power.summaries.items():
        for key in SummaryPower.model_fields:
            yield f"plan.summary.{name}.{key}", getattr(one, key), _SUMMARY_UNITS.get(key, _POINTS), power.n


def _of_summary(prefix: str, one: SummaryVerdict) -> Iterator[NumberRow]:
    for key in _SUMMARY_POINTS:
        yield f"{prefix}.{key}", getattr(one, key), _POINTS, one.n
    yield f"{prefix}.p", one.p, "probability", one.n
    yield f"{prefix}.p_holm", one.p_holm, "probability", one.n
    for seed, difference in one.differences.items():
        yield f"{prefix}.seed-{seed}", difference, _POINTS, 1


def all_claims(material: ReportMaterial) -> tuple[Claim, ...]:
    """Returns each comparison's claims in plan order, then the study's, then the plan's; ids are unique."""
    claims = [claim for one in material.verdict.comparisons for claim in comparison_claims(one)]
    claims += dose_claims(material)
    if material.spread is not None:
        claims += spread_claims(material)
    claims += study_claims(material)
    if material.power is not None:
        claims += plan_claims(material.power, measured_price(material))
    return tuple(map(_exploratory, claims) if material.exploratory else claims)


def _exploratory(claim: Claim) -> Claim:
    """Marks a claim as exploratory, since it may be quoted alone; claims on what was planned and done stay as is."""
    if claim.id.startswith(("plan.", "study.")):
        return claim
    return claim.model_copy(update={"text": f"Exploratory: {claim.text}"})
