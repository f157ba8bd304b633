"""One function a node. Each asks the ledger where the study stands: a lost thread loses talk and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.planning import admit, propose, with_flags
from advisor.settings import Settings
from advisor.state import GRAPH_VERSION, AdvisorState, Phase
from advisor.understanding import understand
from policies.errors import InputError, RefusedError
from tools import catalogue
from tools.plan.intent import StudyIntent
from tools.plan.run_identity import RunIdentity
from tools.plan_study import PlannedStudy
from tools.study import lifecycle
from tools.study.folder import Study
from tools.study.process import SUPERVISOR
from tools.text.plain_text import one_line

MAX_ROUNDS = 3
"""Questions back to the person before the conversation ends."""
_READ_AS: dict[str, Phase] = {"clarify": "clarify", "power": "power"}
_PHASES: dict[str, Phase] = {"planned": "planned", "approved": "approved", "running": "running", "done": "done"}


@dataclass(frozen=True)
class Nodes:
    """The nodes with what they work with; tests bring their own supervisor and identity."""

    settings: Settings
    root: Path | None = None
    use_llm: bool = True
    supervisor: Sequence[str] = SUPERVISOR
    identity: RunIdentity | None = None

    def listen(self, state: AdvisorState) -> AdvisorState:
        """Takes a question in, or a study that exists already."""
        if state.get("study"):
            return {"graph_version": GRAPH_VERSION, "phase": self._phase(state)}
        question = state.get("question", "")
        if not question.strip():
            raise InputError("the question is empty; ask, for example: does tscl beat static?")
        messages = state.get("messages") or [{"role": "person", "text": question}]
        return {"graph_version": GRAPH_VERSION, "phase": "new", "messages": messages, "rounds": 0}

    def understand(self, state: AdvisorState) -> AdvisorState:
        """Question -> intent, by LLM or rules; what the person answered since is read along."""
        found = understand(state["question"], self.settings, use_llm=self.use_llm)
        intent = with_flags(found.intent, state.get("options", {}))
        phase: Phase = _READ_AS.get(intent.kind, "understood")
        return {
            "intent": intent.model_dump(mode="json"),
            "phase": phase,
            "llm_tokens": state.get("llm_tokens", 0) + found.llm_tokens,
            "llm_failure": found.llm_failure,
        }

    def clarify(self, state: AdvisorState) -> AdvisorState:
        """Asks one question back and waits for the answer, from whichever process it comes."""
        from langgraph.types import interrupt

        intent = self._intent(state)
        if state.get("rounds", 0) >= MAX_ROUNDS or not state.get("may_approve", True):
            admit(intent)
        answer = one_line(interrupt({"kind": "clarify", "message": intent.message or "which policy?"}))
        talk = [{"role": "advisor", "text": intent.message or ""}, {"role": "person", "text": answer}]
        return {
            "question": _joined(state["question"], answer, intent),
            "messages": [*state.get("messages", []), *talk],
            "rounds": state.get("rounds", 0) + 1,
        }

    def design(self, state: AdvisorState) -> AdvisorState:
        """Intent -> checked plan -> study folder. The LLM's design loop will stand here; validation stays as it is."""
        intent = self._intent(state)
        proposal = propose(intent, identity=self.identity)
        if not state.get("may_approve", True):
            raise RefusedError(
                "no terminal to approve the plan at: add --yes --budget HOURS, or plan and approve it by itself: "
                "advisor plan QUESTION"
            )
        known = lifecycle.unfinished_study(proposal.plan, self.root)  # asked again, it goes on and runs nothing twice
        study = known or lifecycle.create_study(proposal.plan, self.root, power=proposal.power)
        return {"study": str(study.folder), "phase": "planned"}

    def approve(self, state: AdvisorState) -> AdvisorState:
        """Waits for a person; the yes itself is a row of the ledger, written by whoever asked."""
        from langgraph.types import interrupt

        interrupt({"kind": "approve", "study": state["study"]})
        return {}

    def launch(self, state: AdvisorState) -> AdvisorState:
        """Starts the supervisor if the ledger holds an approval of this very plan; twice is once."""
        study = self._study(state)
        with study.ledger(read_only=True) as ledger:
            approved = ledger.approval() is not None
        if not approved:
            return {"phase": "declined"}
        status = catalogue.launch_runs(study, supervisor=self.supervisor)
        return {"phase": "done" if status.state == "done" else "running"}

    def wait(self, state: AdvisorState) -> AdvisorState:
        """Hands back to whoever follows the ledger until the study stands still."""
        from langgraph.types import interrupt

        if catalogue.study_status(self._study(state)).moves:
            interrupt({"kind": "await", "study": state["study"]})
        return {"phase": self._phase(state)}

    def narrate(self, state: AdvisorState) -> AdvisorState:
        """The report's own title; prose of bound claims will stand here."""
        return {"phase": "told", "answer": catalogue.read_verdict(self._study(state)).title}

    def proposal(self, state: AdvisorState) -> PlannedStudy:
        """What the person is asked to approve, from the ledger's plan."""
        return catalogue.stored_proposal(self._study(state))

    def _phase(self, state: AdvisorState) -> Phase:
        return _PHASES.get(catalogue.study_status(self._study(state)).state, "halted")

    @staticmethod
    def _study(state: AdvisorState) -> Study:
        folder = state.get("study")
        if not folder or not (Path(folder) / "study.db").is_file():
            raise InputError(
                f"the study folder {folder} does not exist any more; if it was moved, name its new place: "
                "advisor status FOLDER"
            )
        return Study(Path(folder))

    @staticmethod
    def _intent(state: AdvisorState) -> StudyIntent:
        document: dict[str, Any] = state.get("intent") or {}
        return StudyIntent.model_validate(document)


def _joined(question: str, answer: str, intent: StudyIntent) -> str:
    """The question with the answer worked in: an unknown name is replaced, else the answer is appended."""
    if len(intent.unknown) == 1 and len(answer.split()) == 1:
        return question.replace(intent.unknown[0], answer)
    return f"{question} {answer}".strip()
