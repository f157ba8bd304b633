"""Small score tables for tests: twelve benchmarks, any arms and seeds."""

from collections.abc import Mapping, Sequence

import numpy as np

from tools.plan.analysis import Analysis
from tools.scores.summaries import verdict_set
from tools.scores.table import ScoreRow, ScoreTable

DOMAINS = {
    **dict.fromkeys(("math500", "aime24", "olympiadbench", "minerva_math", "gsm8k"), "math"),
    **dict.fromkeys(("kk_hard", "bbh_logical_deduction", "bbh_tracking", "zebra_logic_mc"), "logic"),
    **dict.fromkeys(("gpqa_diamond", "mmlu_pro_chemistry", "mmlu_pro_physics"), "science"),
}


def row(arm: str, seed: int, benchmark: str, score: float, **changes: object) -> ScoreRow:
    values = {"suite": "tiny-12", "domain": DOMAINS[benchmark], "questions": 120, "harness": "h1", **changes}
    return ScoreRow.model_validate({"arm": arm, "seed": seed, "benchmark": benchmark, "score": score, **values})


def rows(arms: Mapping[str, Sequence[float] | Sequence[Sequence[float]]]) -> list[ScoreRow]:
    """Arm -> one value a seed (the same on every benchmark), or one a seed and benchmark; seeds are 1, 2, ..."""
    made = []
    for arm, values in arms.items():
        block = np.asarray(values, dtype=float)
        if block.ndim == 1:
            block = np.repeat(block[:, None], len(DOMAINS), axis=1)
        for index, scores in enumerate(block):
            made += [row(arm, index + 1, name, value) for name, value in zip(DOMAINS, scores.tolist(), strict=True)]
    return made


def table(arms: Mapping[str, Sequence[float] | Sequence[Sequence[float]]]) -> ScoreTable:
    return ScoreTable.from_rows(rows(arms))


def analysis(**changes: object) -> Analysis:
    return Analysis.model_validate({"family_size": 1, "summaries": verdict_set(DOMAINS), **changes})
