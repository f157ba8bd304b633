# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""Seeds, budgets, runs, steps, confidence and smallest effect of interest, as people write them."""

import re
from dataclasses import dataclass, field

from advisor.reading.numbers import NUMBER, parse, plain
from advisor.reading.text import Text

MAX_LISTED_SEEDS = 1000
"""A range of more seeds than this is asked about instead of being spelled out."""


@dataclass
class Quantities:
    """What the question says in numbers; None where it says nothing."""

    seeds: int | None = None
    seed_list: tuple[int, ...] | None = None
    too_many_seeds: int | None = None
    steps: int | None = None
    budget_gpu_hours: float | None = None
    max_runs: int | None = None
    confidence: float | None = None
    sesoi: float | None = None
    notes: list[str] = field(default_factory=list)


def read_quantities(text: Text) -> Quantities:
    """Reads and blanks every quantity that has a unit; what is left belongs to parameters."""
    found = Quantities()
    _read_confidence(text, found)
    _read_budget(text, found)
    _read_runs(text, found)
    _read_seed_list(text, found)
    _read_seeds(text, found)
    _read_steps(text, found)
    _read_sesoi(text, found)
    return found


_INT = r"\d{1,12}"
_SEED_WORD = r"(?:(?:random )?seeds?(?: numbers?)?|(?:随机)?种子)"
_RANGE = re.compile(
    rf"{_SEED_WORD}\s*[:=#]?\s*(?:from |从)?\(?({_INT})\s*(?:to|through|thru|until|up to|-|\.\.\.?|~|到|至)\s*({_INT})\)?"
)
_LIST = re.compile(
    rf"{_SEED_WORD}\s*[:=#]?\s*[\[{{(]?\s*({_INT}(?:\s*(?:,\s*and|and|,|、|和|以及|&|\s)\s*{_INT})+)(?!\s*(?:%|gpu|hours?|runs?|steps?|points?))\s*[\]}})]?"
)


def _read_seed_list(text: Text, found: Quantities) -> None:
    if match := text.take_first(_RANGE):
        low, high = sorted((int(match.group(1)), int(match.group(2))))
        if low != int(match.group(1)):
            found.notes.append(f"{match.group().strip()} was read as the seeds {low} to {high}")
        if high - low + 1 > MAX_LISTED_SEEDS:
            found.too_many_seeds = high - low + 1
        else:
            found.seed_list = tuple(range(low, high + 1))
    elif match := text.take_first(_LIST):
        found.seed_list = tuple(int(part) for part in re.findall(_INT, match.group(1)))


_UNIT_SEEDS = (
    r"(?:(?:matched |paired |random |different |independent |training |more )*(?:seeds?|seed pairs?|pairs?(?! of (?:gpu|node|card))|replicates?)\b"
    r"|(?:runs?|jobs?|repeats?|repetitions?) (?:per|for each|for every|an|each|in each|on each)(?: (?:arm|policy|method|condition|side))?\b"
    r"|(?:个|颗|组)? ?(?:随机|配对)?(?:种子|配对))"
)
_SEEDS = (
    re.compile(rf"(?P<n>{NUMBER})[- ]?{_UNIT_SEEDS}"),
    re.compile(rf"(?:(?<![a-z])seeds|(?<![a-z])n|(?:number of|num) seeds|种子(?:数量?|数目)|n_seeds|num_seeds) ?(?:=|:|of|is|为|是)? ?(?P<n>{NUMBER})(?!%)"),
    re.compile(rf"每(?:组|个|臂|边|种方法) ?(?P<n>{NUMBER}) ?(?:次|个|遍|run)"),
)  # fmt: skip


def _read_seeds(text: Text, found: Quantities) -> None:
    for pattern in _SEEDS:
        match = text.take_first(pattern)
        if match is None:
            continue
        value = parse(match.group("n"))
        if found.seeds is None:
            found.seeds = int(value)
            if value != int(value):
                found.notes.append(f"{match.group().strip()} was read as {int(value)} seeds")


_DEVICE = (
    r"(?:gpus?|cards?|a100s?|h100s?|h200s?|h800s?|a800s?|b200s?|l40s?|4090s?|v100s?|accelerators?|devices?|张?卡|张|块)"
)
_TIME = {
    "minute": 1 / 60, "min": 1 / 60, "分钟": 1 / 60, "hour": 1, "hr": 1, "h": 1, "小时": 1, "个小时": 1, "钟头": 1,
    "day": 24, "天": 24, "week": 168, "周": 168, "星期": 168, "weekend": 48, "周末": 48, "night": 12, "month": 720, "月": 720,
}  # fmt: skip
_TIME_UNIT = r"(minutes?|mins?|hours?|hrs?|h\b|days?|weekends?|weeks?|nights?|months?|分钟|个?小时|钟头|天|周末|周|个?星期|个?月)"
_GPU_TIME = re.compile(
    rf"({NUMBER})[- ]?(?:\w+[- ])?{_DEVICE}[-· ]?(?:的 ?)?(hours?|hrs?|h\b|days?|weeks?|minutes?|mins?|个?小时|小?时|天)"
    rf"|({NUMBER}) ?(卡时|机时)"
    rf"|({NUMBER})[- ]?(?:device|run|cpu|machine|compute|node|core)[- ](hours?|days?|minutes?)"
)
_DEVICES = (
    re.compile(rf"({NUMBER})?[- ]?(?:nodes?|machines?|servers?|台|机器|节点) ?(?:of|with|x|each with|,)? ?({NUMBER})[- ]?x? ?{_DEVICE}"),
    re.compile(rf"({NUMBER})[- ]?(?:x )?({NUMBER})[- ]{_DEVICE}[- ](?:nodes?|machines?|servers?|box(?:es)?)"),
    re.compile(rf"({NUMBER}) ?x ?{_DEVICE}"),
    re.compile(rf"({NUMBER})[- ]?(?:single )?(?:\w+ )?{_DEVICE}"),
)  # fmt: skip
_DURATION = re.compile(rf"({NUMBER})[- ]?(?:more |full |whole |wall[- ]?clock |个)?{_TIME_UNIT}")


