"""`plan` and `approve`: a study on paper, and a person's yes to it."""

from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli import options, output
from policies.errors import BudgetError, InputError, RefusedError

if TYPE_CHECKING:
    from tools.study.price import PlannedStudy
    from tools.study.study import Study

StudyName = Annotated[
    str, typer.Argument(metavar="STUDY", help="Study id, a part that no other id has, its folder, or `latest`.")
]
QuestionOrStudy = Annotated[str, typer.Argument(metavar="QUESTION|STUDY", help="A question, or a study to show.")]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command("plan")(plan)
    app.command("approve")(approve)


def plan(
    question: QuestionOrStudy,
    budget: options.Budget = None,
    seeds: options.Seeds = None,
    seed_list: options.SeedList = None,
    sequential: options.Sequential = False,
    min_seeds: options.MinSeeds = None,
    unmatched: options.Unmatched = False,
    dose: options.Doses = None,
    pilot: options.Pilot = False,
    after_pilot: options.AfterPilot = None,
    steps: options.Steps = None,
    recipe: options.RecipeName = None,
    model: options.Model = None,
    treatment: options.Treatments = None,
    control: options.Control = None,
    confidence: options.Confidence = None,
    sesoi: options.Sesoi = None,
    summary: options.Primary = None,
    max_runs: options.MaxRuns = None,
    no_llm: options.NoLlm = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan, make no study folder.")] = False,
    as_json: output.JsonFlag = False,
) -> int:
    """Plans a study or shows one; nothing runs. A question about power is answered at once."""
    from advisor.planning import propose, with_flags
    from advisor.settings import load_settings
    from advisor.understanding import understand
    from tools.study.price import price

    known = _study_named(question)
    if known is not None:
        return _show(price(known.plan), known, as_json)
    if not question.strip():
        raise InputError("the question is empty; ask for example: does tscl beat static?")
    flags = options.overrides(
        budget=budget, seeds=seeds, seed_list=seed_list, treatments=treatment, steps=steps, recipe=recipe, model=model,
        control=control, confidence=confidence, sesoi=sesoi, primary_summary=summary, max_runs=max_runs,
        sequential=sequential, min_seeds=min_seeds, unmatched=unmatched,
        pilot=pilot, after_pilot=after_pilot, doses=dose,
    )  # fmt: skip
    with output.talk().status("reading and planning ..."):
        found = understand(question, load_settings(), use_llm=not no_llm)
        intent = with_flags(found.intent, flags)
        proposal = None if intent.kind == "power" else propose(intent)
    if found.llm_failure:
        output.talk().print(f"the LLM did not help, rules read the question: {found.llm_failure}", soft_wrap=True)
    if proposal is None:
        from advisor.cli.ask import answer_power_question

        return answer_power_question(intent, {}, as_json)
    if dry_run:
        return _show(proposal, None, as_json)
    from tools.study import manage

    study = manage.unfinished_study(proposal.plan) or manage.create_study(proposal.plan)
    _show(proposal, study, as_json)
    current = manage.status(study)
    standing = current.standing if current.state == "planned" else f"it is {current.state} already"
    output.talk().print(standing, soft_wrap=True, markup=False)
    return 0


def _study_named(text: str) -> "Study | None":
    """The study of that exact id or folder, or `latest`; None for a question."""
    from tools.study.study import Study, find_study, studies_root
    from training.paths import expanded, is_file

    if text == "latest":
        return find_study(text)
    if not text.strip() or "\n" in text:
        return None
    for folder in (expanded(text), studies_root() / text):
        if is_file(folder / "study.db"):
            return Study(folder.absolute())
    return None


def _show(proposal: "PlannedStudy", study: "Study | None", as_json: bool) -> int:
    from tools.study.manage import status

    marks = status(study).blind if study else None
    if as_json:
        place = {"study": study.folder.name if study else None, "folder": str(study.folder) if study else None}
        place |= {"unblinded": marks.unblinded, "exploratory": marks.exploratory} if marks else {}
        output.emit(place | proposal.model_dump(mode="json"))
    else:
        from advisor.cli.plan_view import show_plan

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
    """Approves a plan as it is now; a later change voids it."""
    from tools.study.budget import parse_budget
    from tools.study.cost import hours_unit
    from tools.study.manage import approve as record
    from tools.study.price import price
    from tools.study.study import find_study

    options.check_yes(yes, budget)
    found = find_study(study)
    proposal = price(found.plan)
    ceiling = None if budget is None else parse_budget(budget)
    if ceiling is not None and ceiling < proposal.cost.device_hours:
        raise BudgetError(
            f"the plan takes about {proposal.cost.device_hours:.3g} {proposal.cost.unit}, --budget says {ceiling:g}; "
            "raise it, or plan fewer seeds or steps"
        )
    if not yes:
        if not output.at_terminal():
            raise RefusedError("no terminal to ask at; approve with: --yes --budget HOURS")
        from advisor.cli.plan_view import show_plan

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
