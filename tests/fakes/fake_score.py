"""Stands in for `python -m training.score JOBS.json`: scores depend on arm, seed and benchmark only."""

import json
import sys
import zlib
from pathlib import Path

BENCHMARKS = {"math500": "math", "gsm8k": "math", "kk_hard": "logic", "gpqa_diamond": "science"}


def main(jobs_file: Path) -> int:
    for job in json.loads(jobs_file.read_text())["jobs"]:
        answers = Path(job["answers"])
        if (answers / "scores.json").exists():
            continue
        answers.mkdir(parents=True, exist_ok=True)
        who = (Path(job["export"]) / "seed.json").read_text()
        scores = [
            {
                "benchmark": name,
                "domain": domain,
                "score": zlib.crc32(f"{who}{name}".encode()) % 101,
                "questions": 100,
                "sha256": f"{name}-v1",
            }
            for name, domain in BENCHMARKS.items()
        ]
        content = {"schema_version": 1, "suite": job["suite"], "harness": "fake", "scores": scores}
        part = answers / "scores.part"
        part.write_text(json.dumps(content))
        part.replace(answers / "scores.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
