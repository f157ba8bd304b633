"""What the sequential design promises: its error does not grow by looking, whatever the truth."""

from collections.abc import Iterator

import numpy as np

from tests.calibration.claims import SESOI, SIX, Measured, claim
from tests.calibration.studies import MODELS, covariance, least_favourable_error
from tools.plan.sequential_design import SequentialDesign
from tools.statistics.sequential.characteristics import characteristics

STUDIES = 50_000
DESIGN = SequentialDesign(n_max=18)
BOUNDS_ALONE = DESIGN.model_copy(update={"futility_chance": 0.0})
"""Futility is non-binding: the error must hold for somebody who never stops for it."""
FIXED_PAIRS = 12
PLANNED = 0.889
"""Effect / SD that 12 fixed pairs see with probability .80 (one summary, level .05)."""


@claim
def sequential_level(rng: np.random.Generator) -> Iterator[Measured]:
    """One summary, no effect: a study that looks after every seed from the fifth on errs in at most 5 %."""
    one = np.ones((1, 1))
    for name, design in (("with futility", DESIGN), ("bounds alone", BOUNDS_ALONE)):
        found = characteristics(design, np.zeros(1), one, 0.05, rng, studies=STUDIES)
        wrong = found.better + found.worse
        yield Measured("sequential, one summary: stops for efficacy at no effect", name, STUDIES, wrong, "<= 0.05")


@claim
def sequential_savings(rng: np.random.Generator) -> Iterator[Measured]:
    """Against 12 fixed pairs of the same power (.80): seeds saved, as a share, and the power."""
    one = np.ones((1, 1))
    for name, effect, saved in (("at no effect", 0.0, 0.35), ("at the planned effect", PLANNED, 0.15)):
        found = characteristics(DESIGN, np.array([effect]), one, 0.05, rng, studies=STUDIES)
        share = 1.0 - found.mean_n / FIXED_PAIRS
        yield Measured("sequential, one summary: seeds saved", name, STUDIES, share, f">= {saved}")
        if effect:
            yield Measured("sequential, one summary: power", name, STUDIES, found.better, ">= 0.8")


@claim
def sequential_supported(rng: np.random.Generator) -> Iterator[Measured]:
    """Stopping when all six cross, one summary exactly 0 and the rest huge: at most alpha / 2 a side, also with k."""
    for model in MODELS:
        for k in (1, 3):
            worst = least_favourable_error(BOUNDS_ALONE, covariance(model, SIX), 0.05 / k, rng, studies=STUDIES // 2)
            setting = f"{model}, k = {k}, bounds alone, worst of six"
            yield Measured("`supported` under stopping, one summary exactly 0", setting, STUDIES // 2,
                           float(worst.max()), f"<= {0.025 / k:.4f}")  # fmt: skip


@claim
def sequential_verdicts_at_no_effect(rng: np.random.Generator) -> Iterator[Measured]:
    """Nothing differs: `supported` or `depends_on_summary` at the stop in at most 5 % of studies."""
    for model in MODELS:
        cov = covariance(model, SIX)
        for name, design in (("with futility", DESIGN), ("bounds alone", BOUNDS_ALONE)):
            found = characteristics(design, np.zeros(len(cov)), cov, 0.05, rng, sesoi=SESOI, studies=STUDIES)
            for verdict in ("supported", "depends_on_summary"):
                yield Measured(f"`{verdict}` under stopping, at no effect", f"{model}, {name}", STUDIES,
                               found.verdicts.get(verdict, 0.0), "<= 0.05")  # fmt: skip


@claim
def sequential_equivalent_at_the_edge(rng: np.random.Generator) -> Iterator[Measured]:
    """One summary's true difference is exactly the SESOI: `negative_equivalent` at the stop in at most alpha / 2."""
    for model in MODELS[:1]:
        cov = covariance(model, SIX)
        worst = 0.0
        for edge in range(len(cov)):
            effects = np.where(np.arange(len(cov)) == edge, SESOI, 0.0)
            found = characteristics(DESIGN, effects, cov, 0.05, rng, sesoi=SESOI, studies=STUDIES // 2)
            worst = max(worst, found.verdicts.get("negative_equivalent", 0.0))
        setting = f"{model}, with futility, worst of six"
        yield Measured("equivalent under stopping, one summary exactly at SESOI", setting, STUDIES // 2, worst,
                       "<= 0.025")  # fmt: skip
