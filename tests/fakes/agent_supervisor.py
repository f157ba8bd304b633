"""A supervisor whose runs and scores are stand-ins and whose report is the real one: `agent_supervisor.py STUDY_DIR`.

With `--score JOBS.json` it is its own scorer: the planned benchmarks, all at 50 points.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

from fake_supervisor import services

from tools.study.folder import Study
from tools.study.supervisor.supervise import supervise
from tools.write_report import evaluate
from training.benchmarks.catalog import suite
from training.data.tiny_benchmarks import benchmark_sha256
from training.launchers.local import LocalLauncher

TITLE = "Does tscl beat static? One seed pair cannot say: it gives a difference but no interval"


def score(jobs_file: Path) -> None:
    for job in json.loads(jobs_file.read_text())["jobs"]:
        answers = Path(job["answers"])
        answers.mkdir(parents=True, exist_ok=True)
        rows = [
            {"benchmark": row.id, "domain": row.domain, "score": 50.0, "questions": row.questions}
            | {"sha256": benchmark_sha256(row.suite, row.id)}
            for row in suite(job["suite"])
        ]
        content = {"schema_version": 1, "suite": job["suite"], "harness": "fake", "scores": rows}
        (answers / "scores.json").write_text(json.dumps(content))


def main(folder: Path) -> int:
    stand_ins = services(lambda _: None)
    own = (sys.executable, __file__, "--score")
    launcher = LocalLauncher(run_command=stand_ins.launcher.run_command, score_command=own)
    return supervise(Study(folder), replace(stand_ins, launcher=launcher, evaluate=evaluate))


if __name__ == "__main__":
    if sys.argv[1] == "--score":
        score(Path(sys.argv[2]))
    else:
        sys.exit(main(Path(sys.argv[1])))
