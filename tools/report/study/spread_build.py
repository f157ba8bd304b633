"""The report of a study that compares no policies: the spread, and what a comparison needs at that spread."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.evaluation.material import ReportMaterial
from tools.report.claims.spread import (
    NO_DELIVERY,
    lead_sentence,
    lost_sentence,
    pilot_delivery_sentences,
    planning_sentences,
    rollouts_sentence,
    seeds_sentence,
    spread_title,
)
from tools.report.claims.study import measured_price, spent_hours
from tools.report.figures import curves
from tools.report.files import csv_text, rendered, write_report_files
from tools.report.study.about_study import study_view
from tools.report.study.spread_sections import noise_section, pilot_section
from tools.report.study.tables_csv import scores_csv
from tools.report.study.verdict_json import NumberRow, StudyVerdict, all_claims, stored_numbers
from tools.text.markdown import text


def build_spread_report(material: ReportMaterial, folder: Path) -> Path:
    """Writes `report.md`, `verdict.json`, figures and tables under `folder`; returns the path of `report.md`.

    For a pilot, nothing is written that distinguishes the arms by their scores or training rewards.
    """
    pilot = material.plan.kind == "pilot"
    shown = () if pilot else material.curves
    figures = {"curves": curves(shown, [arm.id for arm in material.plan.arms])}
    page = rendered("spread.md.j2", spread_view(material, {name: bool(svg) for name, svg in figures.items()}))
    tables = {"spread": csv_text(_COLUMNS, _rows(material))} | ({} if pilot else {"scores": scores_csv(material)})
    return write_report_files(folder, page, spread_verdict(material).stored(), figures, tables)


def spread_view(material: ReportMaterial, figures: dict[str, bool]) -> dict[str, Any]:
    """Returns the variables of the template."""
    assert material.spread is not None
    spread = material.spread
    found = noise_section(spread.noise) if spread.noise else ""
    apart = ""
    if material.plan.kind == "noise":
        apart = " ".join(one for one in (rollouts_sentence(material), seeds_sentence(material.plan)) if one)
    return study_view(material, spread_title(material), "", figures) | {
        "lead": text(lead_sentence(material)),
        "faults": [text(fault) for fault in spread.faults],
        "spread": pilot_section(spread.pilot) if spread.pilot else found,
        "spread_notes": [text(note) for note in spread.notes],
        "lost": text(lost_sentence(material)),
        "planning": [text(sentence) for sentence in planning_sentences(material)],
        "apart": text(apart),
        "delivery": [text(one) for one in pilot_delivery_sentences(material)],
        "no_delivery": text(NO_DELIVERY) if material.plan.kind == "noise" else "",
    }


def spread_verdict(material: ReportMaterial) -> StudyVerdict:
    """Returns the content of `verdict.json` for a study that compares no policies: no comparison in its verdict."""
    assert material.spread is not None
    return StudyVerdict(
        study_id=material.study_id, plan_hash=material.plan_hash, kind=material.plan.kind,
        toy=material.plan.recipe.toy, suite=material.verdict.suite, exploratory=material.exploratory,
        title=spread_title(material), verdict=material.verdict, spread=material.spread, claims=all_claims(material),
        numbers=stored_numbers(_numbers(material)),
    )  # fmt: skip


_COLUMNS = ("kind", "name", "sd", "low_sd", "high_sd", "upper_sd", "intervals", "excluding")
_UNITS = dict.fromkeys(_COLUMNS[2:6], "score points") | dict.fromkeys(_COLUMNS[6:], "intervals")


def _spreads(material: ReportMaterial) -> Iterator[tuple[str, str, dict[str, float | int | None]]]:
    """Yields kind, name and values of each spread, values by column."""
    assert material.spread is not None
    noise, pilot = material.spread.noise, material.spread.pilot
    for kind, rows in (("summary", noise.summaries), ("benchmark", noise.benchmarks)) if noise else ():
        for name, row in rows.items():
            yield kind, name, row.model_dump()
    for name, one in pilot.summaries.items() if pilot else ():
        yield "summary", name, {"sd": one.sd, "low_sd": one.low, "high_sd": one.high, "upper_sd": one.upper}


def _rows(material: ReportMaterial) -> Iterator[tuple[object, ...]]:
    for kind, name, values in _spreads(material):
        yield (kind, name, *(values.get(column) for column in _COLUMNS[2:]))


def _numbers(material: ReportMaterial) -> Iterator[NumberRow]:
    assert material.spread is not None
    spread, ahead = material.spread, material.spread.ahead
    n = spread.pilot.seeds if spread.pilot else sum(spread.noise.pairs.values()) if spread.noise else None
    for kind, name, values in _spreads(material):
        for key, value in values.items():
            yield f"spread.{kind}.{name}.{key}", value, _UNITS[key], n
    if ahead is not None:
        yield "spread.df", ahead.prior_df, "degrees of freedom", n
        yield "spread.sesoi", ahead.sesoi, "score points", None
        for key in ("supported", "supported_upper", "negative_equivalent", "negative_equivalent_upper"):
            yield f"spread.seeds_needed_{key}", getattr(ahead, f"seeds_needed_{key}"), "seed pairs", None
    yield "study.device_hours", spent_hours(material), "device-hours", len(material.runs)
    yield "study.scoring_device_hours", material.scoring_device_hours, "device-hours", len(material.runs)
    yield "study.device_hours_per_run", measured_price(material).device_hours_per_run, "device-hours", None
