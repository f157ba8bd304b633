"""Names of benchmarks: the ids of the catalogue, and other names in use for exactly the same questions."""

import re
from collections.abc import Iterable
from functools import cache

from tools.scores.columns import normal
from training.benchmarks import catalog

_ALIASES = {
    "math500": ("math_500", "hendrycks_math500", "hendrycks_math_500"),
    "aime24": ("aime_24", "aime2024", "aime_2024"),
    "olympiadbench": ("olympiad_bench",),
    "minerva_math": ("minervamath", "minerva_math_cot"),
    "gsm8k": ("gsm_8k", "gsm8k_cot", "gsm8k_test"),
    "kk_hard": ("kkhard",),
    "bbh_logical_deduction": ("bbh_logicaldeduction", "logical_deduction"),
    "bbh_tracking": ("bbh_tracking_shuffled_objects", "tracking_shuffled_objects"),
    "zebra_logic_mc": ("zebralogic_mc", "zebra_logic_multiple_choice"),
    "gpqa_diamond": ("gpqadiamond", "gpqa_diamond_cot", "gpqa_diamond_mc"),
    "mmlu_pro_chemistry": ("mmlupro_chemistry", "mmlu_pro_chem"),
    "mmlu_pro_physics": ("mmlupro_physics", "mmlu_pro_phys"),
}
"""Only names of the same set of questions: `gpqa` (the full set) and `mmlu_pro` (all subjects) are other benchmarks."""


_DECORATION = re.compile(r"^eval_|_?[(\[]?%[)\]]?$|_(?:acc|accuracy|score|exact_match|pass@1)$")
"""Additions to a column's name that do not change the set of questions: `eval/gsm8k`, `gsm8k (%)`, `gsm8k_acc`."""


@cache
def catalogue_domains() -> dict[str, str]:
    """Returns benchmark id -> domain over all suites."""
    return {row.id: row.domain for name in catalog.suites() for row in catalog.suite(name)}


@cache
def _by_alias() -> dict[str, str]:
    known = {normal(name): name for name in catalogue_domains()}
    return known | {alias: name for name, aliases in _ALIASES.items() for alias in aliases if name in known.values()}


def benchmark_id(name: str) -> str | None:
    """Returns the catalogue's id for this name; None for a benchmark that it does not have."""
    plain = normal(name)
    return _by_alias().get(plain) or _by_alias().get(_DECORATION.sub("", plain))


def renamed(names: Iterable[str]) -> dict[str, str]:
    """Returns name as written -> the name to use: the catalogue's id, or the name itself.

    If two of the names would get the same id, only the one spelled exactly like the id gets it: `gsm8k` and `gsm8k_cot`
    in one table are two benchmarks.
    """
    names = tuple(dict.fromkeys(names))
    ids = {name: benchmark_id(name) or name for name in names}
    taken: dict[str, list[str]] = {}
    for name, found in ids.items():
        taken.setdefault(found, []).append(name)
    for found, rivals in taken.items():
        if len(rivals) > 1:
            for name in rivals:
                ids[name] = found if name == found else name
    return ids
