"""Until the stop rule fires nobody sees scores or intervals by arm, unless that is recorded."""

import json
from pathlib import Path

import pytest

from advisor.cli.main import run
from policies.errors import InputError, RefusedError
from tests.tools.study_cases import new_study, plan, supervise_here
from tools.compare_arms import compare_arms
from tools.evaluation.gather import material
from tools.scoring_coverage import scoring_coverage
from tools.study.folder import Study
from tools.study.follow import snapshot
from tools.study.interim import interim_scores, unblind
from tools.write_report import evaluate, write_report


@pytest.fixture
def halfway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Two of three seeds are scored, then a run crashes."""
    monkeypatch.setenv("ADVISOR_STUDIES", str(tmp_path))
    study = new_study(tmp_path, seeds=(1, 2, 3), tscl_3="crash")
    assert supervise_here(study).returncode == 1
    return study


def scores(study: Study) -> list[float]:
    with study.ledger(read_only=True) as ledger:
        return [row.score for row in ledger.scores()]


def test_a_status_shows_pairs_and_pooled_sd_and_neither_arm_nor_sign(halfway: Study) -> None:
    blind = snapshot(halfway).blind
    assert (blind.design, blind.pairs, blind.summary) == ("fixed: 3 seeds", 2, "flat")
    with halfway.ledger(read_only=True) as ledger:
        runs = {run.id: (run.arm, run.seed) for run in ledger.runs()}
        means: dict[tuple[str, int], float] = {}
        for row in ledger.scores():
            means[runs[row.run]] = means.get(runs[row.run], 0.0) + row.score / 4
    one, two = (means["tscl", seed] - means["static", seed] for seed in (1, 2))
    assert blind.pooled_sd == pytest.approx(abs(one - two) / 2**0.5)


def test_no_command_and_no_tool_tells_a_score_before_the_end(
    halfway: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    name = halfway.folder.name
    for words in (
        ["status", name, "--json"], ["status", name], ["status"], ["plan", name, "--json"], ["plan", name],
        ["report", name], ["report", name, "--json"], ["run", name, "--dry-run"], ["stop", name, "--json"],
    ):  # fmt: skip
        run(words)
    said = capsys.readouterr()
    document = json.dumps([row.model_dump(mode="json") for row in scoring_coverage(halfway)])
    with halfway.ledger(read_only=True) as ledger:
        told = " ".join(event.text for event in ledger.events())
    for text in (said.out, said.err, document, told):
        assert "verdict.json" not in text
        for word in ('"score"', '"scores":', "mean_difference", "low_family", "supported", "benchmark mean"):
            assert word not in text, word
    for see in (compare_arms, write_report, evaluate, material, interim_scores):
        with pytest.raises(RefusedError):
            see(halfway)


def test_the_line_that_scoring_prints_holds_no_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from training.score import ScoreJob, run_jobs

    answers = tmp_path / "answers"
    answers.mkdir()
    content = {"schema_version": 1, "suite": "tiny-12", "harness": "h", "scores": []}
    row = {"benchmark": "gsm8k", "domain": "math", "score": 43.21, "questions": 10, "sha256": "s"}
    (answers / "scores.json").write_text(json.dumps(content | {"scores": [row]}))
    run_jobs((ScoreJob(export=tmp_path, suite="tiny-12", answers=answers),))
    said = capsys.readouterr().err
    assert said.startswith("score 1/1: ")
    assert "43" not in said, "the last line of a scoring that fails is shown to whoever follows the study"


def test_unblinding_is_recorded_and_shows_scores_by_arm_from_then_on(halfway: Study) -> None:
    with pytest.raises(RefusedError, match="is blind"):
        interim_scores(halfway)
    row = unblind(halfway, "ann", "  a reviewer\nasks ")
    assert (row.who, row.reason) == ("ann", "a reviewer asks")
    seen = interim_scores(halfway)
    (shown,) = seen.rows
    assert (shown.treatment, shown.n) == ("tscl", 2)
    assert shown.difference == pytest.approx(shown.treatment_mean - shown.control_mean)
    assert "by ann at " in snapshot(halfway).blind.unblinded
    assert snapshot(halfway).blind.exploratory == "", "to look is no change of the plan"
    lock = json.loads((halfway.folder / "plan.lock.json").read_text())
    assert lock["unblindings"][0]["reason"] == "a reviewer asks"
    for refused in (compare_arms, write_report):
        with pytest.raises(RefusedError):
            refused(halfway)


def test_an_unblinding_stands_in_the_report(halfway: Study) -> None:
    unblind(halfway, "ann", "a reviewer asks")
    (halfway.folder / "behaviour.json").write_text("{}")
    assert supervise_here(halfway).returncode == 0
    assert "unblinded: by ann: a reviewer asks" in evaluate(halfway).read_text()
    with pytest.raises(RefusedError, match="is done"):
        unblind(halfway, "ann", "again")


def test_unblinding_needs_a_reason_and_something_to_see(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    with pytest.raises(InputError, match="needs a reason"):
        unblind(study, "ann", " ")
    with pytest.raises(RefusedError, match="no scores yet"):
        unblind(study, "ann", "curious")


def test_the_commands_ask_record_and_show(halfway: Study, capsys: pytest.CaptureFixture[str]) -> None:
    name = halfway.folder.name
    assert run(["unblind", name, "--reason", "curious"]) == 3
    assert "to unblind without one, add --yes" in capsys.readouterr().err
    assert run(["unblind", name, "--yes"]) == 2
    assert run(["unblind", name, "--reason", "curious", "--yes", "--by", "ann", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [row["summary"] for row in shown["rows"]] == ["flat"]
    assert run(["amend", name, "--seeds", "4"]) == 3
    assert run(["amend", name, "--seeds", "4", "--yes", "--by", "ann", "--json"]) == 0
    amended = json.loads(capsys.readouterr().out.strip())
    assert amended["plan"]["seeds"] == [1, 2, 3, 4]
    assert amended["exploratory"].startswith("the plan was changed after ann (--yes) had unblinded")
    assert run(["status", name]) == 0
    status = capsys.readouterr().out
    assert "unblinded by ann (--yes) at " in status
    assert "exploratory: the plan was changed" in " ".join(status.split())
    assert run(["plan", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exploratory"]


def test_a_plan_that_is_only_planned_says_nothing_of_all_this(tmp_path: Path) -> None:
    blind = snapshot(new_study(tmp_path)).blind
    assert (blind.pairs, blind.pooled_sd, blind.looks, blind.last_look, blind.unblinded) == (0, None, 0, "", "")
    assert plan().design is None
