# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""What a question says and nobody knows or read: names in the place of a policy, numbers without a known unit."""

import re

from advisor.reading.text import POLICY, Text
from training.support.nearest import nearest

_NAME = r"([a-z][\w-]*)"
_KNOWN = f"{POLICY}+"
_VERB = r"(?:beats?|helps?|wins?|loses?|lose|improves?|outperforms?|hurts?|harms?|underperforms?|better|worse|any better|any worse|pays?|matters?|works? better)"
_AUX = r"(?:does|do|can|could|will|would|is|are|did|should|might|may)"
_SLOTS = (
    re.compile(rf"\b{_AUX} (?:the |using |adding )?{_NAME}(?: (?:policy|sampler|sampling|weighting|selection|mixture|method))? (?:really |actually |ever |still |even |any )?{_VERB}\b"),
    re.compile(rf"\b{_AUX} (?:the |using |adding )?{_NAME} (?:compare|fare|stack up|perform|do against|stand)\b"),
    re.compile(rf"(?<![\w-]){_NAME}(?: (?:policy|sampler|sampling|weighting|selection|mixture|method))? (?:vs\.?|versus|against)(?!\w)"),
    re.compile(rf"(?<!\w)(?:vs\.?|versus|against|beats?|than|over|outperforms?) (?:the |a )?{_NAME}(?![\w-])"),
    re.compile(rf"\b(?:compare|try|test|evaluate|benchmark|rerun) (?:the )?{_NAME}(?: (?:policy|sampler|method))? (?:with|to|and|against|on|over|vs)\b"),
    re.compile(rf"\b(?:compare|try|test|evaluate|benchmark|rerun) {_KNOWN} ?(?:with|to|and|against|on|over|vs|,) (?:the )?{_NAME}"),
    re.compile(rf"{_KNOWN} ?(?:,|and|or|&|和|与|或|、|还是) ?{_NAME}(?= (?:vs|versus|against|with|over|and|or|beat|help|better|improve|on|to)\b|[,?!.]|$)"),
    re.compile(rf"(?<![\w-]){_NAME} ?(?:,|and|or|&) ?{_KNOWN}"),
    re.compile(rf"\b(?:policy|sampler|method|mixture) (?:called |named )?{_NAME}"),
)  # fmt: skip
_SHAPED = re.compile(r"(?<![\w./-])([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?![\w/])")
_QUOTED = re.compile(r"[`\"'“]([A-Za-z][\w-]{1,40})[`\"'”]")
_LATIN = re.compile(r"(?<![a-z0-9_./-])([a-z][\w-]+)(?![\w/])")
_COMMON_WORDS = """
    a about actually adaptive again against algorithm algorithms all also although always am an and another answer any anything approach approaches are arm
    arms at average b base batch be beat because been best better both budget but by can case cheap check code compare compared comparing comparison confidence
    control cost could cpu curriculum data default did difference different do does doing domain domains each effect effects either equal ever every everybody
    everyone everything experiment experiments fair family few filter filtering fine fixed for from full gain gains get give given go good gpu gpus group
    groups grpo half has have he head help helps her here his hour hours how however i idea if important improve improvement in instead interval intervals is it
    itself just keep know large larger last learning less let level like likely limit llm llms long look lose lower make many matched math maybe me mean means
    measure method methods mix mixed mixer mixers mixing mixture mixtures model models more most much my need never new no node noise noisy none normal not
    nothing now number of off old on once one ones only or order other others our out over own pair paired pairs part per performance perhaps please
    plus point points policies policy possible power pretty prompt prompts question quick random rather really reasoning replay report rerun result results reward
    rewards reweighting rl rlvr run running runs sampler samplers sampling same say science score scores see seed seeds selection set several she short should show
    simple single small smaller so some someone something sort split standard start step steps still stuff such sure take task tasks test than that the their them
    then there these they thing things think this those three through time tiny to today together token tokens too total train trained training treatment true try
    two type uniform us use useful using usual verl very via want was waste way we weight weighting weights well were what whatever when where whether which
    while who whole why will win with within without work works worse worst worth would yes yet you your zoo logic sciences maths significantly much
    reliably clearly slightly substantially truly chance luck itself themselves him nobody anyone current ours mine theirs yours baselines
    doing just plain vanilla ordinary regular ok tell ask asking wondering curious hi hello hey thanks thank dear run launch start plan design study studies
    h100 a100 h200 down up left right first second third next benchmark benchmarks summary summaries metric metrics recipe laptop machine
    cpu-only tiny-cpu head-to-head end-to-end
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def find_unknown(text: Text, reserved: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Unknown names in reading order, as typed. `reserved`: words with another meaning (parameters, benchmarks ...)."""
    found: dict[int, str] = {}
    patterns = [*_SLOTS, _SHAPED]
    if text.chinese:
        patterns.append(_LATIN)
    for pattern in patterns:
        for match in pattern.finditer(text.left):
            _note(found, text, match.span(1), reserved)
    for match in _QUOTED.finditer(text.cased):
        if text.left[slice(*match.span(1))] == text.lower[slice(*match.span(1))]:
            _note(found, text, match.span(1), reserved)
    return tuple(dict.fromkeys(found[place] for place in sorted(found)))


def _note(found: dict[int, str], text: Text, span: tuple[int, int], reserved: frozenset[str]) -> None:
    word = text.left[slice(*span)]
    stem = word.removesuffix("s")
    if word in _COMMON or stem in _COMMON or word in reserved or stem in reserved or len(word) < 2:
        return
    if word.endswith("ly") or re.fullmatch(r"[a-z]\d{0,3}", word):
        return
    found[span[0]] = text.cased[slice(*span)]


_BARE_NUMBER = re.compile(
    r"(?<![\w.,-])(?:[-+]?\d[\d.,:^e+-]*%?"
    r"|[-+]?(?:nan|inf|infinity|infinite\w*|(?:hundred|thousand|million|billion|dozen)s?)\b)(?: ?[a-z%][\w-]*)?"
)
_CALLED = re.compile(
    r"\b(?:on|with|using|under|by|for)(?: the)? (recipe|summary|benchmark|suite)[:= ]\s*([a-z~./][\w~./-]*)"
)


def unread(text: Text, names: dict[str, tuple[str, ...]]) -> list[str]:
    """A note for each; `names` are the known ones of a kind (`recipe`, `summary`, `benchmark`, `suite`)."""
    found = []
    for match in text.take(_CALLED):
        kind, typed = match.groups()
        if typed in names[kind]:
            continue
        near = nearest(typed, names[kind]) or names[kind]
        found.append(f"no {kind} is called {typed!r}, so it was not used; there are: {', '.join(near)}")
    numbers = [text.cased[slice(*match.span())].strip(" .,:") for match in _BARE_NUMBER.finditer(text.left)]
    if numbers:
        shown = ", ".join(repr(number) for number in numbers[:5])
        found.append(f"not used: {shown} (said twice, or without a unit that is known here, such as '5 seeds')")
    return found
