# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""The rule-based reader: question -> StudyIntent, with no LLM.

Deterministic, English and Chinese, honest about what it does not understand: a question that names no policy comes back
with one question, an unknown name with its nearest known ones, and what a study must not do with its reason and the
valid alternative. Each step reads a span and blanks it, so that no word counts twice.
"""

import re

from advisor.reading import refusals
from advisor.reading.doses import read_doses
from advisor.reading.mentions import Mention, find_mentions
from advisor.reading.models import read_model, read_recipe
from advisor.reading.numbers import NUMBER, parse
from advisor.reading.parameters import implies_topk, parameters_of, read_parameters
from advisor.reading.quantities import MAX_LISTED_SEEDS, read_quantities
from advisor.reading.roles import Roles, assign_roles
from advisor.reading.study_kinds import AFTER_PILOT, read_pilot, read_sequential
from advisor.reading.summaries import read_summary
from advisor.reading.text import Text
from advisor.reading.unknown import find_unknown, unread
from advisor.reading.vocabulary import known_names, treatment_names
from tools.plan.intent import IntentKind, StudyIntent
from tools.scores.summaries import VERDICT_SET
from tools.text.plain_text import one_line
from training.support.nearest import nearest

MAX_QUESTION = 4000
"""Characters; what follows is not a question about a study."""

_POWER = re.compile(
    r"how many (?:more |matched |random |paired |training )*(?:seeds?|pairs?|runs?|replicates|gpu|hours|days)|how (?:large|big|small) an? (?:effect|gain|difference)"
    r"|\b(?:detect\w*|resolve|statistical power|power (?:do|of|analysis|for|would|at)|(?:how much|enough|what) power|underpowered|sample size|mde|minimum detectable)\b"
    r"|\b(?:is|are|would|will)\b[^.?!]{0,30}\b(?:seeds?|pairs?|runs?|gpu[- ]?hours?)\b[^.?!]{0,12}\b(?:enough|sufficient|too few|adequate)\b"
    r"|\b(?:can|could) (?:we|i|you|one|they) (?:\w+ )?(?:see|detect|distinguish|tell|resolve)\b"
    r"|\bwhat (?:size of )?(?:effects?|gains?|differences?)\b[^.?!]{0,30}\b(?:visible|see|seen|find|show\w*|measur\w+)\b"
    r"|\b(?:enough|sufficient) (?:seeds|pairs)\b|what (?:would|could|can|will)\b[^.?!]{0,40}\b(?:buy|tell|show|reveal|see)\b"
    r"|\b(?:seeds?|runs?|hours?)\b[^.?!]{0,20}\b(?:needed|required|necessary)\b"
    "|(?:多少|几)(?:个|次|颗|组|对)?(?:随机|配对)?(?:种子|配对|运行|次|gpu|小时|卡时)|(?:能|可以|可)(?:检测|检出|看出|分辨|发现)|检验?功效|统计功效|(?:种子|次)[^。？?]{0,6}(?:够不够|够吗|足够)|样本量"
)  # fmt: skip
_NOISE = re.compile(
    r"\b(?:nois[ey]\w*|a/a\b|aa test|run[- ]to[- ]run|seed[- ]to[- ]seed|between[- ]seeds?|seed (?:variance|variability|variation)|(?:against|vs\.?|versus|with|to|from) itself|does (?:the |a )?(?:random )?seed (?:choice )?matter|by chance alone|chance alone|how large is chance)"
    r"|\bhow (?:much|far|widely) (?:does|do|will|would|can)\b[^.?!]{0,40}\b(?:vary|varies|fluctuate|differ|spread|wobble|scatter)"
    r"|\b(?:spread|variance|variability|variation|fluctuation|scatter|sd|standard deviation)\b[^.?!]{0,20}\b(?:of|in|between|across|over|among)\b[^.?!]{0,30}(?:seeds?|runs?)"
    "|噪声|噪音|(?:随机|种子)?(?:波动|涨落|方差|标准差)(?:有)?(?:多大|多少|多高)|自己(?:和|跟|与|对|比)|和自己|跟自己|与自身"
)  # fmt: skip
_UNMATCHED = re.compile(
    r"\b(?:unmatched|unpaired|(?:different|other|changing|random) seeds|seed[- ]to[- ]seed|(?:between|across|over) (?:\w+ )?seeds|seed (?:noise|variance|variability|variation))\b"
    "|不同(?:的)?(?:随机)?种子|种子(?:之)?间|(?:随机)?种子(?:的)?(?:波动|方差|噪声|噪音)"
)
_COMPARING = frozenset({"compare", "dose", "pilot"})
_SAME_TWICE = re.compile(
    r"\b([a-z]\w+) (?:(?:any |really )?(?:better|worse) )?(?:vs\.?|versus|against|beats?|outperforms?|than) \1\b"
)
_EVERYTHING = re.compile(
    r"\b(?:everything|all(?: of them| policies| methods| thirteen| 13)?|every (?:policy|method|one))\b[^.?!]{0,24}\b(?:with|against|vs\.?|versus|to)\b[^.?!]{0,6}\b(?:everything|all|each other|every)"
    "|(?:所有|全部)[^。？?]{0,10}(?:互相|两两|所有|全部)"
)
_ALL = re.compile(
    r"\b(?:all|every|each)(?: of)?(?: the)?(?: \w+)? (?:policies|policy|methods?|configurations?|thirteen|13)\b|(?:所有|全部)(?:的)?(?:策略|方法)"
)


def read(question: str) -> StudyIntent:
    """Reads one question; never raises for anything that a person can type."""
    text = Text(question[:MAX_QUESTION])
    if not re.search(r"\w", text.cased):
        return _clarify(question, text, "Which policy do you want to compare, and with what? For example: does tscl beat static?",
                        "想比较哪个策略，和谁比？例如：tscl 能打过 static 吗？")  # fmt: skip
    refusal = refusals.find_refusal(text)
    if refusal is not None:
        return _refuse(question, text, refusal)
    return _read_study(question, text)


def unread_numbers(question: str) -> frozenset[float]:
    """Numbers that the question states and `read` made nothing of; `a` and `no` are no numbers here."""
    text = Text(question[:MAX_QUESTION])
    _read_study(question, text)
    words = (match.group().strip() for match in re.finditer(NUMBER, text.left))
    return frozenset(parse(word) for word in words if word not in {"a", "an", "no"})


def _read_study(question: str, text: Text) -> StudyIntent:
    notes: list[str] = []
    summary, summary_notes = read_summary(text, VERDICT_SET)
    model, model_notes = read_model(text)
    recipe = read_recipe(text, _recipe_names())
    mentions = find_mentions(text)
    if not mentions and text.has(_ALL) and not text.has(_EVERYTHING):
        mentions = _all_policies(text)
    mentions = _with_implied(text, mentions)
    pilot, doses = read_pilot(text), read_doses(text, mentions)
    params = read_parameters(text, mentions)  # before quantities: `per (alpha 0.7)` is no significance level
    sequential = read_sequential(text)
    quantities = read_quantities(text)
    notes += [*summary_notes, *_benchmark_notes(text), *model_notes, *quantities.notes]
    kind = _kind(text, mentions, several=bool(doses), pilot=pilot == "asked")
    common = {
        "question": one_line(question), "params": params.values, "seeds": quantities.seeds, "seed_list": quantities.seed_list, "steps": quantities.steps,
        "model": model, "recipe": recipe, "budget_gpu_hours": quantities.budget_gpu_hours, "max_runs": quantities.max_runs,
        "confidence": quantities.confidence, "sesoi": quantities.sesoi, "primary_summary": summary,
        "sequential": sequential.asked, "min_seeds": sequential.min_seeds, "doses": doses,
    }  # fmt: skip
    if quantities.too_many_seeds is not None:
        return _clarify(question, text, f"That range names {quantities.too_many_seeds} seeds; which ones (at most {MAX_LISTED_SEEDS})?",
                        f"这个范围有 {quantities.too_many_seeds} 个种子，要哪些（至多 {MAX_LISTED_SEEDS} 个）？")  # fmt: skip
    if params.twice:
        return _clarify_strengths(question, text, params.twice)
    unknown = find_unknown(text, _reserved())
    if unknown:
        return _clarify_unknown(question, text, unknown, mentions).model_copy(update=common)
    if kind == "clarify" and not mentions and refusals.is_off_topic(text):
        return _refuse(question, text, refusals.OUT_OF_SCOPE)
    if kind == "clarify":
        return _clarify_missing(question, text, mentions).model_copy(update=common)
    roles = _roles(text, mentions, kind)
    if roles.control is None and kind in _COMPARING:
        return _clarify_control(question, text, roles).model_copy(update=common)
    notes += unread(text, _known())
    if pilot == "after":
        notes.append(AFTER_PILOT)
    return StudyIntent.model_validate(
        common
        | {"kind": kind, "treatments": roles.treatments, "control": roles.control, "notes": (*notes, *roles.notes)}
        | {"direction": roles.direction if kind in _COMPARING else None}
        | {"unmatched": kind == "noise" and text.has(_UNMATCHED)}
    )


def _with_implied(text: Text, mentions: list[Mention]) -> list[Mention]:
    match = implies_topk(text)
    if match is None or any("keep_fraction" in parameters_of(name) for mention in mentions for name in mention.names):
        return mentions
    return sorted([*mentions, Mention(("topk",), *match.span(), match.group())], key=lambda mention: mention.start)


def _kind(text: Text, mentions: list[Mention], *, several: bool, pilot: bool) -> IntentKind:
    if text.has(_EVERYTHING):
        return "clarify"
    if text.has(_POWER):
        return "power"
    if text.has(_NOISE) or _SAME_TWICE.search(text.lower):
        return "noise"
    names = {name for mention in mentions for name in mention.names}
    if names <= {"baseline"}:
        return "clarify"
    return "pilot" if pilot else "dose" if several else "compare"


def _roles(text: Text, mentions: list[Mention], kind: IntentKind) -> Roles:
    if kind == "noise":
        names = tuple(dict.fromkeys(name for mention in mentions for name in mention.names)) or ("baseline",)
        left = f"a noise study is of one policy: {names[0]}; plan another one for {', '.join(names[1:])}"
        return Roles(names[:1], names[0], None, (left,) if names[1:] else ())
    if not mentions:
        return Roles((), None, None, ())
    if {name for mention in mentions for name in mention.names} == {"baseline"}:
        return Roles((), "baseline", None, ())
    return assign_roles(text, mentions)


def _all_policies(text: Text) -> list[Mention]:
    match = _ALL.search(text.lower)
    names = treatment_names()
    return [Mention(names, *match.span(), match.group())] if match else []


def _recipe_names() -> tuple[str, ...]:
    from training.recipe import recipe_names

    return recipe_names()


def _benchmark_ids() -> frozenset[str]:
    from training.benchmarks.catalog import suite, suites

    return frozenset(benchmark.id for name in suites() for benchmark in suite(name))


def _benchmark_notes(text: Text) -> list[str]:
    named = [name for name in sorted(_benchmark_ids()) if re.search(rf"(?<!\w){name}(?!\w)", text.lower)]
    return [f"{name} alone is a diagnostic: it is reported, the verdict reads the summaries" for name in named]


def _known() -> dict[str, tuple[str, ...]]:
    from training.benchmarks.catalog import suites

    return {
        "recipe": _recipe_names(),
        "summary": VERDICT_SET,
        "benchmark": tuple(sorted(_benchmark_ids())),
        "suite": suites(),
    }


def _reserved() -> frozenset[str]:
    """Words that look like names and are not policies."""
    from training.benchmarks.catalog import suites

    parameters = {key for name in known_names() for key in parameters_of(name)}
    return frozenset(
        {*VERDICT_SET, *_recipe_names(), *suites(), *_benchmark_ids(), *parameters, "seed_list", "gpu_hours"}
    )


def _refuse(question: str, text: Text, refusal: refusals.Refusal) -> StudyIntent:
    message = refusal.chinese if text.chinese else refusal.english
    return StudyIntent(question=question, kind="refuse", reason=refusal.reason, message=message)


def _clarify(question: str, text: Text, english: str, chinese: str, unknown: tuple[str, ...] = ()) -> StudyIntent:
    return StudyIntent(question=question, kind="clarify", message=chinese if text.chinese else english, unknown=unknown)


def _clarify_unknown(question: str, text: Text, unknown: tuple[str, ...], mentions: list[Mention]) -> StudyIntent:
    first = unknown[0]
    near = nearest(first, known_names()) or tuple(
        name for name in treatment_names() if name not in {n for m in mentions for n in m.names}
    )
    offer, names = ", ".join(near), ", ".join(repr(name) for name in unknown)
    return _clarify(
        question,
        text,
        f"No policy is called {names}; which did you mean: {offer}?",
        f"没有叫 {names} 的策略；是指 {offer} 吗？",
        unknown,
    )


def _clarify_missing(question: str, text: Text, mentions: list[Mention]) -> StudyIntent:
    names = ", ".join(treatment_names())
    if text.has(_EVERYTHING):
        return _clarify(question, text, "Which policies, and against which one control? For example: all mixing methods against static.",
                        "要比较哪些策略，以哪一个为对照？例如：所有混合方法对 static。")  # fmt: skip
    return _clarify(
        question,
        text,
        f"Which policy should be compared? This version runs: {names}.",
        f"想比较哪个策略？本版本可运行：{names}。",
    )


def _clarify_strengths(question: str, text: Text, twice: tuple[str, ...]) -> StudyIntent:
    names = ", ".join(twice)
    return _clarify(question, text, f"{names} has two values; which one, or both against a control? For example: tscl at temperature 0.3, 1 and 3 against static.",
                    f"{names} 有两个取值；要用哪一个，还是都与对照比较？例如：tscl 温度 0.3、1 和 3 对 static。")  # fmt: skip


def _clarify_control(question: str, text: Text, roles: Roles) -> StudyIntent:
    names = ", ".join(roles.treatments)
    return _clarify(question, text, f"{names} have different usual controls (mixers: static, the rest: baseline); which one control do you want?",
                    f"{names} 的常用对照不同（混合类用 static，其余用 baseline）；要用哪一个对照？")  # fmt: skip
