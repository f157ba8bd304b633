"""Options that several commands share, and how they become fields of an intent."""

import functools
import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, get_args

import typer

from policies.errors import InputError

Budget = Annotated[
    str | None,
    typer.Option("--budget", metavar="HOURS", help="Budget in GPU-hours (on a CPU: run-hours), such as 40h or 30min."),
]
Seeds = Annotated[int | None, typer.Option("--seeds", metavar="N", help="Number of matched seeds.")]
SeedList = Annotated[str | None, typer.Option("--seed-list", metavar="LIST", help="Seeds to use: 11-15 or 3,5,9.")]
Sequential = Annotated[
    bool, typer.Option("--sequential", help="Stop early once the answer is clear; --seeds is the maximum.")
]
MinSeeds = Annotated[
    int | None, typer.Option("--min-seeds", metavar="N", help="Seeds before the first interim look of --sequential.")
]
Pilot = Annotated[bool, typer.Option("--pilot", help="A small study that estimates the spread; it gives no verdict.")]
AfterPilot = Annotated[
    str | None,
    typer.Option("--after-pilot", metavar="STUDY", help="Use the spread of this pilot study, and different seeds."),
]
Doses = Annotated[
    list[str] | None,
    typer.Option(
        "--dose", metavar="POLICY.PARAMETER=A,B", help="One policy at several parameter values, one arm each."
    ),
]
Unmatched = Annotated[
    bool, typer.Option("--unmatched", help="Noise study: pair different seeds instead of two runs of one seed.")
]
Steps = Annotated[int | None, typer.Option("--steps", metavar="N", help="GRPO steps per run.")]
RecipeName = Annotated[str | None, typer.Option("--recipe", metavar="NAME", help="Recipe: a name or a YAML file.")]
Model = Annotated[str | None, typer.Option("--model", metavar="ID", help="Model: a Hugging Face id.")]
Treatments = Annotated[
    list[str] | None, typer.Option("--treatment", metavar="NAME", help="Policy to test; repeatable, or a comma list.")
]
Control = Annotated[str | None, typer.Option("--control", metavar="NAME", help="Policy to compare with.")]
Confidence = Annotated[
    float | None, typer.Option("--confidence", metavar="SHARE", help="Confidence level, such as 0.95.")
]
Sesoi = Annotated[float | None, typer.Option("--sesoi", metavar="POINTS", help="Smallest effect of interest.")]
Primary = Annotated[str | None, typer.Option("--summary", metavar="NAME", help="Primary benchmark summary.")]
MaxRuns = Annotated[int | None, typer.Option("--max-runs", metavar="N", help="Maximum number of runs.")]
NoLlm = Annotated[
    bool, typer.Option("--no-llm", help="Read the question with the built-in rules even if an LLM is configured.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Approve without asking; requires --budget.")]
By = Annotated[str | None, typer.Option("--by", metavar="WHO", help="Who approves (default: your user name).")]

MOST_LISTED = 1000


STUDY_OPTIONS: dict[str, Any] = {
    "budget": Budget, "seeds": Seeds, "seed_list": SeedList, "sequential": Sequential, "min_seeds": MinSeeds,
    "unmatched": Unmatched, "dose": Doses, "pilot": Pilot, "after_pilot": AfterPilot, "steps": Steps,
    "recipe": RecipeName, "model": Model, "treatment": Treatments, "control": Control, "confidence": Confidence,
    "sesoi": Sesoi, "summary": Primary, "max_runs": MaxRuns,
}  # fmt: skip
"""Options that define a study, in the order of `--help`."""


def takes_study_options(command: Callable[..., int]) -> Callable[..., int]:
    """Gives a command all of `STUDY_OPTIONS` after its first argument; it receives those given as `flags`."""

    @functools.wraps(command)
    def called(**given: Any) -> int:
        return command(flags=overrides(**{name: given.pop(name) for name in STUDY_OPTIONS}), **given)

    first, *own = (one for one in inspect.signature(command).parameters.values() if one.name != "flags")
    shared = [
        inspect.Parameter(name, first.kind, default=False if get_args(kind)[0] is bool else None, annotation=kind)
        for name, kind in STUDY_OPTIONS.items()
    ]
    parameters = [first, *shared, *own]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called


def overrides(
    *,
    budget: str | None = None,
    seeds: int | None = None,
    seed_list: str | None = None,
    treatment: list[str] | None = None,
    dose: list[str] | None = None,
    summary: str | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Returns the given flags as fields of StudyIntent. Raises InputError for a value that does not fit."""
    from advisor.planning import with_flags
    from tools.design.budget import parse_budget
    from tools.plan.intent import StudyIntent

    if seeds is not None and seed_list is not None:
        raise InputError(f"--seeds {seeds} and --seed-list {seed_list} both choose the seeds; give only one of them")
    given = {name: value for name, value in fields.items() if value is not None and value is not False}
    if budget is not None:
        given["budget_gpu_hours"] = parse_budget(budget)
    if dose:
        given["doses"] = [_dose(word) for word in dose]
    if seeds is not None:
        given["seeds"] = seeds
    if seed_list is not None:
        given["seed_list"] = parse_seed_list(seed_list)
    if treatment:
        given["treatments"] = [name.strip() for word in treatment for name in word.split(",") if name.strip()]
    if summary is not None:
        given["primary_summary"] = summary
    with_flags(StudyIntent(question="", kind="clarify"), given)  # a bad value is reported before anything is stored
    return given


def parse_seed_list(text: str, flag: str = "--seed-list") -> list[int]:
    """Parses `11-15`, `3,5,9` or a mix. Raises InputError for anything else, and for more than a thousand seeds."""
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,10})(?:-(\d{1,10}))?", part.strip())
        if match is None:
            raise InputError(f"{flag} {text!r} cannot be read; write 11-15 or 3,5,9")
        low, high = int(match.group(1)), int(match.group(2) or match.group(1))
        if high < low:
            raise InputError(f"{flag} {part.strip()!r} is an empty range: write the smaller seed first, {high}-{low}")
        if high - low >= MOST_LISTED:
            raise InputError(f"{flag} {part.strip()!r} is longer than {MOST_LISTED} seeds; name fewer")
        seeds += range(low, high + 1)
        if len(seeds) > MOST_LISTED:
            raise InputError(f"{flag} {text!r} names more than {MOST_LISTED} seeds; name fewer")
    return seeds


def _dose(text: str) -> dict[str, Any]:
    """`tscl.temperature=0.3,1,3`. InputError for anything else."""
    from advisor.reading.parameters import literal

    match = re.fullmatch(r"\s*([A-Za-z]\w*)\.([A-Za-z]\w*)\s*=(.+)", text)
    values = [word.strip() for word in match.group(3).split(",")] if match else []
    if match is None or not all(values):
        raise InputError(f"--dose {text!r} cannot be read; write POLICY.PARAMETER=A,B, as in tscl.temperature=0.3,1,3")
    return {"policy": match.group(1), "parameter": match.group(2), "values": [literal(value) for value in values]}


def check_yes(yes: bool, has_budget: bool) -> None:
    """Raises InputError for `--yes` without a budget: it spends without asking."""
    if yes and not has_budget:
        raise InputError(
            "--yes requires --budget HOURS, the most that may be spent without asking you; for example --budget 2h"
        )


def approver(by: str | None, yes: bool) -> str:
    """Returns the name to record in the approval."""
    import getpass

    try:
        name = by or getpass.getuser()
    except (KeyError, OSError):
        name = "unknown user"
    return f"{name} (--yes)" if yes else name
