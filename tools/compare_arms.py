"""Tool: the verdict of a finished study, from what is stored."""

from policies.errors import RefusedError
from tools.statistics.verdict_model import Verdict
from tools.study.folder import Study, demand_done


def compare_arms(study: Study) -> Verdict:
    """Judges again from stored scores and records.

    RefusedError before every planned seed is in, and for a study that compares nothing.
    """
    from tools.evaluation.gather import material

    demand_done(study)
    if not study.plan.gives_verdict:
        raise RefusedError(f"{study.folder.name} compares no arms and has no verdict; see: advisor report {study.name}")
    return material(study).verdict
