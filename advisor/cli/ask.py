"""`ask` and `understand`: a question in, a report out; or only how the question was read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from advisor.cli import options, output
from policies.errors import InputError, RefusedError

if TYPE_CHECKING:
    from advisor.conversation import Conversation
    from advisor.nodes import Nodes
    from tools.study.intent import StudyIntent
    from tools.study.status import StudyStatus

Question = Annotated[str, typer.Argument(help='For example "does tscl beat static?"', show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command("ask")(ask)
    app.command("understand")(understand)


def ask(
    question: Question,
    yes: options.Yes = False,
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
    by: options.By = None,
    no_llm: options.NoLlm = False,
    as_json: output.JsonFlag = False,
) -> int:
    """The whole job: plan, approve, run, score, compare, report."""
    options.check_yes(yes, budget)
    flags = options.overrides(
        budget=budget, seeds=seeds, seed_list=seed_list, treatments=treatment, steps=steps, recipe=recipe, model=model,
        control=control, confidence=confidence, sesoi=sesoi, primary_summary=summary, max_runs=max_runs,
        sequential=sequential, min_seeds=min_seeds, unmatched=unmatched,
        pilot=pilot, after_pilot=after_pilot, doses=dose,
    )  # fmt: skip
    intent = _power_question(question, flags, no_llm)
    if intent is not None:
        return answer_power_question(intent, flags, as_json)
    from advisor.cli.following import Detached, demand_done
    from advisor.conversation import conversation
    from advisor.nodes import Nodes
    from advisor.settings import load_settings

    nodes = Nodes(load_settings(), use_llm=not no_llm)
    with conversation(nodes) as talk:
        try:
            status = _through(talk, nodes, question, flags, yes, options.approver(by, yes))
        except Detached:
            return 130
        state = talk.state
    demand_done(status)
    return _told(status, state.get("answer", ""), state.get("llm_tokens", 0), as_json)


def _power_question(question: str, flags: dict[str, Any], no_llm: bool) -> "StudyIntent | None":
    """The intent of a question that needs no study; read by rules first, because most questions need the graph."""
    from advisor import reader

    rules = reader.read(question)
    return rules if rules.kind == "power" and not flags.get("treatments") else None


def _through(
    talk: "Conversation", nodes: "Nodes", question: str, flags: dict[str, Any], yes: bool, who: str
) -> "StudyStatus":
    """Drives the graph from interrupt to interrupt."""
    from advisor.cli.following import follow_to_end
    from tools.study import manage
    from tools.study.study import Study

    console = output.talk()
    interactive = output.at_terminal()
    with console.status("reading and planning ..."):
        waiting = talk.ask(question, flags, may_approve=yes or interactive)
    while waiting is not None:
        if waiting["kind"] == "clarify":
            if not interactive:
                raise InputError(waiting["message"])
            waiting = talk.resume(typer.prompt(waiting["message"], err=True))
        elif waiting["kind"] == "approve":
            _approve(talk, nodes, yes, who)
            with console.status("starting the supervisor ..."):
                waiting = talk.resume(True)
        else:
            follow_to_end(Study(Path(waiting["study"])))
            waiting = talk.resume(True)
    folder = talk.state.get("study")
    assert folder is not None
    return manage.status(Study(Path(folder)))


def _approve(talk: "Conversation", nodes: "Nodes", yes: bool, who: str) -> None:
    """Shows the plan, asks, and writes the yes into the ledger."""
    from advisor.cli.plan_view import show_plan
    from tools.study import manage
    from tools.study.study import Study

    state = talk.state
    study = Study(Path(state.get("study") or ""))
    proposal = nodes.proposal(state)
    failure = state.get("llm_failure")
    if failure:
        output.talk().print(f"the LLM did not help, rules read the question: {failure}", soft_wrap=True)
    show_plan(output.talk(), proposal, study.folder.name)
    current = manage.status(study)
    if current.approved_by is not None:
        known = f"{study.name} has this plan, approved by {current.approved_by}; it is {current.state} and goes on"
        output.talk().print(known, soft_wrap=True, markup=False)
        return
    if not yes and not output.confirmed("Approve this plan and run it?"):
        raise RefusedError(f"not approved, nothing was run; approve later with: advisor approve {study.name}")
    manage.approve(study, who)


def _told(status: "StudyStatus", answer: str, tokens: int, as_json: bool) -> int:
    path = Path(status.folder) / (status.report or "report/report.md")
    if as_json:
        told = {"study": status.id, "answer": answer, "report": str(path), "llm_tokens": tokens}
        output.emit(told | {"status": status.model_dump(mode="json")})
    else:
        typer.echo(f"{answer}\n{path}")
    return 0


def answer_power_question(intent: "StudyIntent", flags: dict[str, Any], as_json: bool) -> int:
    """Prints what n seeds can detect; no run, no approval."""
    from advisor.cli.power_view import show_design_power
    from advisor.planning import answer_power

    answer = answer_power(intent, flags)
    if as_json:
        output.emit(answer)
    else:
        show_design_power(output.data(), answer)
    return 0


def understand(question: Question, no_llm: options.NoLlm = False, as_json: output.JsonFlag = False) -> int:
    """Shows how a question is read, without planning anything."""
    from advisor.settings import load_settings
    from advisor.understanding import understand as read

    settings = load_settings()
    with output.talk().status("reading ..."):
        found = read(question, settings, use_llm=not no_llm)
    if as_json:
        tokens = {"llm_tokens": found.llm_tokens, "llm_failure": found.llm_failure}
        output.emit(found.intent.model_dump(mode="json") | tokens)
        return 0
    for name, value in found.intent.model_dump(mode="json", exclude_defaults=True).items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        output.data().print(f"{name:<18} {shown}", soft_wrap=True, markup=False)
    return 0
