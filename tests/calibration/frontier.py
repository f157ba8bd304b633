"""What sequential designs save against a fixed one: `python -m tests.calibration.frontier [STUDIES]`.

Prints the tables of `tools/statistics/sequential/README.md`. The fixed design has 12 pairs and power .80 at
the planned effect; the "saved" columns compare mean pairs with those 12.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tests.calibration.studies import least_favourable_error
from tools.plan.sequential_design import SequentialDesign
from tools.statistics.power.one_summary import detectable_effect
from tools.statistics.power.priors import prior, spread
from tools.statistics.power.simulate import sample
from tools.statistics.random_streams import rng_for
from tools.statistics.sequential.characteristics import Characteristics, characteristics

FIXED = 12
ALPHA, POWER = 0.05, 0.8
STUDIES = 100_000


PRIORS = ("Qwen2.5-0.5B-Instruct", "Qwen2.5-7B-base", "tiny-cpu")


SIZES = ((8, 11), (12, 18), (20, 33), (40, 71))
"""Pairs of a fixed design, and the n_max of the default design that has its power."""


COLUMNS = (
    "n",
    "spending",
    "futility",
    "level",
    "level, bounds alone",
    "power",
    "mean n, no effect",
    "mean n, planned",
    "saved at no effect",
    "saved at planned effect",
    "n of 90 %, planned",
)


CHOSEN = SequentialDesign(n_max=18)


TUNED = SequentialDesign(n_max=21, spending_parameter=2.5, futility_chance=0.15, futility_confidence=0.6)
"""The best at 12 pairs; `other_sizes` shows what it costs elsewhere."""


def _all_pairs(
    n_max: int, spending: Literal["power", "pocock", "obrien_fleming"], parameter: float = 1.0
) -> SequentialDesign:
    return SequentialDesign(
        n_max=n_max, spending=spending, spending_parameter=parameter, spending_starts_at_first_look=False
    )


CANDIDATES = (
    CHOSEN,
    TUNED,
    SequentialDesign(n_max=19, spending_parameter=1.7, futility_confidence=0.7),
    SequentialDesign(n_max=18, spending_parameter=1.5, futility_chance=0.095, futility_confidence=0.6),
    SequentialDesign(n_max=18, futility_chance=0.1),
    SequentialDesign(n_max=18, futility_chance=0.3),
    SequentialDesign(n_max=18, futility_confidence=0.9),
    SequentialDesign(n_max=18, futility_chance=0.0),
    SequentialDesign(n_max=16),
    SequentialDesign(n_max=20),
    SequentialDesign(n_min=3, n_max=18),
    SequentialDesign(n_min=4, n_max=18),
    SequentialDesign(n_min=6, n_max=18),
    SequentialDesign(n_max=17, spending_parameter=0.0),
    SequentialDesign(n_max=16, spending_parameter=-2.0),
    SequentialDesign(n_max=19, spending_parameter=2.5),
    SequentialDesign(n_max=17, spending="pocock"),
    _all_pairs(16, "power", 1.5),
    _all_pairs(15, "power", 2.5),
    _all_pairs(18, "pocock"),
    _all_pairs(14, "obrien_fleming"),
)
"""The chosen one first; then those that it was compared with, each for one lesson."""


EVERY_SUMMARY = (
    CHOSEN,
    TUNED,
    SequentialDesign(n_min=6, n_max=18),
    _all_pairs(16, "power", 1.5),
    _all_pairs(14, "obrien_fleming"),
)


class Measured(NamedTuple):
    """One design against the fixed one."""

    null: Characteristics
    planned: Characteristics
    level_without_futility: float


def measure(
    design: SequentialDesign,
    effect: float,
    covariance: NDArray[np.floating[Any]],
    studies: int,
) -> Measured:
    """Runs a design at no effect and at `effect` under every summary; covariance: (S, S) of one pair's differences."""
    name = design.model_dump_json()
    zero, all_alike = np.zeros(len(covariance)), np.full(len(covariance), effect)
    bounds_alone = design.model_copy(update={"futility_chance": 0.0})
    null, planned, bare = (
        characteristics(one, effects, covariance, ALPHA, rng_for(name, purpose), studies=studies)
        for one, effects, purpose in (
            (design, zero, "null"),
            (design, all_alike, "planned"),
            (bounds_alone, zero, "bounds alone"),
        )
    )
    return Measured(null, planned, bare.better + bare.worse)


def one_summary(studies: int) -> Iterator[str]:
    """Markdown lines: every candidate, one summary."""
    effect = detectable_effect(FIXED, 1.0, ALPHA, POWER)
    assert effect is not None
    level_error = (ALPHA * (1.0 - ALPHA) / studies) ** 0.5
    yield f"One summary, planned effect {effect:.3f} SD, {studies:,} studies a cell (a level: ± {level_error:.4f})."
    yield ""
    yield from _header()
    for design in CANDIDATES:
        yield _row(design, measure(design, effect, np.eye(1), studies))


