"""Stands in for `python -m training.run RUN_DIR`: the same files and lock, no training.

How it behaves is read from FOLDER/behaviour.json, FOLDER being the nearest parent that has one:
{"<arm>/seed-<n>": "ok" | "fail" | "fail-late" | "broken" | "hang" | "crash" | "crash-once" | "unusable"}; default "ok".
`fail` is a training failure without a checkpoint, `fail-late` one with (after three steps), `broken` a failure that
tells nothing. Every execution that got the lock appends a line to FOLDER/executed.txt.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from policies.errors import InputError
from training.support.run_lock import RunLock


def behaviour(run_dir: Path) -> tuple[Path, str]:
    for folder in run_dir.parents:
        if (folder / "behaviour.json").is_file():
            wanted = json.loads((folder / "behaviour.json").read_text())
            return folder, wanted.get(f"{run_dir.parent.parent.name}/{run_dir.parent.name}", "ok")
    raise SystemExit("no behaviour.json")


def write_records(run_dir: Path, spec: dict, steps: int) -> None:
    """What matching and delivery are judged from; tscl leans to math, less so the hotter, everything else is even."""
    policy = spec["policy"]
    lean = 0.4 * policy["parameters"].get("temperature", 1.0) ** -0.1
    share = 0.5 + (lean if policy["name"] == "tscl" else 0.0)
    shares = {"math": share, "logic": 1 - share}
    config = {"advisor": {"seed": spec["seed"], "replicate": spec["replicate"], "policy": policy}}
    config["advisor"]["delivery_file"] = f"{run_dir}/delivery.jsonl"
    facts = {"environment": {"OMP_NUM_THREADS": "1"}, "artifacts": {}, "versions": {}, "hardware": "cpu fake"}
    (run_dir / "config.yaml").write_text(json.dumps(config))
    (run_dir / "argv.txt").write_text("trainer.total_training_steps=4\n")
    (run_dir / "facts.json").write_text(json.dumps(facts))
    with (run_dir / "delivery.jsonl").open("w") as delivery:
        for step in range(1, steps + 1):
            record = {
                "step": step,
                "prompts": 2,
                "rollouts": 4,
                "prompt_stream": f"{share}-{step}",
                "requested_shares": shares,
                "realised_shares": shares,
                "effective_sample_size": 4.0,
                "domain_rewards": {"math": 0.5, "logic": 0.5},
            }
            delivery.write(json.dumps(record) + "\n")


def main(run_dir: Path) -> int:
    folder, mode = behaviour(run_dir)
    if mode == "unusable":
        sys.stderr.write("error: run.json cannot be used\n")
        return 2
    try:
        with RunLock(run_dir / "run.lock"):
            return run(run_dir, folder, mode)
    except InputError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2


def run(run_dir: Path, folder: Path, mode: str) -> int:
    if (run_dir / "result.json").exists():
        return 0
    spec = json.loads((run_dir / "run.json").read_text())
    attempt = 1 + len(list(run_dir.glob("attempts/*")))
    (run_dir / "attempts" / str(attempt)).mkdir(parents=True)
    with (folder / "executed.txt").open("a") as record:
        record.write(f"{run_dir.parent.parent.name} {spec['seed']} {attempt}\n")
    (run_dir / "environment.json").write_text(json.dumps(dict(os.environ)))
    steps = 3 if mode == "fail-late" else spec["recipe"]["steps"]
    with (run_dir / "attempts" / str(attempt) / "metrics.jsonl").open("w") as metrics:
        for step in range(1, steps + 1):
            data = {
                "critic/rewards/mean": (step + spec["replicate"] / 10) / 100,
                "timing_s/step": 0.5,
                "response_length/mean": 3.0,
            }
            metrics.write(json.dumps({"step": step, "data": data}) + "\n")
            metrics.flush()
            if step == 2 and mode == "hang":
                part = folder / "hanging.part"
                part.write_text(str(os.getpid()))
                part.replace(folder / "hanging.txt")  # who waits for the file reads the number at once
                signal.alarm(90)  # a test that fails leaves nothing behind for long
                signal.pause()
            if step == 2 and (mode == "crash" or (mode == "crash-once" and attempt == 1)):
                os.kill(os.getpid(), signal.SIGKILL)
    write_records(run_dir, spec, steps)
    export = run_dir / "export"
    export.mkdir(exist_ok=True)
    (export / "seed.json").write_text(json.dumps({"arm": run_dir.parent.parent.name, "seed": spec["seed"]}))
    failed = mode in ("fail", "fail-late", "broken")
    result = {
        "outcome": "failed" if failed else "done",
        "failure": "training" if mode.startswith("fail") else None,
        "reason": "" if not failed else "KeyError: 'x'" if mode == "broken" else "loss is NaN at step 2",
        "attempt": attempt,
        "steps_done": steps,
        "wall_s": 36.0,
        "device_hours": 0.01,
        "export": None if mode in ("fail", "broken") else "export",
    }
    part = run_dir / "result.part"
    part.write_text(json.dumps(result))
    part.replace(run_dir / "result.json")
    return 1 if failed else 0


if __name__ == "__main__":
    started = time.time()
    sys.exit(main(Path(sys.argv[1])))
