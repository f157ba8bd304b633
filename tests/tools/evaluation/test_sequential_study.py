"""A sequential study looks after each seed block, stops by its rule, and is judged from repeated intervals."""

import signal
import sqlite3
from pathlib import Path

import pytest

from policies.base import PolicySpec
from policies.errors import InputError, RefusedError
from tests.tools.study_cases import BENCHMARKS, DESIGN, executed, looks, moments, plan, sequential, supervise_here
from tools.compare_arms import compare_arms
from tools.design.seeds import sequential_design
from tools.plan.analysis import Analysis
from tools.plan.intent import StudyIntent
from tools.plan.plan_hash import plan_bytes, plan_hash, stored_hash
from tools.plan.sequential_design import SequentialDesign
from tools.plan.study_plan import Arm, StudyPlan
from tools.statistics.sequential.boundaries import boundaries
from tools.statistics.sequential.model import Look
from tools.statistics.sequential.repeated import Repeated
from tools.study.database import migrations
from tools.study.folder import Study
from tools.study.follow import snapshot
from tools.study.lifecycle import create_study
from tools.study.looks import look_after
from tools.study.rows import LookRow
from tools.study.schedule import arms_at, scheduled_seeds
from tools.write_report import evaluate


@pytest.fixture(scope="module")
def clear(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Twenty points apart: clear at the first look or soon after."""
    study = sequential(tmp_path_factory.mktemp("studies"), {"tscl": 20.0})
    assert supervise_here(study).returncode == 0
    return study


def test_a_clear_effect_ends_the_study_early_and_nothing_further_runs(clear: Study) -> None:
    found = looks(clear)
    assert found[-1][3] == "efficacy"
    seeds = found[-1][1]
    assert seeds < 6
    assert [blocks for _, blocks, _, _ in found] == list(range(3, seeds + 1)), "a look after each block from n_min on"
    assert executed(clear) == [f"{arm} {seed} 1" for seed in range(1, seeds + 1) for arm in ("static", "tscl")]
    assert snapshot(clear).state == "done"


def test_the_verdict_reads_the_repeated_interval_of_the_look_that_stopped(clear: Study) -> None:
    comparison = compare_arms(clear).comparisons[0]
    assert (comparison.verdict, comparison.direction, comparison.repeated) == ("supported", "better", True)
    summary = comparison.summaries["flat"]
    with clear.ledger(read_only=True) as ledger:
        stopped = Look.model_validate_json(ledger.looks()[-1].look)
    seen = stopped.summaries[0]
    assert (summary.n, summary.low_family, summary.high_family) == (
        stopped.n,
        pytest.approx(seen.low),
        pytest.approx(seen.high),
    )
    assert summary.p is None, "the p-value of a fixed number of pairs does not hold"
    assert summary.mean is not None
    assert summary.sd is not None
    assert summary.low_family is not None
    half = boundaries(DESIGN, 0.05)[stopped.n] * summary.sd / stopped.n**0.5
    assert summary.mean - summary.low_family == pytest.approx(half)


def test_the_report_says_how_it_looked_and_why_it_stopped(clear: Study) -> None:
    page = evaluate(clear).read_text()
    for words in ("## How the seeds were added", "Sequential plan", "repeated", "look"):
        assert words in page, words


def test_an_event_and_the_ledger_keep_each_look_without_arm_sign_or_score(clear: Study) -> None:
    with clear.ledger(read_only=True) as ledger:
        said = [event.text for event in ledger.events() if event.kind == "looked"]
        assert len(said) == len(ledger.looks())
        assert {row.plan_hash for row in ledger.looks()} == {ledger.plan_hash()}
    for text in said:
        assert not any(word in text for word in ("tscl", "static", "better", "worse", "efficacy", "futil"))


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["around-a-look", "all"])
def test_killed_around_a_look_the_next_supervisor_repeats_no_run_and_no_decision(
    tmp_path: Path, clear: Study, every: bool
) -> None:
    seen = [line.split() for line in moments(clear)]
    scored = sum(kind == "block_scored" for kind, _ in seen)
    for kind, number in seen[:-1] if every else (["block_scored", "3"], ["looked", "1"]):
        study = sequential(tmp_path / f"{kind}-{number}", {"tscl": 20.0})
        killed = supervise_here(study, "--die-at", kind, number)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        with study.ledger(read_only=True) as ledger:
            before = ledger.looks()
        assert supervise_here(study).returncode == 0
        with study.ledger(read_only=True) as ledger:
            assert ledger.looks()[: len(before)] == before
        assert looks(study) == looks(clear)
        assert executed(study) == executed(clear)
        assert sum(line.startswith("block_scored") for line in moments(study)) == scored


def test_a_recorded_decision_is_not_taken_again(clear: Study) -> None:
    with clear.ledger() as ledger:
        before = ledger.looks()
        for blocks in range(1, 7):
            look_after(clear.plan, ledger, blocks)
        assert ledger.looks() == before


def test_a_decided_treatment_stops_and_the_control_runs_on_with_the_others(tmp_path: Path) -> None:
    arms = (
        *plan().arms,
        Arm(id="topk", role="treatment", policy=PolicySpec(name="topk", parameters={"keep_fraction": 0.5})),
    )
    analysis = Analysis(family_size=2, summaries={"flat": dict.fromkeys(BENCHMARKS, 0.25)}, primary="flat", sesoi=0.05)
    design = SequentialDesign(n_min=3, n_max=5, futility_chance=0.0)
    study = sequential(tmp_path, {"tscl": 30.0}, design, arms=arms, analysis=analysis)
    assert supervise_here(study).returncode == 0
    stop = next(
        blocks for treatment, blocks, _, decision in looks(study) if (treatment, decision) == ("tscl", "efficacy")
    )
    assert stop < 5
    ran = {
        arm: [line.split()[1] for line in executed(study) if line.split()[0] == arm]
        for arm in ("static", "tscl", "topk")
    }
    assert ran["tscl"] == [str(seed) for seed in range(1, stop + 1)]
    assert ran["static"] == ran["topk"] == [str(seed) for seed in range(1, 6)]
    tscl, topk = compare_arms(study).comparisons
    assert (tscl.verdict, tscl.lost_seeds, len(tscl.seeds)) == ("supported", (), stop)
    assert len(topk.seeds) == 5
    assert (tscl.k, tscl.family_confidence) == (2, 0.975)


def test_nobody_gets_a_verdict_before_the_rule_has_stopped_the_study(tmp_path: Path) -> None:
    study = sequential(tmp_path, {"tscl": 20.0})
    assert supervise_here(study, "--die-at", "block_scored", "2").returncode == -signal.SIGKILL
    for see in (compare_arms, evaluate):
        with pytest.raises(RefusedError):
            see(study)


def row(treatment: str, blocks: int, decision: str) -> LookRow:
    return LookRow(treatment, blocks, blocks, decision, "", "{}", "", "")  # type: ignore[arg-type]


def test_who_runs_at_which_seed() -> None:
    planned = plan(seeds=tuple(range(1, 7)), design=DESIGN)
    going, stopped = row("tscl", 3, "go_on"), row("tscl", 4, "futility")
    assert [arm.id for arm in arms_at(planned, (going,), 6)] == ["static", "tscl"]
    assert [arm.id for arm in arms_at(planned, (going, stopped), 4)] == ["static", "tscl"]
    assert arms_at(planned, (going, stopped), 5) == ()
    assert scheduled_seeds(planned, (stopped,)) == {"static": (1, 2, 3, 4), "tscl": (1, 2, 3, 4)}
    assert scheduled_seeds(plan(), (stopped,)) == {"static": (1, 2), "tscl": (1, 2)}, "a fixed plan knows no looks"


def test_an_interval_where_no_error_is_spent_is_no_interval() -> None:
    assert Repeated(DESIGN)(2, 0.95) == float("inf")
    assert Repeated(DESIGN)(6, 0.95) == pytest.approx(boundaries(DESIGN, 0.05)[6])


def test_a_plan_without_a_design_keeps_the_hash_it_had_before_there_were_designs(tmp_path: Path) -> None:
    fixed = plan()
    stored = plan_bytes(fixed)
    assert b'"design"' not in stored
    assert StudyPlan.model_validate_json(stored) == fixed
    assert stored_hash(stored) == plan_hash(fixed)
    other = plan(seeds=tuple(range(1, 7)), design=DESIGN)
    assert b'"design"' in plan_bytes(other)
    assert plan_hash(other) != plan_hash(plan(seeds=tuple(range(1, 7))))


def test_a_ledger_of_the_first_schema_opens_and_goes_on(tmp_path: Path) -> None:
    study = create_study(plan(), tmp_path)
    with study.ledger(read_only=True) as ledger:
        document, digest = plan_bytes(ledger.plan()), ledger.plan_hash()
    (study.folder / "study.db").unlink()
    connection = sqlite3.connect(study.folder / "study.db")
    connection.executescript(migrations()[0] + "PRAGMA user_version=1;")
    connection.execute("INSERT INTO study VALUES (1, 's', 'then', 'approved', '', '', 'then')")
    connection.execute("INSERT INTO plan VALUES (1, ?, ?, 'then', NULL)", (document, digest))
    connection.execute("INSERT INTO approvals VALUES (1, 'ann', 'then', ?, 5.0)", (digest,))
    connection.commit()
    connection.close()
    for name in ("plan.yaml", "plan.lock.json"):
        (study.folder / name).unlink()
    (study.folder / "behaviour.json").write_text("{}")
    assert snapshot(study).state == "approved"
    assert supervise_here(study).returncode == 0
    assert looks(study) == []


@pytest.mark.parametrize(
    ("asked", "most", "message"),
    [
        ({"sequential": True}, 5, "needs more than 5 seeds"),
        ({"sequential": True, "min_seeds": 2}, 9, "a first look at 2 seeds"),
        ({"min_seeds": 4}, 9, "add --sequential"),
    ],
)
def test_a_design_without_room_for_a_look_is_refused(asked: dict[str, object], most: int, message: str) -> None:
    intent = StudyIntent.model_validate({"question": "?", "kind": "compare"} | asked)
    with pytest.raises(InputError, match=message):
        sequential_design(intent, most, [])


def test_a_default_that_was_filled_in_is_noted() -> None:
    notes: list[str] = []
    intent = StudyIntent(question="?", kind="compare", sequential=True)
    assert sequential_design(intent, 12, notes) == SequentialDesign(n_min=5, n_max=12)
    assert notes == ["first look: after 5 seeds (default)"]
