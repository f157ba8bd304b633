"""A finished study's verdict and report come from what is stored, and from nothing else."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from policies.errors import RefusedError
from tests.tools.study_cases import FAKES, new_study, supervise_here
from tools.compare_arms import compare_arms
from tools.evaluation.gather import material
from tools.launch_runs import launch_runs
from tools.report.claims.study import measured_price, spent_hours
from tools.scoring_coverage import scoring_coverage
from tools.study.folder import Study
from tools.study_status import study_status
from tools.write_report import evaluate, write_report
from training.recipe import load_recipe


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = new_study(tmp_path_factory.mktemp("studies"))
    assert supervise_here(study).returncode == 0
    return study


def copied(finished: Study, folder: Path) -> Study:
    return Study(Path(shutil.copytree(finished.folder, folder / "copy")))


def test_material_holds_scores_delivery_matching_runs_and_spend(finished: Study) -> None:
    made = material(finished)
    assert len(made.scores) == 2 * 2 * 4
    assert made.matching is not None
    assert (made.matching.pairs, made.matching.differences) == (2, ())
    comparison = made.verdict.comparisons[0]
    assert (comparison.delivery.status, comparison.delivery.dose) == ("delivered", pytest.approx(0.4))
    assert comparison.failures == {"static": 0, "tscl": 0}
    assert comparison.summaries["flat"].n == 2
    assert [run.state for run in made.runs] == ["done"] * 4
    assert sum(run.device_hours for run in made.runs) == pytest.approx(0.04)
    assert made.approval is not None
    assert made.approval.who == "a person"
    assert made.curves[0].points == ((1, 0.01), (2, 0.02), (3, 0.03), (4, 0.04))
    assert made.hardware == {"runs": "cpu fake"}
    assert {outcome.name for outcome in made.outcomes} == {"response length", "device-hours of training"}


def test_the_commands_that_repeat_a_study_can_be_typed(finished: Study, tmp_path: Path) -> None:
    commands = [line for line in material(finished).commands if not line.startswith("#")]
    words = shlex.split(commands[0])
    assert words[:3] == ["advisor", "ask", "does tscl beat static?"]
    assert words[words.index("--seed-list") + 1] == "1,2"
    file = finished.folder / words[words.index("--recipe") + 1]
    assert load_recipe(str(file)) == finished.plan.recipe, "a recipe that is not shipped lies in the study's folder"
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec {sys.executable} {FAKES / "fake_run.py"} "$3"\n')
    (tmp_path / "python").chmod(0o755)
    study = copied(finished, tmp_path)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-ec", commands[1]], cwd=study.folder, env=path, check=True)
    with study.ledger(read_only=True) as ledger:
        for run in ledger.runs():
            again = study.folder / "again" / run.folder
            assert (again / "result.json").read_bytes() == (study.folder / run.folder / "result.json").read_bytes()
    assert commands[2] == f"advisor report {finished.id}"


def test_the_report_spends_what_the_status_says_scoring_included(finished: Study) -> None:
    made = material(finished)
    assert made.scoring_device_hours > 0
    assert spent_hours(made) == pytest.approx(study_status(finished).spent_device_hours)
    assert measured_price(made).device_hours_per_run == pytest.approx(spent_hours(made) / 4)


def test_the_differences_are_those_of_the_stored_scores(finished: Study) -> None:
    made = material(finished)
    score = {(row.arm, row.seed, row.benchmark): row.score for row in made.scores}
    benchmarks = {row.benchmark for row in made.scores}
    for seed, difference in made.verdict.comparisons[0].summaries["flat"].differences.items():
        by_hand = [score["tscl", int(seed), name] - score["static", int(seed), name] for name in benchmarks]
        assert difference == pytest.approx(sum(by_hand) / 4)


def test_the_report_is_the_same_bytes_in_another_place(finished: Study, tmp_path: Path) -> None:
    evaluate(finished)
    elsewhere = copied(finished, tmp_path)
    shutil.rmtree(elsewhere.folder / "report")
    report = write_report(elsewhere)
    assert report == elsewhere.folder / "report" / "report.md"
    for path in (finished.folder / "report").rglob("*"):
        if path.suffix in (".md", ".json", ".csv"):
            twin = elsewhere.folder / path.relative_to(finished.folder)
            assert twin.read_bytes() == path.read_bytes(), path.name
    assert str(elsewhere.folder) not in report.read_text()


def test_arms_that_differ_in_more_than_the_policy_are_invalid(finished: Study, tmp_path: Path) -> None:
    study = copied(finished, tmp_path)
    config = next(study.folder.glob("runs/toy/tscl/seed-2/*/config.yaml"))
    config.write_text(config.read_text().replace('"seed": 2', '"seed": 2, "lr": 0.5'))
    comparison = compare_arms(study).comparisons[0]
    assert comparison.verdict == "invalid_data"
    assert any("config advisor.lr" in fault for fault in comparison.faults)


def test_a_lost_record_is_no_match_and_no_delivery(finished: Study, tmp_path: Path) -> None:
    study = copied(finished, tmp_path)
    next(study.folder.glob("runs/toy/tscl/seed-1/*/delivery.jsonl")).unlink()
    comparison = compare_arms(study).comparisons[0]
    assert comparison.verdict == "invalid_data"
    assert comparison.delivery.status == "not_recorded"
    assert not any(str(tmp_path) in fault for fault in comparison.faults)


def test_nobody_sees_scores_of_a_study_that_is_not_complete(finished: Study, tmp_path: Path) -> None:
    study = new_study(tmp_path, tscl_2="crash")
    assert supervise_here(study).returncode == 1
    for look in (compare_arms, write_report):
        with pytest.raises(RefusedError, match="scores by arm stay hidden"):
            look(study)
    with pytest.raises(RefusedError, match="has no scores yet"):
        evaluate(study)
    assert [(row.arm, row.seed, row.benchmarks, row.of) for row in scoring_coverage(study)] == [
        ("static", 1, 4, 4),
        ("tscl", 1, 4, 4),
        ("static", 2, 0, 4),
        ("tscl", 2, 0, 4),
    ]


def test_a_finished_study_is_not_launched_again(finished: Study) -> None:
    assert launch_runs(finished).state == "done"
