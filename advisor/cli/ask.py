"""`ask` and `understand`: from a question to a report, or only to how the question was read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from advisor.cli import options, output
from policies.errors import InputError, RefusedError

if TYPE_CHECKING:
    from advisor.conversation import Conversation
    from advisor.nodes import Nodes
    from tools.plan.intent import StudyIntent
    from tools.study.status import StudyStatus

Question = Annotated[str, typer.Argument(help='For example "does tscl beat static?"', show_default=False)]


@options.takes_study_options
def ask(
    question: Question,
    flags: dict[str, Any],
    yes: options.Yes = False,
    by: options.By = None,
    no_llm: options.NoLlm = False,
    as_json: output.JsonFlag = False,
) -> int:
    """Answers a question with a complete study: plan, approve, run, score, compare, report."""
    options.check_yes(yes, "budget_gpu_hours" in flags)
    from advisor.cli.following import Detached, demand_done
    from advisor.conversation import conversation
    from advisor.nodes import Nodes
    from advisor.settings import load_settings
    from tools.plan.intent import StudyIntent

    nodes = Nodes(load_settings(), use_llm=not no_llm)
    with conversation(nodes) as talk:
        try:
            status = _through(talk, nodes, question, flags, yes, options.approver(by, yes))
        except Detached:
            return 130
        state = talk.state
    if status is None:
        return answer_power_question(StudyIntent.model_validate(state["intent"]), as_json)
    demand_done(status)
    return _told(status, state.get("answer", ""), state.get("llm_tokens", 0), as_json)


def _through(
    talk: "Conversation", nodes: "Nodes", question: str, flags: dict[str, Any], yes: bool, who: str
) -> "StudyStatus | None":
    """Drives the graph from interrupt to interrupt; None for a question that needs no study."""
    from advisor.cli.following import follow_to_end
    from tools import catalogue
    from tools.study.folder import Study

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
    return None if folder is None else catalogue.study_status(Study(Path(folder)))


def _approve(talk: "Conversation", nodes: "Nodes", yes: bool, who: str) -> None:
    """Shows the plan, asks, and records the approval in the ledger."""
    from advisor.views.plan import show_plan
    from tools import catalogue
    from tools.study.folder import Study
    from tools.study.lifecycle import approve

    state = talk.state
    study = Study(Path(state.get("study") or ""))
    proposal = nodes.proposal(state)
    failure = state.get("llm_failure")
    if failure:
        output.talk().print(f"the LLM failed, so the built-in rules read the question: {failure}", soft_wrap=True)
    show_plan(output.talk(), proposal, study.folder.name)
    current = catalogue.study_status(study)
    if current.approved_by is not None:
        known = f"{study.name} has this plan, approved by {current.approved_by}; it is {current.state} and continues"
        output.talk().print(known, soft_wrap=True, markup=False)
        return
    if not yes and not output.confirmed("Approve this plan and run it?"):
        raise RefusedError(f"not approved, and nothing was run; to approve it later: advisor approve {study.name}")
    approve(study, who)


def _told(status: "StudyStatus", answer: str, tokens: int, as_json: bool) -> int:
    path = Path(status.folder) / (status.report or "report/report.md")
    if as_json:
        told = {"study": status.id, "answer": answer, "report": str(path), "llm_tokens": tokens}
        output.emit(told | {"status": status.model_dump(mode="json")})
    else:
        typer.echo(f"{answer}\n{path}")
    return 0


def answer_power_question(intent: "StudyIntent", as_json: bool) -> int:
    """Prints what n seeds can detect; needs no run and no approval."""
    from advisor.planning import answer_power
    from advisor.views.power import power_view

    answer = answer_power(intent)
    if as_json:
        output.emit(answer)
    else:
        output.data().print(power_view(answer))
    return 0


def understand(question: Question, no_llm: options.NoLlm = False, as_json: output.JsonFlag = False) -> int:
    """Shows how a question is understood, without planning anything."""
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
