"""`plan` and `approve`: designs a study, and records a person's approval of it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from advisor.cli import options, output
from policies.errors import BudgetError, InputError, RefusedError

if TYPE_CHECKING:
    from tools.plan_study import PlannedStudy
    from tools.study.folder import Study

StudyName = Annotated[
    str, typer.Argument(metavar="STUDY", help="Study id, a unique part of it, its folder, or `latest`.")
]
QuestionOrStudy = Annotated[
    str, typer.Argument(metavar="QUESTION|STUDY", help="A question, or an existing study to show.")
]


@options.takes_study_options
def plan(
    question: QuestionOrStudy,
    flags: dict[str, Any],
    no_llm: options.NoLlm = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan without creating a study folder.")] = False,
    as_json: output.JsonFlag = False,
) -> int:
    """Plans a study or shows an existing plan; runs nothing. Questions about power are answered directly."""
    from advisor.planning import propose, with_flags
    from advisor.settings import load_settings
    from advisor.understanding import understand
    from tools import catalogue

    known = _study_named(question)
    if known is not None:
        return _show(catalogue.stored_proposal(known), known, as_json)
    if not question.strip():
        raise InputError("the question is empty; ask, for example: does tscl beat static?")
    with output.talk().status("reading and planning ..."):
        found = understand(question, load_settings(), use_llm=not no_llm)
        intent = with_flags(found.intent, flags)
        proposal = None if intent.kind == "power" else propose(intent)
    if found.llm_failure:
        output.talk().print(
            f"the LLM failed, so the built-in rules read the question: {found.llm_failure}", soft_wrap=True
        )
    if proposal is None:
        from advisor.cli.ask import answer_power_question

        return answer_power_question(intent, as_json)
    if dry_run:
        return _show(proposal, None, as_json)
    from tools.study.lifecycle import create_study, unfinished_study

    study = unfinished_study(proposal.plan) or create_study(proposal.plan, power=proposal.power)
    _show(proposal, study, as_json)
    current = catalogue.study_status(study)
    standing = current.standing if current.state == "planned" else f"it is already {current.state}"
    output.talk().print(standing, soft_wrap=True, markup=False)
    return 0


def _study_named(text: str) -> "Study | None":
    """Finds the study of that exact id or folder, or `latest`; None for a question."""
    from tools.study.folder import Study, find_study, studies_root
    from training.support.paths import expanded, is_file

    if text == "latest":
        return find_study(text)
    if not text.strip() or "\n" in text:
        return None
    for folder in (expanded(text), studies_root() / text):
        if is_file(folder / "study.db"):
            return Study(folder.absolute())
    return None


def _show(proposal: "PlannedStudy", study: "Study | None", as_json: bool) -> int:
    from tools import catalogue

    marks = catalogue.study_status(study).blind if study else None
    if as_json:
        place = {"study": study.folder.name if study else None, "folder": str(study.folder) if study else None}
        place |= {"unblinded": marks.unblinded, "exploratory": marks.exploratory} if marks else {}
        output.emit(place | proposal.model_dump(mode="json"))
    else:
        from advisor.views.plan import show_plan

        show_plan(output.data(), proposal, study.folder.name if study else None)
        for name, words in (("unblinded", marks.unblinded), ("exploratory", marks.exploratory)) if marks else ():
            if words:
                output.data().print(f"{name}: {words}", soft_wrap=True, markup=False)
    return 0


def approve(
    study: StudyName,
    yes: options.Yes = False,
    budget: options.Budget = None,
    by: options.By = None,
    as_json: output.JsonFlag = False,
) -> int:
    """Approves the current plan; any later change voids the approval."""
    from tools import catalogue
    from tools.design.budget import parse_budget
    from tools.plan.cost import hours_unit
    from tools.study.folder import find_study
    from tools.study.lifecycle import approve as record

    options.check_yes(yes, budget is not None)
    found = find_study(study)
    proposal = catalogue.stored_proposal(found)
    ceiling = None if budget is None else parse_budget(budget)
    if ceiling is not None and ceiling < proposal.cost.device_hours:
        raise BudgetError(
            f"the plan needs about {proposal.cost.device_hours:.3g} {proposal.cost.unit}, --budget says {ceiling:g}; "
            "raise the budget, or plan fewer seeds or steps"
        )
    if not yes:
        if not output.at_terminal():
            raise RefusedError("no terminal for confirmation; approve with: --yes --budget HOURS")
        from advisor.views.plan import show_plan

        show_plan(output.talk(), proposal, found.folder.name)
        if not output.confirmed("Approve this plan?"):
            raise RefusedError("not approved, nothing was changed")
    row = record(found, options.approver(by, yes), ceiling)
    if as_json:
        output.emit({"study": found.folder.name} | row._asdict())
    else:
        typer.echo(f"approved by {row.who}, up to {row.ceiling_device_hours:g} {hours_unit(proposal.plan.recipe)}")
        output.talk().print(f"next: advisor run {found.name}", soft_wrap=True, markup=False)
    return 0
