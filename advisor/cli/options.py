"""Options that several commands share, and how they become fields of an intent."""

import re
from typing import Annotated, Any

import typer

from policies.errors import InputError

Budget = Annotated[
    str | None, typer.Option("--budget", metavar="HOURS", help="Ceiling in GPU-hours (CPU: run-hours): 40h or 30min.")
]
Seeds = Annotated[int | None, typer.Option("--seeds", metavar="N", help="How many matched seeds.")]
SeedList = Annotated[str | None, typer.Option("--seed-list", metavar="LIST", help="Which seeds: 11-15 or 3,5,9.")]
Sequential = Annotated[
    bool, typer.Option("--sequential", help="Stop as soon as the answer is clear; --seeds is the most there may be.")
]
MinSeeds = Annotated[
    int | None, typer.Option("--min-seeds", metavar="N", help="Seeds before the first look of --sequential.")
]
Pilot = Annotated[bool, typer.Option("--pilot", help="A small study for the spread alone: no verdict.")]
AfterPilot = Annotated[
    str | None, typer.Option("--after-pilot", metavar="STUDY", help="Take the spread of this study, and other seeds.")
]
Doses = Annotated[
    list[str] | None,
    typer.Option("--dose", metavar="POLICY.PARAMETER=A,B", help="A policy at several strengths, each an arm."),
]
Unmatched = Annotated[
    bool, typer.Option("--unmatched", help="Noise study: pairs of different seeds instead of two runs of a seed.")
]
Steps = Annotated[int | None, typer.Option("--steps", metavar="N", help="GRPO steps of each run.")]
RecipeName = Annotated[str | None, typer.Option("--recipe", metavar="NAME", help="Recipe name or YAML file.")]
Model = Annotated[str | None, typer.Option("--model", metavar="ID", help="Hugging Face id.")]
Treatments = Annotated[
    list[str] | None, typer.Option("--treatment", metavar="NAME", help="Policy to test; repeatable, or a comma list.")
]
Control = Annotated[str | None, typer.Option("--control", metavar="NAME", help="Policy to compare with.")]
Confidence = Annotated[float | None, typer.Option("--confidence", metavar="SHARE", help="Such as 0.95.")]
Sesoi = Annotated[float | None, typer.Option("--sesoi", metavar="POINTS", help="Smallest effect of interest.")]
Primary = Annotated[str | None, typer.Option("--summary", metavar="NAME", help="Primary benchmark summary.")]
MaxRuns = Annotated[int | None, typer.Option("--max-runs", metavar="N", help="At most this many runs.")]
NoLlm = Annotated[bool, typer.Option("--no-llm", help="Read the question by rules even if an LLM is configured.")]
Yes = Annotated[bool, typer.Option("--yes", help="Approve without asking; needs --budget.")]
By = Annotated[str | None, typer.Option("--by", metavar="WHO", help="Who approves (default: your user name).")]

MOST_LISTED = 1000


def overrides(
    *,
    budget: str | None = None,
    seeds: int | None = None,
    seed_list: str | None = None,
    treatments: list[str] | None = None,
    sequential: bool = False,
    unmatched: bool = False,
    pilot: bool = False,
    doses: list[str] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """The flags that were given, as fields of StudyIntent. InputError for a value that cannot be one."""
    from advisor.planning import with_flags
    from tools.study.budget import parse_budget
    from tools.study.intent import StudyIntent

    if seeds is not None and seed_list is not None:
        raise InputError(f"--seeds {seeds} and --seed-list {seed_list} both say which seeds; give one of them")
    given = {name: value for name, value in fields.items() if value is not None}
    if budget is not None:
        given["budget_gpu_hours"] = parse_budget(budget)
    if sequential:
        given["sequential"] = True
    if doses:
        given["doses"] = [_dose(word) for word in doses]
    if pilot:
        given["pilot"] = True
    if unmatched:
        given["unmatched"] = True
    if seeds is not None:
        given["seeds"] = seeds
    if seed_list is not None:
        given["seed_list"] = parse_seed_list(seed_list)
    if treatments:
        given["treatments"] = [name.strip() for word in treatments for name in word.split(",") if name.strip()]
    with_flags(StudyIntent(question="", kind="clarify"), given)  # what fits no intent is said before anything is kept
    return given


def parse_seed_list(text: str, flag: str = "--seed-list") -> list[int]:
    """`11-15` or `3,5,9` or both mixed. InputError for anything else, and for a range of more than a thousand."""
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,10})(?:-(\d{1,10}))?", part.strip())
        if match is None:
            raise InputError(f"{flag} {text!r} cannot be read; write 11-15 or 3,5,9")
        low, high = int(match.group(1)), int(match.group(2) or match.group(1))
        if high < low:
            raise InputError(f"{flag} {part.strip()!r} is empty: write the smaller seed first, {high}-{low}")
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


def check_yes(yes: bool, budget: str | None) -> None:
    """`--yes` spends without asking, so it needs a ceiling."""
    if yes and budget is None:
        raise InputError("--yes needs --budget HOURS: what may be spent without asking you, for example --budget 2h")


def approver(by: str | None, yes: bool) -> str:
    """The name in the approval."""
    import getpass

    try:
        name = by or getpass.getuser()
    except (KeyError, OSError):
        name = "unknown user"
    return f"{name} (--yes)" if yes else name
