"""Every claim about a study as a whole: what was held fixed, matched, spent, approved, and what went otherwise."""

from collections.abc import Sequence

from tools.report import numbers
from tools.report.claim import Claim
from tools.report.material import Approval, Matching, ReportMaterial, ReportRun
from tools.report.report_sequential import stopped_sentence
from tools.study.cost import SeedPrice, hours, hours_unit, run_device_hours
from tools.study.plan import StudyPlan
from training.recipe import Recipe

TOY_NOTICE = "Demonstration on a toy model; it says nothing about real ones."


def study_claims(material: ReportMaterial) -> tuple[Claim, ...]:
    """Claims that hold for every comparison of the study; ids start with `study.`."""
    recipe = material.plan.recipe
    texts = {
        "toy": TOY_NOTICE if recipe.toy else "",
        "scope": scope_sentence(material.plan),
        "stopped": stopped_sentence(material),
        "matching": matching_sentence(material.matching),
        "runs": runs_sentence(material.runs),
        "spent": spent_sentence(material),
        "approval": approval_sentence(material.approval, recipe),
        "deviations": deviations_sentence(len(material.deviations)),
        "exploratory": exploratory_sentence(material.exploratory),
    }
    return tuple(Claim(id=f"study.{key}", text=text) for key, text in texts.items() if text)


def measured_price(material: ReportMaterial) -> SeedPrice:
    """What a seed cost in this study: the mean run that was done, with its part of the scoring.

    The recipe's estimate where no run is recorded.
    """
    recipe = material.plan.recipe
    trained = [run.device_hours for run in material.runs if run.state == "done" and run.device_hours > 0]
    each = (sum(trained) + material.scoring_device_hours) / len(trained) if trained else run_device_hours(recipe)
    return SeedPrice(len(material.plan.arms), each, hours_unit(recipe))


def scope_sentence(plan: StudyPlan) -> str:
    """Model, steps, planned seeds, arms and the smallest effect of interest."""
    recipe, count = plan.recipe, len(plan.treatments)
    arms = f"{numbers.counted(count, 'treatment')} against one control"
    if plan.kind == "noise":
        arms = f"two runs of {plan.control.id} at each"
    seeds = f"{'at most ' if plan.design else ''}{numbers.counted(len(plan.seeds), 'seed')} planned"
    return (
        f"Recipe {recipe.name} ({recipe.model}, {recipe.steps:,} GRPO steps), "
        f"{seeds}, {arms}, smallest effect of interest "
        f"{numbers.points(plan.analysis.primary_sesoi)}."
    )


def held_fixed_sentence(plan: StudyPlan) -> str:
    """What stands over the settings that all arms share."""
    if plan.kind == "noise":
        return "By the plan all runs share these settings and the policy."
    return "By the plan all arms share these settings and differ in the policy alone."


def matching_sentence(matching: Matching | None) -> str:
    """What was compared between the arms of each pair, and what came of it."""
    if matching is None:
        return "Matching was not checked."
    if matching.pairs == 0:
        return "Matching: no pair of runs was there to compare."
    what = numbers.listed(matching.compared) or "the run records"
    pairs = numbers.counted(matching.pairs, "pair of runs", "pairs of runs")
    if not matching.differences:
        return f"In {pairs} nothing differs but {matching.apart} and the run paths. Compared: {what}."
    count = numbers.counted(len(matching.differences), "difference")
    return f"The arms are not matched: {count} beside {matching.apart} in {pairs}. Compared: {what}."


def runs_sentence(runs: Sequence[ReportRun]) -> str:
    """How the runs ended, failures counted per arm."""
    if not runs:
        return "No run is recorded: the scores came from elsewhere."
    done = sum(run.state == "done" for run in runs)
    retried = sum(run.attempts > 1 for run in runs)
    text = f"{numbers.capital(numbers.word(done))} of {numbers.counted(len(runs), 'run')} reached the planned step"
    return f"{text}; {numbers.word(retried)} needed more than one attempt." if retried else f"{text}."


def spent_sentence(material: ReportMaterial) -> str:
    """Device-hours of all attempts and of scoring, failed ones included."""
    if not material.runs:
        return ""
    recipe, scoring = material.plan.recipe, material.scoring_device_hours
    note = " (on CPU one run-hour each)" if recipe.device == "cpu" else ""
    part = f", {hours(scoring, hours_unit(recipe))} of it for scoring" if scoring else ""
    return f"Spent: {hours(spent_hours(material), hours_unit(recipe))}{note}{part}; all attempts, failed ones included."


def spent_hours(material: ReportMaterial) -> float:
    """Device-hours of training and scoring."""
    return sum(run.device_hours for run in material.runs) + material.scoring_device_hours


def approval_sentence(approval: Approval | None, recipe: Recipe) -> str:
    """Who approved the plan, when, and up to what."""
    if approval is None:
        return "No approval is recorded."
    ceiling = approval.ceiling_device_hours
    upto = "with no ceiling" if ceiling is None else f"with a ceiling of {hours(ceiling, hours_unit(recipe))}"
    return f"Approved by {approval.who} at {approval.when}, {upto}."


def exploratory_sentence(why: str) -> str:
    """That a verdict is no confirmation, and why; empty where nothing speaks against it."""
    if not why:
        return ""
    return (
        f"Exploratory, not confirmed: {why}. The verdict and its intervals are those of a plan that was changed on the "
        "way; only a new study with new seeds can confirm them."
    )


def deviations_sentence(count: int) -> str:
    """How many departures from the plan were recorded."""
    if count == 0:
        return "No deviation from the plan is recorded."
    verb = "is" if count == 1 else "are"
    return f"{numbers.capital(numbers.counted(count, 'deviation'))} from the plan {verb} recorded."