def _read_budget(text: Text, found: Quantities) -> None:
    if match := text.take_first(_GPU_TIME):
        number = match.group(1) or match.group(3) or match.group(5)
        unit = match.group(2) or match.group(4) or match.group(6)
        found.budget_gpu_hours = plain(parse(number) * _hours_in(unit))
        return
    duration = _DURATION.search(text.left)
    if duration is None:
        return
    text.blank(*duration.span())
    hours = parse(duration.group(1)) * _hours_in(duration.group(2))
    devices = _read_devices(text)
    found.budget_gpu_hours = plain(round(hours * (devices or 1), 6))
    if devices is None:
        found.notes.append(f"{duration.group().strip()} was read as {found.budget_gpu_hours:g} hours of one device")


def _hours_in(unit: str) -> float:
    unit = unit.strip()
    if unit in {"卡时", "机时", "时"}:
        return 1.0
    return float(_TIME.get(unit) or _TIME.get(unit.rstrip("s")) or _TIME.get(unit.removeprefix("个")) or 1)


def _read_devices(text: Text) -> float | None:
    for index, pattern in enumerate(_DEVICES):
        if match := text.take_first(pattern):
            first = parse(match.group(1)) if match.group(1) else 1.0
            return first * parse(match.group(2)) if index < 2 else first
    return None


_RUNS = re.compile(
    rf"({NUMBER})[- ]?(?:training |total |grpo |more )*(?:runs?|jobs?|trainings)\b(?! (?:per|for each|each|an)\b)"
    rf"|({NUMBER}) ?(?:次|个|轮) ?(?:训练|运行|实验|run|任务|作业)"
)


def _read_runs(text: Text, found: Quantities) -> None:
    if match := text.take_first(_RUNS):
        found.max_runs = int(parse(match.group(1) or match.group(2)))


_CONFIDENCE = (
    re.compile(rf"({NUMBER}) ?(?:%|percent|per cent) ?(?:-)?(?:level (?:of )?)?(?:family )?(?:confidence|intervals?|cis?\b|level(?! of sig)|credible|置信|区间)"),
    re.compile(rf"(?:confidence|\bcis?\b|置信)(?: level| intervals?|度|水平|区间)?(?: of| at|=|:|为|是| )* ?({NUMBER}) ?(%|percent)?"),
)  # fmt: skip
_ALPHA = (
    re.compile(r"(?:significance(?: level)?|(?:(?:at|with) (?:an? )?)?(?<![a-z_])alpha|显著性(?:水平)?)(?: of| at|=|:|为|是| )* ?(0?\.\d+|\d+(?:\.\d+)?) ?(%)?"),
    re.compile(r"(\d+(?:\.\d+)?) ?(%) (?:significance|level of significance)|\bp ?< ?(0?\.\d+)"),
)  # fmt: skip


def _read_confidence(text: Text, found: Quantities) -> None:
    for pattern in _CONFIDENCE:
        if match := text.take_first(pattern):
            value = parse(match.group(1))
            found.confidence = round(value / 100 if value > 1 else value, 6)
            return
    for pattern in _ALPHA:
        if match := text.take_first(pattern):
            value = next(float(group) for group in match.groups() if group and group != "%")
            level = value / 100 if "%" in match.group() else value
            found.confidence = round(1 - level, 6)
            return


_STEPS = (
    re.compile(rf"({NUMBER})[- ]?(?:training |optimi[sz]er |grpo |gradient )*(?:steps?|updates|iterations)\b"),
    re.compile(rf"\bsteps? ?(?:=|:|of|is)? ?({NUMBER})(?!%)"),
    re.compile(rf"({NUMBER}) ?(?:个)?(?:训练)?步"),
)


def _read_steps(text: Text, found: Quantities) -> None:
    for pattern in _STEPS:
        if match := text.take_first(pattern):
            found.steps = int(parse(match.group(1)))
            return


_SESOI = (
    re.compile(rf"\b(?:sesoi|smallest (?:effect|gain|difference)(?: (?:size|of interest|that matters))*) ?(?:=|:|of|is)? ?({NUMBER})"),
    re.compile(rf"({NUMBER})(?: or more|\+)?[- ]?(?:full |whole |score |percentage |percent )*(?:points?|pts?|pp)\b"),
    re.compile(rf"({NUMBER}) ?(?:个)?(?:百分点|分(?![钟之])|点(?!击))"),
    re.compile(r"(半)个?(?:百分)?点|(半)分"),
)  # fmt: skip


def _read_sesoi(text: Text, found: Quantities) -> None:
    for pattern in _SESOI:
        if match := text.take_first(pattern):
            found.sesoi = plain(parse(next(group for group in match.groups() if group)))
            return
