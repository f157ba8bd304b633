# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""What a study must not do, recognised by reason; each refusal carries the valid alternative."""

import re
from typing import NamedTuple

from advisor.reading.text import Text


class Refusal(NamedTuple):
    """One reason with the patterns that give it away and what to answer."""

    reason: str
    patterns: tuple[re.Pattern[str], ...]
    english: str
    chinese: str


def _compile(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source) for source in sources)


_BETTER = r"(?:better|worse|best|worst|luck\w*|beat\w*|wins?|outperform\w*|superior|highest|top|good|bad|stronger)"
_PICK = r"(?:pick|choose|select|find|use|report|show|take|keep|present|publish|give|search(?: for)?|cherry-?pick|switch to|go with)\w*"
_SCORE = (
    r"(?:summar(?:y|ies)|metrics?|averages?|benchmarks?|weights?|weightings?|weighing|aggregat\w+|subsets?|scores?)"
)

REFUSALS: tuple[Refusal, ...] = (
    Refusal(
        "optional_stopping",
        _compile(
            r"(?:add|run|rerun|try|get|collect|launch|keep|continu)\w*[^.?!;]{0,50}\b(?:until|till|as long as|as soon as|unless|while)\b[^.?!;]{0,60}"
            r"(?:signific\w*|p ?<|win\w*|beat\w*|better|positive|exclud\w+|works?|ahead|comes? out|shows?|ci\b|zero|looks? (?:good|better|right|nice)|happy|satisf\w*|i like)",
            r"stop\w* (?:as soon as|once|when|the moment|whenever)[^.?!;]{0,60}(?:signific\w*|ahead|win\w*|better|beat\w*|p ?<|positive|look\w* good|exclud\w+)",
            r"(?:peek|look) at (?:the )?(?:p-?values?|results?|scores?) (?:after|at) (?:each|every)",
            "(?:一直|不断|继续|反复|持续)[^。？?;；]{0,16}(?:直到|到|为止)[^。？?;；]{0,20}(?:显著|赢|更好|打过|超过|有效|为止)",
            "(?:显著|赢了|更好|打过)[^。？?;；]{0,8}(?:就停|再停|才停|为止)",
        ),
        "adding seeds until the result is significant makes chance look like an effect; fix the number of seeds before the first score "
        "(for example: 'compare tscl with static, 8 seeds'), or ask for a sequential study, whose looks pay for themselves "
        "('compare tscl with static, sequential, at most 12 seeds')",
        "一直加种子直到显著会把偶然当成效果；请在看到分数之前定下种子数（例如：比较 tscl 和 static，8 个种子），或做序贯研究，每次查看都已计入误差（例如：比较 tscl 和 static，序贯，至多 12 个种子）",
    ),
    Refusal(
        "seed",
        _compile(
            r"seed #?\d+\b[^.?!;]{0,30}\b(?:vs|versus|against|than|or|over|beat\w*|compared)\b[^.?!;]{0,24}\bseed #?\d+",
            r"\bbetween seeds? #?\d+ and (?:seed )?#?\d+", rf"\b(?:among|of|between) (?:the )?(?:\w+ )?seeds?\b[^?!;]{{0,30}}\b(?:which|what|who)\b[^?!;]{{0,16}}\b{_BETTER}",
            r"compare seed #?\d+ (?:with|to|and|against) (?:seed )?#?\d+",
            rf"\b(?:which|what) (?:random )?seeds?\b[^.?!;]{{0,40}}\b{_BETTER}",
            rf"\b{_PICK}\b[^.?!;]{{0,30}}\b(?:best|luck(?:y|iest)|top|good|winning|favou?rable|strongest)[- ](?:\w+ )?(?:seeds?|runs?)\b",
            r"\b(?:best|top)[- ](?:\w+[- ])?(?:of|out of)[- ](?:the )?\w+[- ](?:seeds?|runs?)\b",
            r"\b(?:drop|exclude|discard|remove|ignore|skip|hide|throw)\w*\b[^.?!;]{0,40}\b(?:bad|worst|unlucky|failed|losing|outlier|weak)[- ](?:\w+ )?(?:seeds?|runs?)\b",
            r"\b(?:drop|exclude|discard|remove|ignore|hide|throw)\w*\b[^.?!;]{0,20}\b(?:seeds?|runs?)\b (?:where|in which|that|when)\b",
            r"\b(?:is|are|does|do) (?:a |the )?(?:different |other |certain |particular |random )*seeds? (?:choice |number )?(?:better|matter more|help\w*|improve\w*)\b",
            r"\b(?:random )?seed (?:as|is) (?:a |the )?(?:treatment|hyperparameter)|\b(?:tune|optimi[sz]e|search) (?:over )?(?:the )?(?:random )?seeds?\b",
            r"\b(?:best|luckiest|optimal) (?:random )?seed\b",
            r"种子 ?\d+[^。？?]{0,12}(?:比|和|与|对|vs)[^。？?]{0,8}种子 ?\d+", r"种子 ?\d+ ?(?:比|和|与|跟|对|vs\.?) ?\d+",
            "(?:哪个|哪一个|哪些|什么)(?:随机)?种子[^。？?]{0,10}(?:好|差|强|高|优|赢)", "(?:挑|选|取|用|报告)[^。？?]{0,8}(?:最好|最优|最幸运|最高)[^。？?]{0,6}种子",
            "(?:最好|最优|最幸运)的?(?:随机)?种子", "(?:去掉|删掉|剔除|不要|忽略)[^。？?]{0,8}(?:差|坏|失败|不好)的?(?:种子|运行|结果)",
        ),
        "a seed is the unit of chance here, never a treatment, and none may be picked or dropped by its result; "
        "ask how large chance is instead (for example: 'how noisy is the baseline against itself? 6 seeds')",
        "种子是随机性的单位，不能当作处理，也不能按结果挑选或丢弃；可以改问随机波动有多大（例如：baseline 自己和自己比波动多大？6 个种子）",
    ),
    Refusal(
        "picking_summary",
        _compile(
            rf"\b{_PICK}\b[^.?!;]{{0,40}}\b{_SCORE}\b[^.?!;]{{0,50}}\b(?:wins?|winning|beats?|best|better|look\w*|favou?r\w*|signific\w*|positive|works?|good|ahead|outperform\w*|flatter\w*)\b",
            rf"\b(?:which|what|whichever|whatever)\b (?:\w+ ){{0,2}}{_SCORE}\b[^.?!;]{{0,40}}\b(?:makes?|mak\w+|wins?|look\w*|best|favou?rs?|flatters?|significant|shows?|gives?)\b",
            rf"\b(?:whichever|whatever) {_SCORE}\b",
            rf"\b{_PICK}\b[^.?!;]{{0,30}}\b(?:best|most favou?rable|winning|flattering|most flattering|luckiest)[- ](?:\w+ )?{_SCORE}\b",
            r"\bonly (?:report|show|count|keep)\b[^.?!;]{0,30}\b(?:benchmarks?|metrics?|summar\w+|tasks?)\b[^.?!;]{0,20}\b(?:where|that|on which)\b",
            "(?:挑|选|找|用|报告|换)[^。？?]{0,12}(?:指标|汇总|平均|基准|权重|评测)[^。？?]{0,16}(?:赢|好|有利|显著|高|最)",
            "(?:哪个|哪种|哪一种|什么)(?:指标|汇总|平均|基准|权重|评测)[^。？?]{0,20}(?:赢|好|有利|显著|高)",
            "(?:对|让)[^。？?]{1,20}(?:最有利|最好看)[^。？?]{0,6}(?:指标|汇总|平均|基准|权重|评测)",
        ),
        "the summary that wins may not be chosen after the fact; name one before the run and it becomes the primary, the verdict still reads "
        "all of them (for example: 'does topk beat baseline on math_heavy_6?')",
        "不能事后挑选获胜的汇总指标；请在运行前指定一个作为主要指标，结论仍然看全部汇总（例如：topk 在 math_heavy_6 上能打过 baseline 吗）",
    ),
    Refusal(
        "fabrication",
        _compile(
            r"\b(?:fake|fabricate|invent|make up|doctor|massage|forge|falsif\w+|tweak)\b[^.?!;]{0,40}\b(?:results?|numbers?|scores?|data|reports?|intervals?|figures?|p-?values?)\b",
            r"\b(?:hide|bury|suppress|conceal|omit)\b[^.?!;]{0,30}\b(?:negative|bad|null|losing|losses|failures?)\b",
            r"\bmake (?:it|tscl|topk|the report|the results?) look (?:better|good|significant)\b",
            "(?:伪造|编造|捏造|造假)[^。？?]{0,12}", "(?:隐藏|掩盖|藏)[^。？?]{0,8}(?:负面|不好|失败)",
        ),
        "a report holds only what the runs gave, good or bad; ask the comparison and its answer will be stated as it is",
        "报告只写运行得到的结果，好坏都写；请直接提出比较的问题",
    ),
    Refusal(
        "unmatched",
        _compile(
            r"\b(?:give|grant|allow|let|train|run)\b[^.?!;]{0,40}\b(?:more|twice|double|longer|extra|fewer|less|half)\b[^.?!;]{0,40}\bthan (?!\d)(?:the )?(?:[a-z_]+\b)(?= *(?:$|[.?!,]|gets?|has|does))",
            r"\b(?:different|another|higher|lower|its own) (?:learning rate|batch size|model|recipe|number of (?:steps|rollouts))\b[^.?!;]{0,20}\b(?:for|per) (?:each|the|one|every)? ?(?:arm|policy|treatment|method|side)",
            r"\b(?:twice|double) as (?:long|many|much)[^.?!;]{0,30}\bas\b",
        ),
        "the arms of a study differ in the policy alone; ask for the same steps, seeds and recipe in both (for example: 'tscl vs static, 100 steps, 8 seeds')",
        "研究中的各组只能在策略上不同；请让两边的步数、种子和配方一致（例如：tscl 对 static，100 步，8 个种子）",
    ),
    Refusal(
        "out_of_scope",
        _compile(
            r"\b(?:delete|erase|wipe|purge|format|rm -rf|rm|uninstall|destroy|clean up|overwrite|trash)\b[^.?!;]{0,60}"
            r"(?:checkpoints?|files?|folders?|director\w+|disks?|drives?|stud(?:y|ies)|runs?|weights|models?|logs?|data|home|everything|database|/)",
            r"\bdump (?:all|the|my|your|every|it)\b", r"\b(?:kill|shut ?down|reboot|restart) (?:all |the |my )?(?:process\w*|jobs?|machine|server|computer|cluster|node)",
            r"\b(?:upload|push|publish|post|tweet|email|e-mail|send|commit|deploy|download|install|buy|book|rent)\b (?!seeds?)[^.?!;]{0,60}"
            r"(?:hub\b|huggingface|hugging face|github|twitter|checkpoints?|weights|model|file|package|results?|report|ticket|mail|email|gpu|server|dataset)",
            r"\b(?:write|compose|tell|sing|draw|paint|translate|summari[sz]e|proof-?read|draft)\b[^.?!;]{0,30}(?:poem|joke|story|song|essay|email|letter|haiku|paper|novel|code|function|script|picture|abstract|related work|\bto (?:french|german|chinese|english|spanish))",
            r"\b(?:weather|forecast|stock price|bitcoin|football|lottery|capital of|president|horoscope|recipe for (?!grpo)\w+ (?:soup|cake|pie|bread)|what time is it)\b",
            r"\b(?:learning rate|batch size|kl (?:coefficient|penalty)|weight decay|clip(?:ping)? (?:range|ratio)|warm-?up ratio|lora|optimi[sz]er|adam\w*|muon|rollout temperature|context length)\b"
            r"[^.?!;]{0,40}\b(?:better|worse|best|than|vs|versus|compare|optimal|tune)\b",
            r"\b(?:tune|best|optimal|compare|sweep|which)\b[^.?!;]{0,20}\b(?:learning rates?|batch sizes?|kl (?:coefficients?|penalt\w+)|weight decay|hyper-?parameters?|lora ranks?|optimi[sz]ers?)\b",
            r"\b(?:ppo|dpo|rloo|reinforce(?:\+\+)?|gspo|sft|dr\.? ?grpo|kto|orpo|remax)\b[^.?!;]{0,30}\b(?:better|worse|vs|versus|beat\w*|than|against|outperform\w*|or)\b",
            r"\b(?:vs|versus|beat\w*|than|against|outperform\w*|or|with|to)\b (?:\w+ )?(?:ppo|dpo|rloo|reinforce(?:\+\+)?|gspo|sft|kto|orpo|remax)\b",
            r"\b(?:qwen|llama|mistral|gemma)[\w. -]{0,20}\b(?:better than|worse than|beat\w*|vs\.?|versus|against|outperform\w*|or)\b[\w. -]{0,20}\b(?:qwen|llama|mistral|gemma)",
            r"\bwhich (?:base )?models? (?:is|are|performs?|works?)\b", r"\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier) (?:instructions?|rules?|prompts?)",
            r"\b(?:api[- _]?key|password|secret|token)s?\b[^.?!;]{0,20}(?:show|print|reveal|tell|what)|(?:show|print|reveal|tell|what)[^.?!;]{0,24}\b(?:api[- _]?keys?|passwords?|credentials?)\b",
            "(?:删除|删掉|清空|格式化|卸载|抹掉)[^。？?]{0,16}(?:检查点|文件|目录|数据|硬盘|磁盘|权重|模型|日志|实验|所有|全部|checkpoints?)",
            "(?:把|将)[^。？?]{0,12}(?:检查点|文件|目录|数据|权重|模型|日志)[^。？?]{0,8}(?:删|清空|上传|发布)", "(?:写|讲|唱|画)(?:一)?(?:首|个|篇|封|幅)(?:诗|笑话|故事|歌|论文|邮件|文章|画)|天气|股价|翻译",
            "(?:学习率|批大小|批量大小|优化器|超参)[^。？?]{0,16}(?:好|比|最|调)", "哪个(?:基座|基础)?模型",
        ),
        "a study here compares data policies for GRPO training with everything else held fixed, and does nothing else; "
        "ask such a question (for example: 'does tscl beat static?')",
        "这里的研究只在其他条件不变时比较 GRPO 训练的数据策略，不做别的事；请提出这样的问题（例如：tscl 能打过 static 吗）",
    ),
)  # fmt: skip


