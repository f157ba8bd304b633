"""Report material for tests: small fixed studies that end in each verdict."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from policies.base import PolicySpec
from tests.tools.score_tables import DOMAINS
from tools.evaluation.material import Approval, Curve, Deviation, Matching, Mismatch, Outcome, ReportMaterial, ReportRun
from tools.plan.analysis import Analysis
from tools.plan.prior import Prior
from tools.plan.study_plan import Arm, PlannedBenchmark, StudyPlan
from tools.scores.summaries import verdict_set
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.delivery_model import Delivery
from tools.statistics.power.model import PowerStatement
from tools.statistics.power.statement import power_statement
from tools.statistics.verdict import judge
from training.recipe import CostModel, Recipe

NOISE = np.array(
    [
        [0.4, -0.9, 0.3, 0.8, -0.2, -0.6, 1.1, -0.4, 0.2, -0.7, 0.5, 0.6],
        [-0.8, 0.2, -0.5, 0.4, 0.9, 0.3, -1.2, 0.6, -0.3, 1.0, -0.6, -0.1],
        [0.5, 0.6, -0.1, -1.0, -0.4, 0.7, 0.3, -0.8, 0.9, -0.2, 0.4, -0.9],
        [-0.2, 0.3, 0.7, -0.5, 0.1, -0.9, 0.6, 0.2, -0.6, 0.4, -0.8, 0.7],
        [0.1, -0.4, -0.6, 0.5, -0.3, 0.8, -0.7, 0.3, 0.5, -0.9, 0.2, -0.2],
    ]
)
"""Five seeds by twelve benchmarks, score points; fixed, so that reports are."""
SHIFT = (0.9, -0.7, 0.4, -1.0, 0.6)
"""What a seed adds to all benchmarks."""
DELIVERED = Delivery(
    status="delivered", dose=0.2134, minimum_dose=0.05, by_seed={"1": 0.21, "2": 0.2202, "3": 0.21}, kind="mixture",
    control_dose=0.0, steps=60,
)  # fmt: skip
WEAK = DELIVERED.model_copy(update={"status": "weak", "dose": 0.031, "by_seed": {"1": 0.03, "2": 0.032, "3": 0.031}})
NOT_DELIVERED = Delivery(
    status="not_delivered", dose=0.0021, minimum_dose=0.05, by_seed={"1": 0.002, "2": 0.0022, "3": 0.0021},
    kind="mixture", control_dose=0.0, steps=60, reasons=("dose 0.0021 is below the apportionment error 0.0312",),
)  # fmt: skip
NOT_RECORDED = Delivery(status="not_recorded")
Effect = float | Sequence[float]


def recipe(**changes: object) -> Recipe:
    values = {
        "name": "tiny-cpu", "title": "A tiny model", "toy": True, "device": "cpu", "devices": 1,
        "model": "builtin:tiny-qwen2", "data": "builtin:tiny", "suite": "tiny-12", "steps": 60, "prompts_per_step": 16,
        "rollouts_per_prompt": 5, "max_prompt_tokens": 48, "max_response_tokens": 8, "temperature": 1.0,
        "learning_rate": 2e-4, "weight_decay": 0.01, "clip_gradient_norm": 1.0, "kl_coefficient": 0.001,
        "checkpoint_every": 10, "cost": CostModel(startup_s=36, step_s=1.5, scoring_s=8, disk_mb=8, source="measured"),
    }  # fmt: skip
    return Recipe.model_validate(values | changes)


def plan(treatments: Sequence[str] = ("tscl",), seeds: int = 3, **changes: object) -> StudyPlan:
    arms = (
        Arm(id="static", role="control", policy=PolicySpec(name="static", parameters={})),
        *(
            Arm(id=name, role="treatment", policy=PolicySpec(name=name, parameters={"floor": 0.05}))
            for name in treatments
        ),
    )
    values = {
        "question": f"does {' or '.join(treatments)} beat static?",
        "arms": arms,
        "seeds": tuple(range(1, seeds + 1)),
        "recipe": recipe(),
        "benchmarks": tuple(
            PlannedBenchmark(id=name, domain=domain, questions=120, sha256="ab" * 32)
            for name, domain in DOMAINS.items()
        ),
        "analysis": Analysis(family_size=len(treatments), summaries=verdict_set(DOMAINS)),
        "artifacts": {"model": "0123456789abcdef" * 4, "reward": "fedcba9876543210" * 4},
        "versions": {"torch": "2.11.0", "verl": "0.9.1"},
    }
    return StudyPlan.model_validate(values | changes)


def scores(effects: Mapping[str, Effect], seeds: int = 3, spread: float = 1.0) -> tuple[ScoreRow, ...]:
    """Control around 50, each treatment the effect above it (a number, or one a benchmark), plus fixed noise."""
    rows = []
    for at, (arm, effect) in enumerate({"static": 0.0, **effects}.items()):
        levels = np.broadcast_to(np.asarray(effect, dtype=float), (len(DOMAINS),))
        for seed in range(seeds):
            noise = spread * (np.roll(NOISE[seed % len(NOISE)], 5 * at) + SHIFT[(seed + at) % len(SHIFT)])
            values = 50.0 + 2.0 * np.arange(len(DOMAINS)) + levels + noise
            rows += [
                ScoreRow(
                    arm=arm,
                    seed=seed + 1,
                    suite="tiny-12",
                    benchmark=name,
                    domain=domain,
                    score=round(float(score), 4),
                    questions=120,
                    harness="h1",
                )
                for (name, domain), score in zip(DOMAINS.items(), values, strict=True)
            ]
    return tuple(rows)


def material(
    effects: Mapping[str, Effect],
    *,
    seeds: int = 3,
    spread: float = 1.0,
    delivery: Delivery = DELIVERED,
    rows: tuple[ScoreRow, ...] | None = None,
    mismatches: tuple[Mismatch, ...] = (),
    failures: Mapping[str, int] | None = None,
    summaries: Mapping[str, Mapping[str, float]] | None = None,
    **changes: object,
) -> ReportMaterial:
    """A judged study; `summaries`: the verdict set, the primary first; `changes` replace fields of the material."""
    agreed = plan(tuple(effects), seeds)
    if summaries is not None:
        analysis = agreed.analysis.model_copy(update={"summaries": summaries, "primary": next(iter(summaries))})
        agreed = agreed.model_copy(update={"analysis": analysis})
    rows = scores(effects, seeds, spread) if rows is None else rows
    verdict = judge(
        ScoreTable.from_rows(rows),
        "static",
        tuple(effects),
        agreed.analysis,
        dict.fromkeys(effects, delivery),
        failures,
        planned_seeds=agreed.seeds,
        mismatches={one.treatment: (f"{one.key} differs",) for one in mismatches},
    )
    compared = ("resolved config", "artifact hashes")
    values = {
        "study_id": "tscl-vs-static-1a2b3c",
        "plan": agreed,
        "plan_hash": "c0ffee" * 10 + "c0ff",
        "verdict": verdict,
        "scores": rows,
        "matching": Matching(pairs=seeds * len(effects), compared=compared, differences=mismatches),
        "power": power(seeds, len(effects)),
        "runs": runs(agreed),
        "approval": Approval(who="ada", when="2026-07-21T10:00:00Z", ceiling_device_hours=0.5),
        "curves": curves(agreed),
        "outcomes": (response_length(agreed),),
        "hardware": {"cpu": "2 cores"},
        "versions": {"torch": "2.11.0+cpu", "verl": "0.9.1"},
        "commands": ('advisor ask "does tscl beat static?" --yes', "advisor report tscl-vs-static-1a2b3c"),
    }
    return ReportMaterial.model_validate(values | changes)


@cache
def power(seeds: int, treatments: int) -> PowerStatement:
    """From a prior with made-up SDs and no covariance: exact, no simulation, so the same on every machine."""
    spread = {"domain_balanced_12": 0.7, "flat_12": 0.6, "math_heavy_6": 0.74, "no_math": 0.9, "no_logic": 0.8}
    prior = Prior(names=("tiny-cpu",), source="made up for tests", df=22, sd=spread | {"no_science": 0.5})
    names = ("tscl", "reward_gap", "dump_ucb")[:treatments]
    made = plan(names, seeds)
    return power_statement(len(made.seeds), made.analysis, prior, np.random.default_rng(0))


def runs(agreed: StudyPlan) -> tuple[ReportRun, ...]:
    return tuple(
        ReportRun(
            arm=arm.id,
            seed=seed,
            state="done",
            attempts=1,
            steps=60,
            wall_s=100.25 + seed,
            device_hours=0.0281,
            folder=f"runs/main/{arm.id}/seed-{seed}/0a1b2c3d",
        )
        for arm in agreed.arms
        for seed in agreed.seeds
    )


def curves(agreed: StudyPlan) -> tuple[Curve, ...]:
    return tuple(
        Curve(arm=arm.id, seed=seed, points=tuple((step, _reward(step, seed, at)) for step in range(1, 61)))
        for at, arm in enumerate(agreed.arms)
        for seed in agreed.seeds
    )


def _reward(step: int, seed: int, arm: int) -> float:
    wobble = NOISE[seed % len(NOISE), (step + 3 * arm) % NOISE.shape[1]]
    return round(0.75 - 0.4 * float(np.exp(-step / (25 + 5 * arm))) + 0.02 * float(wobble), 4)


def response_length(agreed: StudyPlan) -> Outcome:
    values = {
        arm.id: {str(seed): 4.0 + 0.1 * at + 0.05 * seed * (1 + at) for seed in agreed.seeds}
        for at, arm in enumerate(agreed.arms)
    }
    return Outcome(name="response length", unit="tokens", decimals=2, values=values)


SPLIT = (4.0, 4.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0, 0.0, -4.0, -4.0, -4.0)
"""Above the control in math, below it in science."""


def lost_pair() -> ReportMaterial:
    """Five planned seeds, the last one scored in the control only."""
    rows = tuple(row for row in scores({"tscl": 5.0}, 5) if (row.arm, row.seed) != ("tscl", 5))
    deviation = Deviation(when="2026-07-21T10:09:00Z", what="tscl seed 5 failed: reward is not finite | stopped")
    return material({"tscl": 5.0}, seeds=5, rows=rows, failures={"tscl": 1}, deviations=(deviation,))


@cache
def cases() -> dict[str, ReportMaterial]:
    """Name -> material: each verdict, and the flags that change what is said."""
    mixed = tuple(
        row.model_copy(update={"harness": "h2"}) if row.arm == "tscl" else row for row in scores({"tscl": 0.2})
    )
    unmatched = (Mismatch(treatment="tscl", seed=1, key="data.seed", control_value="1", treatment_value="None | `7`"),)
    science_alike = tuple(
        row if row.domain != "science" else row.model_copy(update={"score": 50.0}) for row in scores({"tscl": 0.2})
    )
    flat = dict.fromkeys(DOMAINS, 1 / 12)
    return {
        "inconclusive": material({"tscl": 0.2}),
        "inconclusive_weak": material({"tscl": 0.2}, delivery=WEAK),
        "inconclusive_not_recorded": material(
            {"tscl": -0.2}, delivery=NOT_RECORDED, matching=None, runs=(), approval=None
        ),
        "equivalent": material({"tscl": 0.1}, seeds=5, spread=0.4),
        "equivalent_weak": material({"tscl": 0.1}, seeds=5, spread=0.4, delivery=WEAK),
        "better": material({"tscl": 6.0}, seeds=5),
        "better_weak": material({"tscl": 6.0}, seeds=5, delivery=WEAK),
        "better_negligible": material({"tscl": 0.5}, seeds=5, spread=0.2),
        "worse": material({"tscl": -6.0}, seeds=5),
        "depends": material({"tscl": SPLIT}, seeds=5),
        "depends_one_way": material({"tscl": (4.0,) * 5 + (0.0,) * 4 + (-1.0,) * 3}, seeds=5),
        "two_seeds": material({"tscl": 0.2}, seeds=2, spread=9.0),
        "one_summary": material({"tscl": 0.2}, summaries={"flat_12": flat}),
        "partly_stuck": material(
            {"tscl": 0.2}, rows=science_alike, summaries={"flat_12": flat, "gpqa": {"gpqa_diamond": 1.0}}
        ),
        "one_seed_weak": material({"tscl": 1.0}, seeds=1, delivery=WEAK),
        "unmatched_weak": material({"tscl": 0.2}, mismatches=unmatched, delivery=WEAK),
        "several_weak": material({"tscl": 0.1, "reward_gap": 6.0}, seeds=5, delivery=WEAK),
        "not_delivered": material({"tscl": 6.0}, seeds=5, delivery=NOT_DELIVERED),
        "one_seed": material({"tscl": 1.0}, seeds=1),
        "identical": material({"tscl": 0.0}, spread=0.0),
        "no_pair": material({"tscl": 0.0}, rows=scores({"tscl": 0.0})[:36], failures={"tscl": 3}),
        "mixed_harness": material({"tscl": 0.2}, rows=mixed),
        "unmatched": material({"tscl": 0.2}, mismatches=unmatched),
        "lost_pair": lost_pair(),
        "several": material({"tscl": 6.0, "reward_gap": 0.2, "dump_ucb": SPLIT}, seeds=5),
        "several_negative": material({"tscl": 0.1, "reward_gap": 0.2}),
    }
