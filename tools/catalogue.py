"""The agent's tools: the one way in for a terminal, a chat or another agent. Each loads when it is first used.

    from tools import catalogue
    planned = catalogue.plan_study(intent)

`TOOLS` says the same as data: what an LLM may call, what each is for, and which of them need a person's approval.
"""

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from policies.errors import InputError
from training.support.nearest import nearest

if TYPE_CHECKING:
    from tools.analyze_scores import analyze_scores as analyze_scores
    from tools.compare_arms import compare_arms as compare_arms
    from tools.design_power import design_power as design_power
    from tools.launch_runs import launch_runs as launch_runs
    from tools.plan_study import plan_study as plan_study
    from tools.plan_study import stored_proposal as stored_proposal
    from tools.scoring_coverage import scoring_coverage as scoring_coverage
    from tools.study.interim import interim_scores as interim_scores
    from tools.study.lifecycle import list_studies as list_studies
    from tools.study_status import study_status as study_status
    from tools.write_report import read_verdict as read_verdict
    from tools.write_report import write_report as write_report


class Tool(NamedTuple):
    """One function of the catalogue."""

    name: str
    where: str
    """`module:function`."""
    purpose: str
    changes: bool = False
    """It writes or spends: never called without a person's approval."""

    def load(self) -> Callable[..., Any]:
        """The function itself."""
        module, _, function = self.where.partition(":")
        loaded: Callable[..., Any] = getattr(importlib.import_module(module), function)
        return loaded


TOOLS = (
    Tool("list_policies", "policies.registry:names", "Names of all data policies."),
    Tool("list_recipes", "training.recipe:recipe_names", "Names of all recipes."),
    Tool("list_suites", "training.benchmarks.catalog:suites", "Names of all benchmark suites."),
    Tool("list_benchmarks", "training.benchmarks.catalog:suite", "The benchmarks of a suite."),
    Tool("list_summaries", "tools.scores.summaries:names", "Names of all benchmark summaries."),
    Tool("prior_variance", "tools.statistics.power.priors:find_prior", "The spread known for a recipe or model."),
    Tool("design_power", "tools.design_power:design_power", "Seeds, detectable effects and cost, before any run."),
    Tool("list_studies", "tools.study.lifecycle:list_studies", "Earlier studies and their states."),
    Tool("plan_study", "tools.plan_study:plan_study", "Intent to plan, with price and power."),
    Tool("stored_proposal", "tools.plan_study:stored_proposal", "The plan of a study, with price and power."),
    Tool("analyze_scores", "tools.analyze_scores:analyze_scores", "Verdicts on a table of scores that exists."),
    Tool("study_status", "tools.study_status:study_status", "How a study stands; no score by arm."),
    Tool(
        "interim_scores",
        "tools.study.interim:interim_scores",
        "Scores by arm so far; a person must have unblinded them.",
    ),
    Tool("scoring_coverage", "tools.scoring_coverage:scoring_coverage", "Which runs are scored; no score."),
    Tool("compare_arms", "tools.compare_arms:compare_arms", "Judges a finished study again, from stored scores."),
    Tool("read_verdict", "tools.write_report:read_verdict", "What the report of a finished study says."),
    Tool("write_report", "tools.write_report:write_report", "Builds a finished study's report again.", changes=True),
    Tool("launch_runs", "tools.launch_runs:launch_runs", "Starts or resumes an approved study.", changes=True),
)


def tool(name: str) -> Tool:
    """Finds a tool by name. Raises InputError that names the nearest ones."""
    found = {entry.name: entry for entry in TOOLS}
    if name not in found:
        raise InputError(f"unknown tool {name!r}; call one of: {', '.join(nearest(name, found) or found)}")
    return found[name]


if not TYPE_CHECKING:  # a type checker reads the imports above

    def __getattr__(name: str) -> Callable[..., Any]:
        found = next((entry for entry in TOOLS if entry.name == name), None)
        if found is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return found.load()
