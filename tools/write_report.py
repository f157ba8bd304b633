"""Tool: the report of a finished study, built again from what is stored, and the answer that it gives."""

from pathlib import Path

from tools.evaluation.gather import material
from tools.report.study.verdict_json import StudyVerdict, read_verdict_file
from tools.study.folder import Study, demand_done


def write_report(study: Study) -> Path:
    """Writes `report/` and returns its Markdown file; needs no torch, GPU or network.

    Raises RefusedError while the study is not done: nobody sees scores by arm before.
    """
    demand_done(study)
    return evaluate(study)


def evaluate(study: Study) -> Path:
    """Writes verdict and report under `report/` and returns the Markdown file.

    Raises RefusedError when a planned seed is not scored in every arm: nobody sees scores before.
    """
    made, folder = material(study), study.folder / "report"
    if not made.plan.gives_verdict:
        from tools.report.study.spread_build import build_spread_report

        return build_spread_report(made, folder)
    from tools.report.study.build import build_report

    return build_report(made, folder)


def read_verdict(study: Study) -> StudyVerdict:
    """Reads what the report says, from `report/verdict.json`; a report that is missing is built first.

    Raises RefusedError while the study is not done, AdvisorError for a file that is damaged.
    """
    demand_done(study)
    path = study.folder / "report" / "verdict.json"
    if not path.is_file():
        write_report(study)
    return read_verdict_file(path, f"advisor report {study.name}")
