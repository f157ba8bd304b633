"""A question becomes real verl GRPO runs and a report; nothing is stood in for.

One small study (two arms, two seeds, a few steps) is run once and looked at from all sides. It starts in a folder that
has `tools/` and `training/` of its own, as a user's folder may.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.runs import computed, environment, exported_sha256, first_step, killed_and_resumed
from training.run_files import RunFiles
from training.run_spec import RunSpec
from training.verl_plugin.delivery_log import read_records

pytest.importorskip("verl", reason="needs the train extra")

STEPS, WARMUP = 5, 2


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished study."""
    folder = tmp_path_factory.mktemp("user")
    for name in ("tools", "training", "policies"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("raise RuntimeError('the user has a package of this name')\n")
    command = [
        str(Path(sys.executable).with_name("advisor")), "ask", f"does tscl with warmup {WARMUP} beat static?",
        "--seeds", "2", "--steps", str(STEPS), "--yes", "--budget", "1h", "--json",
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=folder, env=environment() | {"ADVISOR_HOME": str(folder / "home")}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    return Path(told["report"]).parent.parent


def run_folder(study: Path, arm: str, seed: int) -> Path:
    (folder,) = (study / "runs" / "tiny-cpu" / arm / f"seed-{seed}").iterdir()
    return folder


def test_every_run_reached_its_planned_step_and_left_a_model(study: Path) -> None:
    for arm in ("tscl", "static"):
        for seed in (1, 2):
            files = RunFiles(run_folder(study, arm, seed))
            result = files.final_result()
            assert result is not None
            assert (result.outcome, result.steps_done, result.attempt) == ("done", STEPS, 1)
            assert list(files.metrics()) == list(range(1, STEPS + 1))
            assert [record.step for record in read_records(files.delivery)] == list(range(1, STEPS + 1))
            assert (files.export / "model.safetensors").is_file()
            assert files.argv.read_text().count("\n") > 30
            driver = json.loads(files.attempt(1).driver.read_text())
            assert driver["export"]["tensors"] == 27
            assert driver["export"]["compared_with_served_weights"] is True


def test_the_report_answers_under_every_summary(study: Path) -> None:
    report = (study / "report" / "report.md").read_text()
    assert report.startswith("Demonstration on a toy model; it gives no information about real ones.")
    for summary in ("domain_balanced_12", "flat_12", "math_heavy_6", "no_math", "no_logic", "no_science"):
        assert f"{summary}" in report
    verdict = json.loads((study / "report" / "verdict.json").read_text())
    (comparison,) = verdict["verdict"]["comparisons"]
    assert (comparison["treatment"], comparison["control"], comparison["k"]) == ("tscl", "static", 1)
    # two seeds of a few steps may agree to the question, and then nothing can be estimated: no fault of the run
    assert comparison["verdict"] not in {"invalid_data", "treatment_not_delivered"}
    assert all(summary["n"] == 2 for summary in comparison["summaries"].values())
    assert len(comparison["summaries"]) == 6
    assert "nothing differs except the policy and the run paths" in report


def test_tscl_has_a_dose_and_its_control_has_none(study: Path) -> None:
    verdict = json.loads((study / "report" / "verdict.json").read_text())
    delivery = verdict["verdict"]["comparisons"][0]["delivery"]
    assert delivery["status"] == "delivered"
    assert delivery["kind"] == "mixture"
    assert delivery["dose"] > delivery["minimum_dose"]
    assert delivery["control_dose"] == 0


def test_arms_draw_the_same_prompts_until_the_policy_acts(study: Path) -> None:
    tscl, static = (read_records(RunFiles(run_folder(study, arm, 1)).delivery) for arm in ("tscl", "static"))
    same = [a.prompt_stream == b.prompt_stream for a, b in zip(tscl, static, strict=True)]
    assert all(same[:WARMUP])
    assert not all(same)


def test_seeds_differ(study: Path) -> None:
    assert exported_sha256(run_folder(study, "static", 1)) != exported_sha256(run_folder(study, "static", 2))
    assert computed(run_folder(study, "static", 1)) != computed(run_folder(study, "static", 2))


def test_no_secret_is_in_the_study_folder(study: Path) -> None:
    for file in study.rglob("*"):
        if file.is_file():
            assert b"canary-5d1c" not in file.read_bytes(), file


def test_the_report_is_rebuilt_byte_for_byte(study: Path) -> None:
    before = {path.name: path.read_bytes() for path in (study / "report").rglob("*") if path.is_file()}
    command = [str(Path(sys.executable).with_name("advisor")), "report", str(study)]
    subprocess.run(command, env=environment(), check=True, capture_output=True)
    assert before == {path.name: path.read_bytes() for path in (study / "report").rglob("*") if path.is_file()}


def test_a_run_killed_and_resumed_is_bit_identical_to_one_that_was_not(study: Path, tmp_path: Path) -> None:
    original = run_folder(study, "tscl", 1)
    spec = RunSpec.model_validate_json((original / "run.json").read_text())
    recipe = spec.recipe.model_copy(update={"checkpoint_every": 3})
    folder = tmp_path / "again"
    folder.mkdir()
    (folder / "run.json").write_text(spec.model_copy(update={"recipe": recipe}).model_dump_json())
    killed_and_resumed(folder, after_step=4)
    assert first_step(folder, attempt=2) == 4
    assert exported_sha256(folder) == exported_sha256(original)
    assert computed(folder) == computed(original)
    assert RunFiles(folder).delivery.read_bytes() == RunFiles(original).delivery.read_bytes()


def test_a_foreign_import_of_verl_finds_verl_as_without_us(tmp_path: Path) -> None:
    text = (
        "import sys, verl\n"
        "from importlib.metadata import entry_points\n"
        "from verl.plugin.platform.platform_manager import PlatformRegistry\n"
        "ours = [name for name in sys.modules if name.split('.')[0] in ('training', 'policies', 'tools', 'advisor')]\n"
        "print(ours, [point.value for point in entry_points(group='verl.plugins')])\n"
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VERL_")}
    done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[] []", done.stderr