_FIELD = re.compile(
    r"\b(?:seeds?|polic\w*|sampl\w*|weight\w*|mix\w*|grpo|rl\w*|train\w*|benchmark\w*|baselines?|methods?|models?|gpus?|rollouts?|prompts?|data\w*|runs?|experiment\w*|"
    r"compar\w*|better|worse|help\w*|works?|effects?|gains?|it|this|that|these|they|mine|ours?|my|everything|everyone|all|curricul\w*|stud(?:y|ies)|plan\w*|hello|hi|you do|llms?|score\w*|noise|"
    r"points?|steps?|filter\w*|select\w*|advantage\w*|reward\w*|tokens?|replay|budget|hours?|algorithm\w*|approach\w*|techniques?|test\w*|difference\w*|beats?|wins?|improve\w*)\b|[\u4e00-\u9fff]"
)


def is_off_topic(text: Text) -> bool:
    """Whether a sentence of some length holds no word of this field and nothing that could refer to one."""
    return len(text.lower.split()) >= 4 and not _FIELD.search(text.lower)


OUT_OF_SCOPE = next(refusal for refusal in REFUSALS if refusal.reason == "out_of_scope")


def find_refusal(text: Text) -> Refusal | None:
    """The first reason that applies to the whole question."""
    return next((refusal for refusal in REFUSALS if any(text.has(pattern) for pattern in refusal.patterns)), None)
