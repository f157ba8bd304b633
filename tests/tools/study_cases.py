"""Small plans, and a study folder whose runs are the stand-ins of tests/fakes."""

import fcntl
import json
import multiprocessing
import os
import sys
from pathlib import Path
from typing import NamedTuple

import fake_supervisor

from policies.base import PolicySpec
from tools.plan.analysis import Analysis
from tools.plan.sequential_design import SequentialDesign
from tools.plan.study_plan import Arm, PlannedBenchmark, StudyPlan
from tools.study.folder import Study
from tools.study.lifecycle import approve, create_study
from training.recipe import CostModel, Recipe

FAKES = Path(__file__).resolve().parent.parent / "fakes"
FixedIdentity = fake_supervisor.FixedIdentity

SUPERVISOR = (sys.executable, str(FAKES / "fake_supervisor.py"))
DESIGN = SequentialDesign(n_min=3, n_max=6)
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


def new_study(
    root: Path,
    *,
    approved: bool = True,
    ceiling: float | None = None,
    seeds: tuple[int, ...] = (1, 2),
    **behaviour: str,
) -> Study:
    """An approved study; `behaviour`: `tscl_1="crash"` for arm tscl, seed 1."""
    study = create_study(plan(seeds=seeds), root)
    modes = {f"{key.rpartition('_')[0]}/seed-{key.rpartition('_')[2]}": mode for key, mode in behaviour.items()}
    (study.folder / "behaviour.json").write_text(json.dumps(modes))
    if approved:
        approve(study, "a person", ceiling)
    return study


def set_behaviour(study: Study, **behaviour: str) -> None:
    modes = {f"{key.rpartition('_')[0]}/seed-{key.rpartition('_')[2]}": mode for key, mode in behaviour.items()}
    (study.folder / "behaviour.json").write_text(json.dumps(modes))


class Ended(NamedTuple):
    """How a supervisor ended."""

    returncode: int
    stderr: str


def supervise_here(study: Study, *arguments: str) -> Ended:
    """Runs a supervisor in a forked process, which spares each one the imports, and waits for its end."""
    said = study.folder.parent / f"{study.folder.name}.stderr"
    process = multiprocessing.get_context("fork").Process(target=_supervise, args=(study, arguments, said))
    process.start()
    process.join(60)
    assert process.exitcode is not None, "the supervisor did not end within a minute"
    return Ended(process.exitcode, said.read_text())


def _supervise(study: Study, arguments: tuple[str, ...], said: Path) -> None:
    with said.open("w") as stream:
        sys.stderr = stream
        code = fake_supervisor.main([str(study.folder), *arguments])
    os._exit(code)


def executed(study: Study) -> list[str]:
    """One `arm seed attempt` for each execution of a run."""
    record = study.folder / "executed.txt"
    return record.read_text().splitlines() if record.exists() else []


def moments(study: Study) -> list[str]:
    """Every `kind n` that the supervisors passed."""
    return (study.folder / "moments.txt").read_text().splitlines()


def wait_gone(study: Study) -> None:
    """Returns when no run of the study holds its lock: blocks on each lock in turn."""
    for path in study.folder.glob("runs/*/*/*/*/run.json"):
        with (path.parent / "run.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)


def sequential(root: Path, effects: dict[str, float], design: SequentialDesign = DESIGN, **changes: object) -> Study:
    """An approved sequential study whose arms differ by these points, and little by chance."""
    changes = {"seeds": tuple(range(1, design.n_max + 1)), "design": design} | changes
    study = create_study(plan(**changes), root)
    (study.folder / "behaviour.json").write_text("{}")
    (study.folder / "effects.json").write_text(json.dumps(effects))
    approve(study, "a person", 5.0)
    return study


def looks(study: Study) -> list[tuple[str, int, int, str]]:
    """Treatment, blocks, pairs and decision of each look."""
    with study.ledger(read_only=True) as ledger:
        return [(row.treatment, row.blocks, row.n, row.decision) for row in ledger.looks()]
