"""Tool: the verdict of a finished study, from what is stored."""

from tools.statistics.verdict_model import Verdict
from tools.study.manage import demand_done
from tools.study.study import Study


def compare_arms(study: Study) -> Verdict:
    """Judges again from stored scores and records. RefusedError before every planned seed is in."""
    from tools.study.evaluate import material

    demand_done(study)
    return material(study).verdict
