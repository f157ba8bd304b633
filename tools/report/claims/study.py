"""Every claim about a study as a whole: what was held fixed, matched, spent and approved, and how it deviated."""

from collections.abc import Sequence

from tools.evaluation.material import Approval, Matching, ReportMaterial, ReportRun
from tools.plan.cost import SeedPrice, hours, hours_unit, run_device_hours
from tools.plan.study_plan import StudyPlan
from tools.report.claims.facts import Claim
from tools.report.claims.sequential import stopped_sentence
from tools.text import numbers
from training.recipe import Recipe

TOY_NOTICE = "Demonstration on a toy model; it gives no information about real ones."


def study_claims(material: ReportMaterial) -> tuple[Claim, ...]:
    """Returns the claims that hold for every comparison of the study; ids start with `study.`."""
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
    """Returns what a seed cost in this study: the mean over completed runs, with their share of the scoring.

    The recipe's estimate where no run is recorded.
    """
    recipe = material.plan.recipe
    trained = [run.device_hours for run in material.runs if run.state == "done" and run.device_hours > 0]
    each = (sum(trained) + material.scoring_device_hours) / len(trained) if trained else run_device_hours(recipe)
    return SeedPrice(len(material.plan.arms), each, hours_unit(recipe))


def scope_sentence(plan: StudyPlan) -> str:
    """Returns model, steps, planned seeds, arms and the smallest effect of interest."""
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
    """Returns the sentence above the settings that all arms share."""
    if plan.kind == "noise":
        return "Under the plan, all runs share these settings and the policy."
    return "Under the plan, all arms share these settings and differ only in the policy."


def matching_sentence(matching: Matching | None) -> str:
    """Returns what was compared between the arms of each pair, and what differed."""
    if matching is None:
        return "Matching was not checked."
    if matching.pairs == 0:
        return "Matching: there was no pair of runs to compare."
    what = numbers.listed(matching.compared) or "the run records"
    pairs = numbers.counted(matching.pairs, "pair of runs", "pairs of runs")
    if not matching.differences:
        return f"In {pairs} nothing differs except {matching.apart} and the run paths. Compared: {what}."
    count = numbers.counted(len(matching.differences), "difference")
    return f"The arms are not matched: {count} besides {matching.apart} in {pairs}. Compared: {what}."


def runs_sentence(runs: Sequence[ReportRun]) -> str:
    """Returns how many runs reached the planned step, and how many needed more than one attempt."""
    if not runs:
        return "No run is recorded: the scores came from elsewhere."
    done = sum(run.state == "done" for run in runs)
    retried = sum(run.attempts > 1 for run in runs)
    text = f"{numbers.capital(numbers.word(done))} of {numbers.counted(len(runs), 'run')} reached the planned step"
    return f"{text}; {numbers.word(retried)} needed more than one attempt." if retried else f"{text}."


def spent_sentence(material: ReportMaterial) -> str:
    """Returns the device-hours of all attempts and of scoring, including failed attempts."""
    if not material.runs:
        return ""
    recipe, scoring = material.plan.recipe, material.scoring_device_hours
    note = " (on CPU, one run-hour each)" if recipe.device == "cpu" else ""
    part = f", of which {hours(scoring, hours_unit(recipe))} for scoring" if scoring else ""
    return f"Spent: {hours(spent_hours(material), hours_unit(recipe))}{note}{part}; failed attempts are included."


def spent_hours(material: ReportMaterial) -> float:
    """Returns the device-hours of training and scoring."""
    return sum(run.device_hours for run in material.runs) + material.scoring_device_hours


def approval_sentence(approval: Approval | None, recipe: Recipe) -> str:
    """Returns who approved the plan, when, and up to which ceiling."""
    if approval is None:
        return "No approval is recorded."
    ceiling = approval.ceiling_device_hours
    upto = "with no ceiling" if ceiling is None else f"with a ceiling of {hours(ceiling, hours_unit(recipe))}"
    return f"Approved by {approval.who} at {approval.when}, {upto}."


def exploratory_sentence(why: str) -> str:
    """Returns why a verdict is exploratory; empty where it is not."""
    if not why:
        return ""
    return (
        f"Exploratory, not confirmed: {why}. The verdict and its intervals are those of a plan that was changed during "
        "the study; only a new study with new seeds can confirm them."
    )


def deviations_sentence(count: int) -> str:
    """Returns how many deviations from the plan are recorded."""
    if count == 0:
        return "No deviation from the plan is recorded."
    verb = "is" if count == 1 else "are"
    return f"{numbers.capital(numbers.counted(count, 'deviation'))} from the plan {verb} recorded."
