"""Tool: from an intent to a plan with its price and its power. Starts nothing, writes nothing."""

from collections.abc import Mapping

from tools.study.design import design
from tools.study.intent import StudyIntent
from tools.study.price import PlannedStudy, price


def plan_study(intent: StudyIntent, overrides: Mapping[str, object] | None = None) -> PlannedStudy:
    """Designs and prices; raises what `tools.study.design.design` raises."""
    return price(design(intent, overrides))
