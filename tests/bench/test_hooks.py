"""What our hooks cost in a training step, for every policy, beside verl's own trainer: `make bench`. Target: 2 %.

Two measures. The hooks' own seconds, which the trainer (`timing_s/advisor`) and the loss in the worker
(`actor/advisor_timing_s`) report, over the step's seconds: precise, also on a busy machine. And paired runs, verl's own
synchronous trainer, data loader and loss against ours with `baseline`, in turns: what a person would time, and noisy.
Both sides of a pair run on our CPU platform, rollout server and replay buffer (verl's own polls every two seconds).
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from policies.registry import names, resolve
from training.attempt import adopt_orphans, end_descendants
from training.environment import training_environment
from training.prepare import prepare
from training.recipe import load_recipe
from training.run_files import RunFiles, read_metrics
from training.run_spec import RunSpec

pytest.importorskip("verl", reason="needs the train extra")

STEPS, WARM = 10, 2
"""Steps of a run, and its first ones, which are not counted."""
PAIRS = 3


def steps(folder: Path, policy: str, *, stock: bool = False) -> list[dict[str, float]]:
    """Metrics of the counted steps of a real run; `stock`: with verl's own trainer, data loader and loss."""
    files = RunFiles(folder)
    parameters = {"warmup": 2} if "warmup" in resolve(policy).parameters else {}
    spec = RunSpec(
        recipe=load_recipe("tiny-cpu", steps=STEPS), policy=resolve(policy, parameters), seed=1, deadline_s=900
    )
    attempt = files.attempt(1)
    folder.mkdir(parents=True, exist_ok=True)
    prepare(spec, attempt)
    if stock:
        config = yaml.safe_load(files.config.read_text())
        config["trainer"]["v1"]["trainer_mode"] = "sync"
        config["actor_rollout_ref"]["actor"]["policy_loss"]["loss_mode"] = "vanilla"
        files.config.write_text(yaml.safe_dump(config, sort_keys=False))
    with tempfile.TemporaryDirectory(prefix="adv-", ignore_cleanup_errors=True) as ray_temp:
        command = [sys.executable, "-m", "training.driver", str(attempt.folder), ray_temp]
        environment = training_environment(attempt.metrics) | {"TMPDIR": ray_temp}
        with attempt.log.open("wb") as log:
            subprocess.run(command, cwd=folder, env=environment, check=True, stdout=log, stderr=subprocess.STDOUT)
        end_descendants()
    rows = read_metrics(attempt.metrics)
    assert list(rows) == list(range(1, STEPS + 1))
    return [rows[step] for step in range(WARM + 1, STEPS + 1)]


@pytest.fixture(autouse=True)
def _orphans_are_ours() -> Iterator[None]:
    adopt_orphans()
    yield
    end_descendants()


@pytest.mark.bench
@pytest.mark.parametrize("policy", names())
def test_the_hooks_share_of_a_step(policy: str, tmp_path: Path) -> None:
    found = steps(tmp_path, policy)
    hooks = [row["timing_s/advisor"] + row["actor/advisor_timing_s"] for row in found]
    whole = [row["timing_s/step"] for row in found]
    share = statistics.median(ours / all_ for ours, all_ in zip(hooks, whole, strict=True))
    took, step = statistics.median(hooks), statistics.median(whole)
    print(f"\n{policy}: hooks {1e3 * took:.1f} ms of {step:.2f} s a step, {share:.2%}")  # noqa: T201
    assert share <= 0.02


@pytest.mark.bench
def test_paired_with_verls_own_trainer(tmp_path: Path) -> None:
    times: dict[str, list[float]] = {"stock": [], "ours": []}
    for pair in range(PAIRS):
        for kind in ("stock", "ours") if pair % 2 == 0 else ("ours", "stock"):
            found = steps(tmp_path / f"{kind}-{pair}", "baseline", stock=kind == "stock")
            assert ("timing_s/advisor" in found[0]) == (kind == "ours")
            times[kind].append(statistics.median(row["timing_s/step"] for row in found))
    ratios = [ours / stock - 1 for ours, stock in zip(times["ours"], times["stock"], strict=True)]
    print(  # noqa: T201
        f"\nseconds a step, verl's own {[round(one, 3) for one in times['stock']]}, "
        f"ours {[round(one, 3) for one in times['ours']]}; ours more by {[f'{one:+.1%}' for one in ratios]}, "
        f"median {statistics.median(ratios):+.1%}"
    )
    assert statistics.median(ratios) <= 0.02
