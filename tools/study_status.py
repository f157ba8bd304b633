"""Tool: how a study stands, with the delivery so far. It tells no score by arm."""

from tools.study.folder import Study
from tools.study.follow import snapshot
from tools.study.status import StudyStatus


def study_status(study: Study) -> StudyStatus:
    """Reads ledger and run records; `follow.watch` gives one status after the other, without the delivery."""
    from tools.evaluation.delivered import delivery_so_far
    from tools.study.stored import Stored

    found = snapshot(study)
    delivery = delivery_so_far(study, Stored.read(study), hidden=found.state != "done")
    return found.model_copy(update={"delivery": delivery})
