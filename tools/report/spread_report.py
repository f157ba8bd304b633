"""The report of a study that compares nothing: a spread, and what a comparison takes at it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.report import report_noise
from tools.report.claims import all_claims
from tools.report.csv_text import csv_text
from tools.report.figures import curves
from tools.report.markdown import text
from tools.report.material import ReportMaterial
from tools.report.report_files import rendered, write_report_files
from tools.report.study_view import study_view
from tools.report.tables_csv import scores_csv
from tools.report.wording_spread import (
    NO_DELIVERY,
    lead_sentence,
    lost_sentence,
    planning_sentences,
    rollouts_sentence,
    seeds_sentence,
    spread_title,
)
from tools.report.wording_study import measured_price, spent_hours
from tools.statistics.noise_study import NoiseSpread


def build_spread_report(material: ReportMaterial, folder: Path) -> Path:
    """Writes `report.md`, `verdict.json`, figures and tables under `folder`; gives `report.md`'s path."""
    figures = {"curves": curves(material.curves, [arm.id for arm in material.plan.arms])}
    page = rendered("spread.md.j2", spread_view(material, {name: bool(svg) for name, svg in figures.items()}))
    tables = {"spread": csv_text(_COLUMNS, _rows(material)), "scores": scores_csv(material)}
    return write_report_files(folder, page, spread_file(material), figures, tables)


def spread_view(material: ReportMaterial, figures: dict[str, bool]) -> dict[str, Any]:
    """Everything that the template names."""
    assert material.spread is not None
    spread = material.spread
    return study_view(material, spread_title(material), "", figures) | {
        "lead": text(lead_sentence(material)),
        "faults": [text(fault) for fault in spread.faults],
        "spread": report_noise.section(spread.noise) if spread.noise else "",
        "spread_notes": [text(note) for note in spread.notes],
        "lost": text(lost_sentence(material)),
        "planning": [text(sentence) for sentence in planning_sentences(material)],
        "apart": " ".join(text(one) for one in (rollouts_sentence(material), seeds_sentence(material.plan)) if one),
        "delivery": text(NO_DELIVERY),
    }


def spread_file(material: ReportMaterial) -> dict[str, Any]:
    """`verdict.json`: its verdict has no comparison; a number that could not be estimated is null."""
    assert material.spread is not None
    return {
        "schema_version": 1,
        "study_id": material.study_id,
        "plan_hash": material.plan_hash,
        "kind": material.plan.kind,
        "toy": material.plan.recipe.toy,
        "suite": material.verdict.suite,
        "exploratory": material.exploratory,
        "title": spread_title(material),
        "verdict": material.verdict.model_dump(mode="json"),
        "spread": material.spread.model_dump(mode="json", exclude={"prior": {"benchmark_covariance"}}),
        "claims": [claim.model_dump() for claim in all_claims(material)],
        "numbers": {key: {"value": value, "unit": unit, "n": n} for key, value, unit, n in _numbers(material)},
    }


_COLUMNS = ("kind", "name", "sd", "low_sd", "high_sd", "intervals", "excluding")


def _spreads(material: ReportMaterial) -> Iterator[tuple[str, str, NoiseSpread]]:
    noise = material.spread.noise if material.spread else None
    if noise is not None:
        yield from (("summary", name, one) for name, one in noise.summaries.items())
        yield from (("benchmark", name, one) for name, one in noise.benchmarks.items())


def _rows(material: ReportMaterial) -> Iterator[tuple[object, ...]]:
    for kind, name, one in _spreads(material):
        yield (kind, name, *(getattr(one, column) for column in _COLUMNS[2:]))


def _numbers(material: ReportMaterial) -> Iterator[tuple[str, float | int | None, str, int | None]]:
    assert material.spread is not None
    noise, ahead = material.spread.noise, material.spread.ahead
    n = sum(noise.pairs.values()) if noise else None
    for kind, name, one in _spreads(material):
        for key in ("sd", "low_sd", "high_sd"):
            yield f"spread.{kind}.{name}.{key}", getattr(one, key), "score points", n
        yield f"spread.{kind}.{name}.intervals", one.intervals, "intervals", n
        yield f"spread.{kind}.{name}.excluding", one.excluding, "intervals", n
    if ahead is not None:
        yield "spread.df", ahead.prior_df, "degrees of freedom", n
        yield "spread.sesoi", ahead.sesoi, "score points", None
        for key in ("supported", "supported_upper", "negative_equivalent", "negative_equivalent_upper"):
            yield f"spread.seeds_needed_{key}", getattr(ahead, f"seeds_needed_{key}"), "seed pairs", None
    yield "study.device_hours", spent_hours(material), "device-hours", len(material.runs)
    yield "study.scoring_device_hours", material.scoring_device_hours, "device-hours", len(material.runs)
    yield "study.device_hours_per_run", measured_price(material).device_hours_per_run, "device-hours", None
