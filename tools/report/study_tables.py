"""Tables about the study as a whole: matching, runs, policies, settings, versions."""

from collections.abc import Mapping

from tools.report import numbers
from tools.report.markdown import Column, code, table, text
from tools.report.material import ReportMaterial


def mismatches_table(material: ReportMaterial) -> str:
    """What differs between the arms of a pair and may not; empty when nothing does."""
    if material.matching is None or not material.matching.differences:
        return ""
    rows = [
        [text(one.treatment), str(one.seed), code(one.key), code(one.control_value), code(one.treatment_value)]
        for one in material.matching.differences
    ]
    return table(["treatment", Column("seed", "right"), "what", "control", "treatment value"], rows)


def runs_table(material: ReportMaterial, unit: str) -> str:
    """One row a run; `unit` names device-hours."""
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
    """Every arm with all parameters of its policy."""
    roles = {"control": "control", "treatment": "treatment"}
    if material.plan.kind == "noise":
        roles = {"control": "first run", "treatment": "second run"}
    rows = [[text(arm.id), roles[arm.role], code(str(arm.policy))] for arm in material.plan.arms]
    return table(["arm", "role", "policy"], rows)


def pairs_table(name: str, values: Mapping[str, str], value: str = "value") -> str:
    """Names with values, as code; empty when there is none."""
    return table([name, value], [[text(key), code(shown)] for key, shown in values.items()]) if values else ""
