"""Small plans, and a study folder whose runs are the stand-ins of tests/fakes."""

import json
import subprocess
import sys
from pathlib import Path

from policies.base import PolicySpec
from tools.study.manage import approve, create_study
from tools.study.plan import Analysis, Arm, PlannedBenchmark, StudyPlan
from tools.study.study import Study
from training.recipe import CostModel, Recipe

FAKES = Path(__file__).resolve().parent.parent / "fakes"
SUPERVISOR = (sys.executable, str(FAKES / "fake_supervisor.py"))
BENCHMARKS = {"math500": "math", "gsm8k": "math", "kk_hard": "logic", "gpqa_diamond": "science"}


def recipe(**changes: object) -> Recipe:
    values: dict[str, object] = {
        "name": "toy",
        "title": "A toy",
        "toy": True,
        "device": "cpu",
        "devices": 1,
        "model": "builtin:none",
        "data": "builtin:none",
        "suite": "tiny-12",
        "steps": 4,
        "prompts_per_step": 2,
        "rollouts_per_prompt": 2,
        "max_prompt_tokens": 8,
        "max_response_tokens": 4,
        "temperature": 1.0,
        "learning_rate": 2e-4,
        "weight_decay": 0.01,
        "clip_gradient_norm": 1.0,
        "kl_coefficient": 0.001,
        "checkpoint_every": 2,
        "cost": CostModel(startup_s=10, step_s=5, scoring_s=6, disk_mb=2, source="made up"),
    }
    return Recipe.model_validate(values | changes)


def plan(**changes: object) -> StudyPlan:
    values: dict[str, object] = {
        "question": "does tscl beat static?",
        "title": "tscl against static",
        "arms": (
            Arm(id="static", role="control", policy=PolicySpec(name="static")),
            Arm(id="tscl", role="treatment", policy=PolicySpec(name="tscl", parameters={"temperature": 1.0})),
        ),
        "seeds": (1, 2),
        "recipe": recipe(),
        "benchmarks": tuple(
            PlannedBenchmark(id=name, domain=domain, questions=100, sha256=f"{name}-v1")
            for name, domain in BENCHMARKS.items()
        ),
        "analysis": Analysis(family_size=1, summaries={"flat": dict.fromkeys(BENCHMARKS, 0.25)}, primary="flat"),
        "artifacts": {"model": "m" * 64},
        "versions": {"verl": "0.9.1"},
    }
    return StudyPlan.model_validate(values | changes)


def new_study(root: Path, *, approved: bool = True, ceiling: float | None = None, **behaviour: str) -> Study:
    """An approved study; `behaviour`: `tscl_1="crash"` for arm tscl, seed 1."""
    study = create_study(plan(), root)
    modes = {f"{key.rpartition('_')[0]}/seed-{key.rpartition('_')[2]}": mode for key, mode in behaviour.items()}
    (study.folder / "behaviour.json").write_text(json.dumps(modes))
    if approved:
        approve(study, "a person", ceiling)
    return study


def set_behaviour(study: Study, **behaviour: str) -> None:
    modes = {f"{key.rpartition('_')[0]}/seed-{key.rpartition('_')[2]}": mode for key, mode in behaviour.items()}
    (study.folder / "behaviour.json").write_text(json.dumps(modes))


def supervise_here(study: Study, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Runs the supervisor to its end and returns it."""
    return subprocess.run(
        [*SUPERVISOR, str(study.folder), *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def executed(study: Study) -> list[str]:
    """One `arm seed attempt` for each execution of a run."""
    record = study.folder / "executed.txt"
    return record.read_text().splitlines() if record.exists() else []


def moments(study: Study) -> list[str]:
    """Every `kind n` that the supervisors passed."""
    return (study.folder / "moments.txt").read_text().splitlines()
