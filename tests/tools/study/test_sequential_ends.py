"""How a sequential study ends where something went otherwise: lost pairs, invalid data, a plan that was changed."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from policies.base import PolicySpec
from tests.tools.study_cases import BENCHMARKS, DESIGN, looks, plan, sequential, set_behaviour, supervise_here
from tools.compare_arms import compare_arms
from tools.evaluation.gather import material
from tools.plan.analysis import Analysis
from tools.plan.sequential_design import SequentialDesign
from tools.plan.study_plan import Arm
from tools.report.study.sensitivity import StudySensitivity
from tools.statistics.sequential.boundaries import boundaries
from tools.statistics.sequential.look import look
from tools.study.amend import amend, proposed
from tools.study.interim import interim_scores, unblind
from tools.study.lifecycle import approve
from tools.study.stored import Stored
from tools.study_status import study_status
from tools.write_report import evaluate


def part(page: str, heading: str) -> str:
    return page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


def test_the_head_of_the_report_says_why_it_ended(tmp_path: Path) -> None:
    analysis = Analysis(family_size=1, summaries={"flat": dict.fromkeys(BENCHMARKS, 0.25)}, primary="flat", sesoi=5.0)
    study = sequential(tmp_path, {"tscl": 0.0}, analysis=analysis)
    assert supervise_here(study).returncode == 0
    head = evaluate(study).read_text().split("\n## ", 1)[0]
    assert "Ended by the sequential plan after three pairs (no difference of interest remained)" in head
    verdict = json.loads((study.folder / "report" / "verdict.json").read_text())
    assert any(claim["id"] == "study.stopped" for claim in verdict["claims"])


def test_a_stop_on_complete_pairs_alone_is_called_so_where_a_lost_pair_takes_the_claim_away(tmp_path: Path) -> None:
    study = sequential(tmp_path, {"tscl": 20.0})
    set_behaviour(study, tscl_2="fail")
    assert supervise_here(study).returncode == 0
    assert looks(study) == [("tscl", 4, 3, "efficacy")]
    assert compare_arms(study).comparisons[0].verdict == "negative_inconclusive"
    page = evaluate(study).read_text()
    assert (
        "Ended by the sequential plan after three pairs (an effect under every summary on the complete pairs alone)"
        in page
    )
    assert "the verdict says why no claim follows" in part(page, "How the seeds were added")


def test_fewer_pairs_than_any_look_reads_are_not_estimable(tmp_path: Path) -> None:
    study = sequential(tmp_path, {"tscl": 20.0})
    set_behaviour(study, **{f"tscl_{seed}": "fail" for seed in range(1, 5)})
    assert supervise_here(study).returncode == 0
    comparison = compare_arms(study).comparisons[0]
    assert (comparison.verdict, comparison.summaries["flat"].n) == ("not_estimable", 2)
    page = evaluate(study).read_text()
    assert "Not estimable: two complete pairs, too few for a look in the plan" in page
    assert "are the same in all" not in page


def test_what_the_looks_at_invalid_data_saw_is_not_shown(tmp_path: Path) -> None:
    study = sequential(tmp_path, {"tscl": 20.0})
    assert supervise_here(study).returncode == 0
    config = next(study.folder.glob("runs/toy/tscl/seed-2/*/config.yaml"))
    config.write_text(config.read_text().replace('"seed": 2', '"seed": 2, "lr": 0.5'))
    page = evaluate(study).read_text()
    assert compare_arms(study).comparisons[0].verdict == "invalid_data"
    assert "the results of its looks are not shown" in part(page, "How the seeds were added")
    for told in ("better", "repeated interval |", "it ended after"):
        assert told not in part(page, "How the seeds were added")
        assert told not in page.split("\n## ", 1)[0]


def test_seeds_added_after_the_end_leave_the_looks_in_the_report(tmp_path: Path) -> None:
    study = sequential(tmp_path, {"tscl": 20.0})
    assert supervise_here(study).returncode == 0
    amend(study, proposed(study, seeds=5).plan, "ann")
    approve(study, "ann", 5.0)
    assert supervise_here(study).returncode == 0
    page = evaluate(study).read_text()
    told = part(page, "How the seeds were added")
    assert told.strip().startswith("The plan was sequential until it was amended")
    assert "stops: an effect under every summary" in told
    said = [line for line in part(page, "What may be said").splitlines() if line.startswith("- ")]
    assert said
    assert all(line.startswith("- Exploratory: ") for line in said)
    assert "That any of this is confirmed" in part(page, "What may not be said")


def test_a_treatment_that_has_stopped_is_judged_by_the_bounds_that_stopped_it(tmp_path: Path) -> None:
    """A later last look moves the bounds of all looks, and would take back a decision that was made."""
    arms = (
        *plan().arms,
        Arm(id="topk", role="treatment", policy=PolicySpec(name="topk", parameters={"keep_fraction": 0.5})),
    )
    analysis = Analysis(family_size=2, summaries={"flat": dict.fromkeys(BENCHMARKS, 0.25)}, primary="flat", sesoi=0.01)
    design = SequentialDesign(n_min=3, n_max=5, futility_chance=0.0)
    study = sequential(tmp_path, {"tscl": 1.0}, design, arms=arms, analysis=analysis)
    set_behaviour(study, topk_4="crash")
    assert supervise_here(study).returncode == 1
    assert looks(study)[0] == ("tscl", 3, 3, "efficacy")
    unblind(study, "ann", "a test")
    before = {row.summary: (row.low, row.high) for row in interim_scores(study).rows if row.treatment == "tscl"}
    amend(study, proposed(study, seeds=30).plan, "ann")
    stored = Stored.read(study)
    later = stored.design_of("topk")
    assert (stored.design_of("tscl"), later) == (design, design.model_copy(update={"n_max": 30}))
    assert later is not None
    (row,) = (row for row in interim_scores(study).rows if row.treatment == "tscl")
    assert {"flat": (row.low, row.high)} == before
    assert row.low is not None
    half = (row.difference - row.low) / boundaries(design, 0.025)[3]
    assert row.difference - half * boundaries(later, 0.025)[3] < 0.0 < row.low, "the later bounds would take it back"


def test_the_report_of_a_plan_amended_between_looks_reads_each_treatment_at_the_bounds_of_its_verdict(
    tmp_path: Path,
) -> None:
    arms = (
        *plan().arms,
        Arm(id="topk", role="treatment", policy=PolicySpec(name="topk", parameters={"keep_fraction": 0.5})),
    )
    analysis = Analysis(family_size=2, summaries={"flat": dict.fromkeys(BENCHMARKS, 0.25)}, primary="flat", sesoi=0.01)
    design = SequentialDesign(n_min=3, n_max=5, futility_chance=0.0)
    study = sequential(tmp_path, {"tscl": 1.0}, design, arms=arms, analysis=analysis)
    set_behaviour(study, topk_4="crash")
    assert supervise_here(study).returncode == 1
    amend(study, proposed(study, seeds=6).plan, "ann")
    approve(study, "ann", 5.0)
    set_behaviour(study)
    assert supervise_here(study).returncode == 0
    made = material(study)
    later = design.model_copy(update={"n_max": 6})
    assert made.designs == {"tscl": design, "topk": later}
    views = StudySensitivity(made).found
    for comparison in made.verdict.comparisons:
        kept = views[comparison.treatment].collapse.kept.summaries["flat"]
        assert kept.low_family == pytest.approx(comparison.summaries["flat"].low_family)
    tscl = made.verdict.comparisons[0].summaries["flat"]
    assert tscl.mean is not None
    assert tscl.sd is not None
    assert tscl.low_family == pytest.approx(tscl.mean - boundaries(design, 0.025)[3] * tscl.sd / 3**0.5)


def test_while_blind_delivery_does_not_tell_which_treatment_has_stopped(tmp_path: Path) -> None:
    arms = (
        *plan().arms,
        Arm(id="topk", role="treatment", policy=PolicySpec(name="topk", parameters={"keep_fraction": 0.5})),
    )
    analysis = Analysis(family_size=2, summaries={"flat": dict.fromkeys(BENCHMARKS, 0.25)}, primary="flat", sesoi=0.01)
    design = SequentialDesign(n_min=3, n_max=6, futility_chance=0.0)
    study = sequential(tmp_path, {"tscl": 20.0}, design, arms=arms, analysis=analysis)
    set_behaviour(study, topk_5="crash")
    assert supervise_here(study).returncode == 1
    assert [row[:2] for row in looks(study) if row[3] == "efficacy"] == [("tscl", 3)]
    assert [one.pairs for one in study_status(study).delivery] == [3, 3]


def test_a_level_written_in_two_ways_gives_one_decision() -> None:
    differences = [[0.4], [1.1], [-0.3], [0.9], [0.6]]
    one, other = (look(differences, DESIGN, level, 1.0) for level in (0.05, 1.0 - 0.95))
    assert 1.0 - 0.95 != 0.05
    assert (one.decision, one.chance_up, one.chance_down) == (other.decision, other.chance_up, other.chance_down)


def test_a_plan_that_was_changed_in_the_ledger_is_not_used(tmp_path: Path) -> None:
    from policies.errors import RefusedError

    study = sequential(tmp_path, {"tscl": 20.0})
    amend(study, proposed(study, seeds=7).plan, "ann")
    with closing(sqlite3.connect(study.folder / "study.db")) as database, database:
        database.execute("UPDATE plan SET bytes = replace(bytes, '0.05', '0.06') WHERE version = 1")
    with study.ledger() as ledger, pytest.raises(RefusedError, match="was changed; restore"):
        ledger.plans()
