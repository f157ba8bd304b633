"""The part that every study report has about the study itself: runs, cost, deviations, what was held fixed."""

from collections.abc import Mapping
from typing import Any

from tools.evaluation.material import ReportMaterial
from tools.plan.cost import hours_unit
from tools.report.claims.sequential import stopped_sentence
from tools.report.claims.study import (
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
from tools.report.study.looks import sequential_section
from tools.text import numbers
from tools.text.markdown import Column, code, table, text


def study_view(material: ReportMaterial, title: str, failures: str, figures: Mapping[str, bool]) -> dict[str, Any]:
    """Returns the variables of `study.md.j2` and of a report's head; `title` and `failures` are plain text."""
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


def mismatches_table(material: ReportMaterial) -> str:
    """Returns what differs between the arms of a pair but must not; empty when nothing does."""
    if material.matching is None or not material.matching.differences:
        return ""
    rows = [
        [text(one.treatment), str(one.seed), code(one.key), code(one.control_value), code(one.treatment_value)]
        for one in material.matching.differences
    ]
    return table(["treatment", Column("seed", "right"), "what", "control", "treatment value"], rows)


def runs_table(material: ReportMaterial, unit: str) -> str:
    """Returns one row per run; `unit` names the device-hours."""
    if not material.runs:
        return ""
    columns: list[Column | str] = [
        "arm",
        *(Column(name, "right") for name in ("seed", "attempts", "steps", "wall seconds", f"training {unit}")),
        "state",
        "folder",
    ]
    rows = [
        [
            text(run.arm),
            str(run.seed),
            str(run.attempts),
            str(run.steps),
            numbers.fixed(run.wall_s, 1),
            numbers.fixed(run.device_hours, 3),
            text(f"{run.state}: {run.reason}" if run.reason else run.state),
            code(run.folder) if run.folder else numbers.MISSING,
        ]
        for run in material.runs
    ]
    return table(columns, rows)


def policies_table(material: ReportMaterial) -> str:
    """Returns every arm with all parameters of its policy."""
    roles = {"control": "control", "treatment": "treatment"}
    if material.plan.kind == "noise":
        roles = {"control": "first run", "treatment": "second run"}
    rows = [[text(arm.id), roles[arm.role], code(str(arm.policy))] for arm in material.plan.arms]
    return table(["arm", "role", "policy"], rows)


def pairs_table(name: str, values: Mapping[str, str], value: str = "value") -> str:
    """Returns a table of names and values, as code; empty when there are none."""
    return table([name, value], [[text(key), code(shown)] for key, shown in values.items()]) if values else ""
