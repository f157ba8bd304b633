"""Stands in for `python -m training.score JOBS.json`: scores depend on arm, seed and benchmark only.

Anything from 0 to 100, or with STUDY/effects.json ({arm: points}) 50 plus the arm's effect plus noise of up to a point.
"""

import json
import sys
import zlib
from pathlib import Path

BENCHMARKS = {"math500": "math", "gsm8k": "math", "kk_hard": "logic", "gpqa_diamond": "science"}


def score(who: str, name: str, effects: dict[str, float] | None) -> float:
    chance = zlib.crc32(f"{who}{name}".encode()) % 101
    return chance if effects is None else 50 + effects.get(json.loads(who)["arm"], 0.0) + chance / 100


def main(jobs_file: Path) -> int:
    given = jobs_file.parents[2] / "effects.json"
    effects = json.loads(given.read_text()) if given.exists() else None
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
                "score": score(who, name, effects),
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
