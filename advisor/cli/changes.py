"""`amend` and `unblind`: recorded exceptions, each shown with its cost to the claim before it is made."""

from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli import options, output
from advisor.cli.plan import StudyName
from policies.errors import InputError, RefusedError

if TYPE_CHECKING:
    from tools.study.amend import Amendment
    from tools.study.interim import Interim

AllSeeds = Annotated[int | None, typer.Option("--seeds", metavar="N", help="Total number of seeds after the change.")]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Reason; it is recorded.")]
Sure = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


def amend(
    study: StudyName,
    seeds: AllSeeds = None,
    seed_list: options.SeedList = None,
    budget: options.Budget = None,
    yes: Sure = False,
    by: options.By = None,
    as_json: output.JsonFlag = False,
) -> int:
    """Changes the plan of a running or finished study; needs a new approval, and repeats no run."""
    from tools.design.budget import parse_budget
    from tools.study.amend import amend as record
    from tools.study.amend import proposed
    from tools.study.folder import find_study

    if seeds is not None and seed_list is not None:
        raise InputError(f"--seeds {seeds} and --seed-list {seed_list} both choose the seeds; give only one of them")
    listed = None if seed_list is None else options.parse_seed_list(seed_list)
    hours = None if budget is None else parse_budget(budget)
    found = find_study(study)
    change = proposed(found, seeds=seeds, seed_list=listed, budget=hours)
    if not yes:
        if not output.at_terminal():
            raise RefusedError("no terminal for confirmation; to amend without one, add --yes")
        _show_amendment(change)
        if not output.confirmed("Amend the plan?"):
            raise RefusedError("not amended, nothing was changed")
    digest = record(found, change.plan, options.approver(by, yes), instead_of=change.instead_of)
    if as_json:
        output.emit({"study": found.folder.name, "plan_hash": digest} | change.model_dump(mode="json"))
    else:
        if yes:
            _show_amendment(change)
        output.talk().print(f"amended; next: advisor approve {found.name}", soft_wrap=True, markup=False)
    return 0


def _show_amendment(change: "Amendment") -> None:
    from tools.plan.cost import hours
    from tools.text import numbers

    claim = "confirmatory as planned: no score can have influenced this change"
    if change.exploratory:
        claim = f"exploratory from now on, because {change.exploratory}"
    if change.error is not None:
        claim += (
            f"; if it were reported as planned, {100 * change.error:.1f} % of studies without an effect would claim "
            "one on a given summary"
        )
    about = "at most" if change.plan.design else "about"
    added = f"{numbers.counted(change.runs, 'more run')}, {about} {hours(change.device_hours, change.unit)}"
    added = added if change.runs else "no more runs"
    for name, words in (("change", change.change), ("price", added), ("claim", claim)):
        output.talk().print(f"{name:<7} {words}", soft_wrap=True, markup=False)


def unblind(
    study: StudyName, reason: Reason = "", yes: Sure = False, by: options.By = None, as_json: output.JsonFlag = False
) -> int:
    """Shows scores by arm before the study ends; this is recorded, and any later change of the plan is exploratory."""
    from tools import catalogue
    from tools.study.folder import find_study
    from tools.study.interim import unblind as record

    found = find_study(study)
    if not reason.strip():
        raise InputError("unblinding requires a reason; give it with --reason TEXT")
    if not yes:
        if not output.at_terminal():
            raise RefusedError("no terminal for confirmation; to unblind without one, add --yes")
        if not output.confirmed(
            "Show scores by arm now? This is recorded, and any later change of the plan becomes exploratory."
        ):
            raise RefusedError("not unblinded, nothing was recorded")
    record(found, options.approver(by, yes), reason)
    seen = catalogue.interim_scores(found)
    if as_json:
        output.emit(seen)
    else:
        _show_interim(seen)
    return 0


def _show_interim(seen: "Interim") -> None:
    from rich.table import Table

    from tools.text import numbers

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("treatment", "summary"):
        table.add_column(name)
    kind = "repeated interval" if seen.repeated else "interval if it ended now"
    for name in ("n", "treatment mean", "control mean", "difference", kind):
        table.add_column(name, justify="right")
    for row in seen.rows:
        means = (numbers.fixed(row.treatment_mean), numbers.fixed(row.control_mean), numbers.signed(row.difference))
        table.add_row(row.treatment, row.summary, str(row.n), *means, numbers.interval(row.low, row.high))
    output.data().print(table)
    output.talk().print("interim scores, not a verdict; unblinded " + seen.unblinded, soft_wrap=True, markup=False)