def every_summary(studies: int) -> Iterator[str]:
    """Markdown lines: the six summaries of each prior, which must all cross together."""
    for name in PRIORS:
        known = prior(name)
        covariance = spread(known, {summary: {} for summary in known.sd}).covariance
        assert covariance is not None, "these priors have one"
        effect = sample(FIXED, covariance, rng_for(name, "effect"), 10 * studies).detectable(ALPHA, POWER)
        yield ""
        yield f"{name}: {len(covariance)} summaries, planned effect {effect:.2f} points, {studies:,} studies a cell."
        yield ""
        yield from _header()
        for design in EVERY_SUMMARY:
            yield _row(design, measure(design, effect, covariance, studies))
        bare = CHOSEN.model_copy(update={"futility_chance": 0.0})
        errors = least_favourable_error(bare, covariance, ALPHA, rng_for(name, "least favourable"), studies=studies)
        null = characteristics(
            bare, np.zeros(len(covariance)), covariance, ALPHA, rng_for(name, "some"), studies=studies
        )
        some = null.verdicts["depends_on_summary"]
        yield ""
        yield (
            f"Least favourable truth (one summary 0, the others huge), bounds alone: wrongly `better` in "
            f"{errors.min():.4f} to {errors.max():.4f} of the studies (± {(0.025 * 0.975 / studies) ** 0.5:.4f}; "
            f"allowed {ALPHA / 2}). At no effect, bounds alone: wrongly `depends_on_summary` in {some:.4f} ± "
            f"{null.share_error(some):.4f}."
        )


def other_sizes(studies: int) -> Iterator[str]:
    """Markdown lines: the default and the tuned rule against fixed designs of other sizes, one summary."""
    yield ""
    yield f"Other sizes, one summary, {studies:,} studies a cell."
    yield ""
    yield from _header(("fixed pairs", "n", "rule", "power", "saved at no effect", "saved at planned effect"), left=3)
    for fixed, n_max in SIZES:
        effect = detectable_effect(fixed, 1.0, ALPHA, POWER)
        assert effect is not None
        for name, rule in (("default", CHOSEN), ("tuned at 12", TUNED)):
            design = rule.model_copy(update={"n_max": n_max})
            found = measure(design, effect, np.eye(1), studies)
            saved = [_saved(one, fixed) for one in (found.null, found.planned)]
            yield _line((str(fixed), f"{design.n_min}-{n_max}", name, _share(found.planned), *saved))


def _header(names: Sequence[str] = COLUMNS, left: int = 3) -> tuple[str, str]:
    return _line(names), _line([":---"] * left + ["---:"] * (len(names) - left))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _row(design: SequentialDesign, found: Measured) -> str:
    level = found.null.better + found.null.worse
    cells = (
        f"{design.n_min}-{design.n_max}",
        _spending(design),
        f"{design.futility_chance:.1%} at {design.futility_confidence:.0%}" if design.futility_chance else "none",
        f"{level:.4f}",
        f"{found.level_without_futility:.4f}",
        _share(found.planned),
        f"{found.null.mean_n:.2f}",
        f"{found.planned.mean_n:.2f}",
        _saved(found.null, FIXED),
        _saved(found.planned, FIXED),
        str(_quantile(found.planned, 0.9)),
    )
    return _line(cells)


def _share(found: Characteristics) -> str:
    return f"{found.better:.4f} ± {found.share_error(found.better):.4f}"


def _spending(design: SequentialDesign) -> str:
    known = {
        "power": f"power {design.spending_parameter:g}",
        "hwang_shih_decani": f"HSD {design.spending_parameter:g}",
        "obrien_fleming": "O'Brien-Fleming",
        "pocock": "Pocock",
    }
    return known[design.spending] + ("" if design.spending_starts_at_first_look else ", all pairs")


def _saved(found: Characteristics, fixed: int) -> str:
    return f"{100 - 100 * found.mean_n / fixed:.1f} ± {100 * found.mean_n_error / fixed:.1f} %"


def _quantile(found: Characteristics, share: float) -> int:
    reached = np.cumsum(list(found.ended.values()))
    return list(found.ended)[int(np.argmax(reached >= share - 1e-12))]


def main(arguments: Sequence[str]) -> int:
    """Prints all tables; the one argument, if given, is the number of studies a cell. Returns the exit code."""
    if len(arguments) > 1 or not all(argument.isdigit() and int(argument) > 1 for argument in arguments):
        sys.stderr.write(f"studies a cell: one whole number above 1, got {' '.join(arguments)!r}\n")
        return InputError.exit_code
    studies = int(arguments[0]) if arguments else STUDIES
    for lines in (one_summary(studies), every_summary(studies), other_sizes(studies)):
        for line in lines:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
