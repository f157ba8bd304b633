"""The verdicts on a score table as one JSON document: printed by `--json` and stored in `verdict.json`."""

from typing import Any

from tools.statistics.table.across_models import Followed
from tools.statistics.table.analysis import Judged, JudgedCell, ScoreAnalysis
from tools.statistics.verdict_model import SummaryVerdict

SCHEMA_VERSION = 1


def scores_document(analysis: ScoreAnalysis) -> dict[str, Any]:
    """Returns plain JSON, keys in a fixed order; a number that could not be estimated is None, never NaN.

    One object per comparison, in the table's order. `low` and `high` are unadjusted; `verdict` uses `low_family` and
    `high_family`. `group` contains the columns that separate cells.
    """
    book = analysis.book
    return {
        "schema_version": SCHEMA_VERSION,
        "source": list(book.source),
        "format": book.format,
        "rows": book.rows,
        "mapping": book.mapping,
        "notes": [*book.notes, *analysis.notes],
        "delivery": "not_recorded",
        "scores_sha256": analysis.scores_hash,
        "comparisons": [_comparison(judged) for judged in analysis.judged],
        "cells": [_cell(cell) for cell in analysis.cells],
        "across": [_followed(analysis.settings.by, one) for one in analysis.models],
    }


def _comparison(judged: Judged) -> dict[str, Any]:
    one = judged.comparison
    return {
        "group": dict(judged.group),
        "treatment": one.treatment,
        "control": one.control,
        "k": one.k,
        "n": len(one.seeds),
        "verdict": one.verdict,
        "direction": one.direction,
        "negligible": one.negligible,
        "primary": one.primary,
        "confidence": one.confidence,
        "family_confidence": one.family_confidence,
        "strict_confidence": one.strict_confidence,
        "summaries": {name: _summary(summary) for name, summary in one.summaries.items()},
        "exclusions_unadjusted": list(one.exclusions_unadjusted),
        "exclusions_expected": one.exclusions_expected,
        "exclusions_strict": list(one.exclusions_strict),
        "worst_summary": one.worst_summary,
        "best_summary": one.best_summary,
        "seeds": list(one.seeds),
        "lost_seeds": list(one.lost_seeds),
        "worst_case": one.worst_case,
        "faults": list(one.faults),
        "notes": list(one.notes),
        "delivery": one.delivery.status,
        "sensitivity": None if judged.sensitivity is None else judged.sensitivity.model_dump(mode="json"),
    }


def _cell(cell: JudgedCell) -> dict[str, Any]:
    """Returns what the comparisons of one cell share."""
    return {
        "group": dict(cell.group),
        "arms": list(cell.table.arms),
        "seeds": list(cell.table.seeds),
        "benchmarks": list(cell.table.benchmarks),
        "domains": dict(cell.domains),
        "collapsed": _collapsed(cell),
        "ranks": None if cell.ranks is None else cell.ranks.model_dump(mode="json"),
        "families": [
            {
                "control": family.control,
                "treatments": [one.treatment for one in family.comparisons],
                "analysis": family.analysis.model_dump(mode="json"),
                "max_t": None if family.max_t is None else family.max_t.model_dump(mode="json"),
            }
            for family in cell.families
        ],
    }


def _collapsed(cell: JudgedCell) -> dict[str, Any]:
    """Returns the flagged cells by name."""
    table, found = cell.table, cell.collapsed.model_dump(mode="json")
    for one in found["cells"]:
        arm, seed, benchmark = one.pop("cell")
        one |= {"arm": table.arms[arm], "seed": table.seeds[seed], "benchmark": table.benchmarks[benchmark]}
    return found


def _followed(by: str | None, one: Followed) -> dict[str, Any]:
    """Returns one treatment over the values of the column `by`."""
    return {"by": by, "group": one.group, **one.across.model_dump(mode="json")}


def _summary(one: SummaryVerdict) -> dict[str, Any]:
    keys = ("n", "mean", "low", "high", "low_family", "high_family", "p_holm", "verdict")
    more = ("negligible", "sesoi", "sd", "p", "low_tost", "high_tost", "control_mean", "differences")
    return {key: getattr(one, key) for key in (*keys, *more)}
