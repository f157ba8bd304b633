# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""The words of the field: policies by name, alias and description; their families and usual controls.

Here are the ways in which people describe the thirteen; plain names and aliases, placebos and the policies of plug-ins
come from the registry.
"""

import re
from typing import NamedTuple

from policies.base import Family, Policy
from policies.errors import InputError


class KnownPolicy(NamedTuple):
    """What the reader knows of one policy."""

    name: str
    family: Family
    control: str
    phrases: tuple[str, ...]
    """Regular expressions over the lower-case question; word borders are added around those that begin with a letter."""


_FILTER = r"(?:drop|discard|filter|skip|remov|exclud|throw|ignor|prun|cull)\w*"
_GROUPS = r"(?:groups?|prompts?|questions?|problems?|samples?)"
_EXTREME = (
    r"(?:all[- ](?:solved|failed|correct|wrong|right|pass(?:ed|ing)?|fail(?:ing)?)|too[- ](?:easy|hard|difficult)"
    r"|trivial|zero[- ](?:variance|advantage|gradient)|unsolvable|(?:fully|never|always)[- ]solved)"
)

POLICIES: tuple[KnownPolicy, ...] = (
    KnownPolicy(
        "baseline", "control", "baseline",
        (
            r"(?:(?:plain|vanilla|standard|ordinary|normal|regular|default|unmodified|pure)[- ])?(?:grpo )?baselines?",
            r"(?:plain|vanilla|standard|ordinary|normal|regular|default|unmodified|pure)[- ]grpo",
            r"uniform(?:ly)?(?:[- ](?:random(?:ly)?))?(?:[- ](?:sampl\w+|data|weights?|weighting|rollouts?))?",
            r"(?:no|without(?: any)?|do[- ]nothing) (?:data )?(?:policy|selection|reweighting)",
            r"random sampling",
            "(?:普通|原版|原始|标准|朴素)(?:的)? ?grpo", "基线(?:方法)?", "均匀(?:随机)?(?:采样|抽样)?", "随机采样",
        ),
    ),
    KnownPolicy(
        "difffilter", "selection", "baseline",
        (
            r"diff(?:iculty)?[-_ ]?filter(?:ing|s|ed)?", r"dapo(?:[- ](?:style|like))?(?: (?:dynamic )?(?:filter|sampl)\w*)?",
            r"dynamic sampling",
            rf"{_FILTER}(?: out| away)?(?: the| all| those)*(?: {_GROUPS}(?: that are| which are| that were)?)? {_EXTREME}"
            rf"(?:(?:,| and| or| nor)*(?: the)? {_EXTREME})*(?: {_GROUPS})?",
            rf"{_EXTREME}(?:(?:,| and| or)* {_EXTREME})* {_GROUPS}",
            "难度(?:过滤|筛选)", "动态采样", "(?:过滤|去掉|丢弃|剔除|扔掉)(?:掉)?(?:那些)?(?:全对|全错|太简单|太难)[^,。?？;；，]{0,12}?(?:组|题目?|问题|样本)",
        ),
    ),
    KnownPolicy(
        "maxvar", "selection", "baseline",
        (
            r"max(?:imum|imal|imi[sz]ed?)?[-_ ]?var(?:iance)?(?: (?:down-?sampling|selection|rollouts?))?",
            r"pods(?:[- ](?:style|like))?(?: (?:rollout )?down-?sampl\w+)?",
            r"(?:rollout )?down-?sampl\w+", r"(?:largest|highest|biggest)[- ](?:reward )?variance(?: rollouts?)?",
            "最大方差", "方差最大", "下采样",
        ),
    ),
    KnownPolicy(
        "gfpo", "selection", "baseline",
        (
            r"gfpo(?:[- ](?:style|like))?", r"group[- ]filtered policy optimi[sz]ation", r"(?:token|reward)[- ]efficien\w+ (?:rollouts?|selection|filter\w*)",
            r"reward[- ]per[- ]token", r"(?:keep\w* |prefer\w* |select\w* )(?:only )?(?:the )?(?:\w+ )?short(?:est|er)?(?: and most rewarding)? (?:rollouts?|answers?|responses?)",
            "(?:只)?保留(?:较|最)?短的?(?:回答|回复|答案)",
        ),
    ),
    KnownPolicy(
        "topk", "selection", "baseline",
        (
            r"top[-_ ]?k(?: (?:by )?advantages?| selection)?", r"(?:largest|highest|biggest|strongest)[- ](?:absolute |abs )?advantages?(?: (?:rollouts?|samples?))?",
            r"top (?=half|quarter|\d)(?=[^.?!]{0,40}(?:batch|rollouts?|advantage))", "前 ?k ?(?:个)?", "优势(?:值)?最大",
        ),
    ),
    KnownPolicy(
        "ar", "reweighting", "baseline",
        (
            r"ar", r"advantage[- ]re-?weight\w*",
            r"(?:down|re|under)-?weight\w*(?: the)? (?:low|small|un)[- ]?(?:er)?[- ]?(?:prob\w*|likel\w*|confidence)[- ]tokens?",
            r"(?:low|small|rare|unlikely)[- ]?(?:prob\w*)?[- ]tokens?(?: (?:down|re)-?weight\w*)?",
            "(?:降低|减小|压低|下调)?(?:低概率|小概率) ?(?:的)? ?(?:token|词元|词)s?(?:的)?(?:权重)?", "优势重加权",
        ),
    ),
    KnownPolicy(
        "per", "reweighting", "baseline",
        (
            r"prioriti[sz]ed[- ](?:experience[- ])?replay(?:[- ](?:style|like))?(?: (?:re-?)?weight\w*)?", r"priority[- ](?:based[- ])?(?:replay|(?:re-?)?weight\w*)",
            r"per[- ](?:style|like)(?: (?:re-?)?weight\w*)?", "优先(?:级)?(?:经验)?(?:回放|重放)(?:式)?(?:加权)?",
        ),
    ),
    KnownPolicy("softmax", "reweighting", "baseline", (r"soft[- ]?max(?: (?:re-?)?weight\w*)?",)),
    KnownPolicy(
        "diffband", "reweighting", "baseline",
        (
            r"diff(?:iculty)?[-_ ]?band(?:s|ing)?", r"(?:mid(?:dle)?|medium|intermediate)[- ](?:difficulty|reward)(?: (?:band|rollouts?|weight\w*))?",
            r"(?:up-?)?weight\w* (?:the )?(?:middle|mid) (?:band|rewards?)", "难度带", "中等难度",
        ),
    ),
    KnownPolicy(
        "static", "control", "baseline",
        (
            r"(?:a |the )?(?:static|fixed|constant)(?:[- ](?:and )?(?:equal|even|uniform))?[- ](?:split|mix(?:ture|ing)?|shares?|ratios?|proportions?|weights? per domain|domain \w+)",
            r"(?:equal|even|uniform|one[- ]third)(?:[- ]fixed)?[- ](?:split|mix(?:ture|ing)?|shares?|ratios?|proportions?|domain \w+)", r"static",
            "固定(?:的)?(?:配比|比例|混合|份额)", "(?:等|均等|平均)(?:比例|配比|份额)(?:混合)?", "静态(?:配比|混合|比例)?",
        ),
    ),
    KnownPolicy(
        "reward_gap", "mixing", "static",
        (r"reward[-_ ]?gap(?: (?:mix\w*|policy))?", r"doremi(?:[- ](?:style|like))?(?: mix\w*)?", "奖励(?:差距|差|缺口)"),
    ),
    KnownPolicy(
        "dump_ucb", "mixing", "static",
        (
            r"dump[-_ ]?ucb", r"dump(?! (?:all|the|my|your|every|it)\b)", r"ucb(?:[- ](?:style|like|bandit))?(?: (?:mix\w*|sampling))?",
            r"(?:multi-?armed )?bandits?(?: (?:mix\w*|sampling|scheduler))?", r"upper[- ]confidence[- ]bounds?", "老虎机", "置信上界",
        ),
    ),
    KnownPolicy(
        "tscl", "mixing", "static",
        (
            r"tscl(?:[- ](?:style|like))?(?: mix\w*)?", r"teacher[- ]student curricul\w+(?: learning)?", r"learning[- ]progress(?: (?:mix\w*|sampling|curricul\w+))?",
            r"curriculum(?: learning)?", "(?:师生|教师[-—]?学生)(?:式)?(?:课程)?(?:学习)?", "课程学习",
        ),
    ),
)  # fmt: skip

BY_NAME = {policy.name: policy for policy in POLICIES}

_NOUN = r"(?:methods?|polic(?:y|ies)|families|family|zoo|ones|approaches|strategies|techniques|variants|schemes)"
FAMILIES: tuple[tuple[Family, re.Pattern[str]], ...] = (
    (
        "mixing",
        re.compile(
            r"\b(?:(?:adaptive|dynamic|learned|automatic|adapting|online|domain)[- ](?:domain[- ])?(?:mix(?:tures?|ers?|ing(?! rat))|"
            r"curricul\w+|data mix\w*)|mixers|mixing (?=" + _NOUN + rf"|and\b)|adaptive (?={_NOUN}))(?: {_NOUN})?"
            "|(?:自适应|动态)(?:的)?(?:混合|配比|混料)(?:方法|策略)?|(?:混合|配比)类?(?:方法|策略)"
        ),
    ),
    (
        "selection",
        re.compile(
            r"\bselectors\b|\b(?:rollout |data )?(?:selection|selecting|filtering)(?=[^.?!;]{0,24}\b" + _NOUN + r"\b)"
            rf"(?: {_NOUN})?|(?:选择|筛选)类?(?=[^。？?]{{0,8}}(?:方法|策略))(?:方法|策略)?"
        ),
    ),
    (
        "reweighting",
        re.compile(
            r"\bre-?weighters\b|\b(?:re-?)?weighting(?=[^.?!;]{0,24}\b" + _NOUN + r"\b)"
            rf"(?: {_NOUN})?|(?:重加权|加权)类?(?=[^。？?]{{0,8}}(?:方法|策略))(?:方法|策略)?"
        ),
    ),
)  # fmt: skip


def family_members(family: Family) -> tuple[str, ...]:
    """The policies of a family, in the study's order."""
    return tuple(policy.name for policy in POLICIES if policy.family == family)


def known_names() -> tuple[str, ...]:
    """The thirteen and whatever plug-ins add, in that order."""
    from policies import registry

    return tuple(dict.fromkeys((*BY_NAME, *registry.names())))


def loadable(name: str) -> type[Policy] | None:
    """The policy's class, or None for a third party's that is broken: it harms only questions about itself."""
    from policies import registry

    try:
        return registry.get(name)
    except InputError:
        return None


def treatment_names() -> tuple[str, ...]:
    """What a study may try: all known policies without the two controls and the placebos."""
    classes = {name: loadable(name) for name in known_names()}
    return tuple(name for name, cls in classes.items() if cls is None or cls.family not in ("control", "placebo"))


def default_control(name: str) -> str:
    """`static` for mixers, `baseline` for the rest."""
    if name in BY_NAME:
        return BY_NAME[name].control
    from policies import registry

    return registry.get(name).control
