"""Question -> StudyIntent: by the LLM where one is configured, by the rules where none is or where it fails."""

from typing import NamedTuple

from advisor import reader
from advisor.reading.parameters import parameters_of
from advisor.reading.vocabulary import known_names, loadable
from advisor.settings import Settings
from policies.errors import InputError
from tools.plan.intent import StudyIntent
from tools.text.plain_text import one_line


class Understanding(NamedTuple):
    """What was read, and by whom."""

    intent: StudyIntent
    llm_tokens: int = 0
    llm_failure: str | None = None
    """Why the rules read the question although an LLM is configured; one line."""


def understand(question: str, settings: Settings, *, use_llm: bool = True) -> Understanding:
    """Reads a question. A refusal by rule stands: no LLM is asked about it, and none can overrule it.

    Raises InputError for more than `reader.MAX_QUESTION` characters.
    """
    question = one_line(question)
    if len(question) > reader.MAX_QUESTION:
        raise InputError(
            f"the question has {len(question)} characters, {question[:40]!r} ...: ask in at most {reader.MAX_QUESTION}"
        )
    rules = reader.read(question)
    if rules.kind == "refuse" or not question.strip() or not (use_llm and settings.has_llm):
        return Understanding(rules)
    return _by_llm(question, settings, rules)


def _by_llm(question: str, settings: Settings, rules: StudyIntent) -> Understanding:
    from advisor.intent_reply import IntentReply, faults_of, to_intent
    from advisor.llm import LLM
    from advisor.llm_failure import LLMError
    from advisor.prompting import as_data, load_prompt
    from tools.scores.summaries import VERDICT_SET
    from training.recipe import recipe_names

    system = load_prompt("understand").render(
        policies=_policy_lines(), summaries=", ".join(VERDICT_SET), recipes=", ".join(recipe_names())
    )
    llm: LLM | None = None
    try:
        llm = LLM(settings)
        reply = llm.ask(system, as_data(question, "question"), IntentReply, faults_of)
    except LLMError as failure:
        intent = rules.model_copy(update={"notes": (*rules.notes, f"read by rules, because {failure}")})
        return Understanding(intent, llm.usage.total if llm else 0, str(failure))
    return Understanding(to_intent(question, reply, rules), llm.usage.total)


def _policy_lines() -> str:
    return "\n".join(_policy_line(name) for name in known_names())


def _policy_line(name: str) -> str:
    cls = loadable(name)
    if cls is None:
        return f"- {name}"
    takes = ", ".join(parameters_of(name)) or "none"
    return f"- {name}: {cls.family}, against {cls.control}; {', '.join(cls.aliases)}; parameters: {takes}"
