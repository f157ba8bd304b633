"""The functions an agent may call, by name; each module loads when its function is first asked for."""

import importlib
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple

from policies.errors import InputError


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
    Tool("prior_variance", "tools.statistics.priors:find_prior", "The spread known for a recipe or model, or nothing."),
    Tool("design_power", "tools.design_power:design_power", "Seeds, detectable effects and cost, before any run."),
    Tool("list_studies", "tools.study.manage:list_studies", "Earlier studies and their states."),
    Tool("plan_study", "tools.plan_study:plan_study", "Intent to plan, with price and power."),
    Tool("analyze_scores", "tools.analyze_scores:analyze_scores", "Verdicts on a table of scores that exists."),
    Tool("study_status", "tools.study.manage:status", "How a study stands; no score by arm."),
    Tool("interim_scores", "tools.study.interim:interim", "Scores by arm so far, of a study that a person unblinded."),
    Tool("score_runs", "tools.score_runs:score_runs", "Which runs are scored; no score."),
    Tool("compare_arms", "tools.compare_arms:compare_arms", "The verdict of a finished study."),
    Tool("write_report", "tools.write_report:write_report", "Builds a finished study's report again.", changes=True),
    Tool("launch_runs", "tools.launch_runs:launch_runs", "Starts or resumes an approved study.", changes=True),
)


def tool(name: str) -> Tool:
    """The tool of that name. InputError naming the nearest ones."""
    found = {entry.name: entry for entry in TOOLS}
    if name not in found:
        near = get_close_matches(name, found, n=3, cutoff=0.4) or list(found)
        raise InputError(f"unknown tool {name!r}; call one of: {', '.join(near)}")
    return found[name]
