"""A supervisor whose runs and scores are stand-ins and whose report is one title: `agent_supervisor.py STUDY_DIR`.

With `--score JOBS.json` it is its own scorer: the planned benchmarks, all at 50 points.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "fakes")]

from fake_supervisor import services  # noqa: E402

from tools.study.study import Study  # noqa: E402
from tools.study.supervise import supervise  # noqa: E402
from training.benchmarks.catalog import suite  # noqa: E402
from training.benchmarks.tiny import benchmark_sha256  # noqa: E402
from training.launchers.local import LocalLauncher  # noqa: E402

TITLE = "Does tscl beat static? One pair cannot say"


def evaluate(study: Study) -> None:
    (study.folder / "report").mkdir(exist_ok=True)
    (study.folder / "report" / "report.md").write_text(f"# {TITLE}\n\nmore\n")


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
