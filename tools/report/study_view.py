"""What every report of a study prints about the study itself: runs, cost, deviations, what was held fixed."""

from collections.abc import Mapping
from typing import Any

from tools.report.markdown import code, text
from tools.report.material import ReportMaterial
from tools.report.report_sequential import sequential_section, stopped_sentence
from tools.report.study_tables import mismatches_table, pairs_table, policies_table, runs_table
from tools.report.wording_study import (
    TOY_NOTICE,
    approval_sentence,
    deviations_sentence,
    exploratory_sentence,
    held_fixed_sentence,
    matching_sentence,
    runs_sentence,
    scope_sentence,
    spent_sentence,
)
from tools.study.cost import hours_unit


def study_view(material: ReportMaterial, title: str, failures: str, figures: Mapping[str, bool]) -> dict[str, Any]:
    """Everything that `study.md.j2` names, and the head of a report; `title` and `failures` are plain text."""
    plan = material.plan
    return {
        "toy": TOY_NOTICE if plan.recipe.toy else "",
        "title": text(f"{'Exploratory: ' if material.exploratory else ''}{title}"),
        "question": text(plan.question),
        "study": code(material.study_id),
        "plan_hash": code(material.plan_hash),
        "plan_name": code(material.plan_hash[:12]),
        "scope": text(f"{scope_sentence(plan)} {stopped_sentence(material)}".strip()),
        "figures": figures,
        "matching": text(matching_sentence(material.matching)),
        "mismatches": mismatches_table(material),
        "looks": sequential_section(material),
        "exploratory": text(exploratory_sentence(material.exploratory)),
        "runs_sentence": runs_sentence(material.runs),
        "failures": text(failures),
        "runs": runs_table(material, hours_unit(plan.recipe)),
        "spent": spent_sentence(material),
        "approval": text(approval_sentence(material.approval, plan.recipe)),
        "deviations_sentence": deviations_sentence(len(material.deviations)),
        "deviations": [f"{text(one.when)}: {text(one.what)}" for one in material.deviations],
        "held_fixed_sentence": held_fixed_sentence(plan),
        "held_fixed": pairs_table("setting", {key: str(value) for key, value in plan.recipe.held_fixed().items()}),
        "policies": policies_table(material),
        "artifacts": pairs_table("artifact", plan.artifacts, "sha256"),
        "versions": pairs_table("package", material.versions or plan.versions, "version"),
        "hardware": pairs_table("hardware", material.hardware),
        "notes": [text(note) for note in plan.notes],
        "commands": material.commands,
    }
