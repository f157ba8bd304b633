"""Measures the recipe `tiny-cpu` with real runs: `python tests/bench/measure_tiny_cpu.py OUT [SEEDS]` (30-40 minutes).

Runs the control `static` against `baseline`, `tscl` and a strongly skewed mixture (math 6 : logic 1 : science 1) as one
study in OUT, then prints what the recipe's documentation and the prior table quote: the warm start, each run's
domain-balanced average, each domain's difference under the skew, and writes OUT/rows.json for

    python -m tests.calibration.estimate_prior tiny-cpu OUT/rows.json
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import mean, stdev

from policies.registry import resolve
from tools import catalogue
from tools.design.design_study import design
from tools.evaluation.gather import score_rows
from tools.evaluation.pilots import find_pilot
from tools.plan.intent import StudyIntent
from tools.plan.study_plan import Arm
from tools.scores.summaries import weights
from tools.scores.table import ScoreRow
from tools.study import lifecycle
from tools.study.folder import Study, demand_done
from tools.study.follow import watch
from tools.study.stored import Stored
from training.models import model_path

SKEWED = "static-math=6"


def make_study(folder: Path, seeds: int) -> Study:
    """A study of four arms, approved."""
    intent = StudyIntent(
        question="what does the recipe do?", kind="compare", treatments=("baseline", "tscl"), control="static",
        recipe="tiny-cpu", seeds=seeds,
    )  # fmt: skip
    plan = design(intent, find_pilot=find_pilot)
    skewed = Arm(id=SKEWED, role="treatment", policy=resolve("static", {"shares": "math=6,logic=1,science=1"}))
    analysis = plan.analysis.model_copy(update={"family_size": 3})
    plan = plan.model_copy(update={"arms": (*plan.arms, skewed), "analysis": analysis})
    study = lifecycle.create_study(plan, folder)
    lifecycle.approve(study, "measurement", 10.0)
    return study


def warm_start(folder: Path) -> dict[str, float]:
    """Score of each benchmark before any training."""
    from training.score import main

    jobs = {"jobs": [{"export": str(model_path("builtin:tiny-qwen2")), "suite": "tiny-12", "answers": str(folder)}]}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "jobs.json").write_text(json.dumps(jobs))
    main([str(folder / "jobs.json")])
    content = json.loads((folder / "scores.json").read_text())
    return {row["benchmark"]: float(row["score"]) for row in content["scores"]}


def balanced(scores: Mapping[str, float], domains: Mapping[str, str]) -> float:
    """The domain-balanced average."""
    return sum(scores[name] * weight for name, weight in weights("domain_balanced_12", domains).items())


def tell(rows: tuple[ScoreRow, ...], before: Mapping[str, float]) -> None:
    """Prints the tables."""
    domains = {row.benchmark: row.domain for row in rows}
    by_run: dict[tuple[str, int], dict[str, float]] = {}
    for row in rows:
        by_run.setdefault((row.arm, row.seed), {})[row.benchmark] = row.score
    arms, seeds = sorted({arm for arm, _ in by_run}), sorted({seed for _, seed in by_run})
    say(f"warm start: domain-balanced {balanced(before, domains):.1f}; {rounded(before)}")
    for arm in arms:
        runs = [by_run[arm, seed] for seed in seeds]
        averages = [balanced(run, domains) for run in runs]
        means = {name: mean(run[name] for run in runs) for name in domains}
        say(f"{arm}: domain-balanced by seed {[round(one, 1) for one in averages]}, mean {mean(averages):.1f}, "
            f"SD {stdev(averages):.1f}; means {rounded(means)}")  # fmt: skip
    for domain in sorted(set(domains.values())):
        own = [name for name in domains if domains[name] == domain]
        differences = [
            mean(by_run[SKEWED, seed][name] - by_run["static", seed][name] for name in own) for seed in seeds
        ]
        say(f"skewed - static on {domain}: {[round(one, 1) for one in differences]}, mean {mean(differences):+.1f}, "
            f"SD {stdev(differences):.1f}")  # fmt: skip


def rounded(scores: Mapping[str, float]) -> str:
    """One line of scores."""
    return " ".join(f"{name} {score:.1f}" for name, score in scores.items())


def say(line: str) -> None:
    """To standard output, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Makes or continues the study in OUT; the exit code."""
    out, seeds = Path(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 4
    out.mkdir(parents=True, exist_ok=True)
    note = out / "study.txt"
    if not note.exists():
        note.write_text(str(make_study(out, seeds).folder))
    study = Study(Path(note.read_text()))
    catalogue.launch_runs(study)
    for status in watch(study, 5.0):
        done = sum(run.state == "done" for run in status.runs)
        sys.stderr.write(f"\r{status.state}: {done}/{len(status.runs)} runs done")
    demand_done(study)
    rows = score_rows(Stored.read(study))
    (out / "rows.json").write_text(json.dumps([row.model_dump(mode="json") for row in rows]))
    tell(rows, warm_start(out / "warm-start"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
