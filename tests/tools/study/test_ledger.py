"""The ledger keeps a study's truth; whatever was changed behind its back is noticed and named."""

import json
import sqlite3
from datetime import date
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.errors import AdvisorError, InputError, RefusedError
from tests.tools.study_cases import new_study, plan, recipe
from tools.plan.plan_hash import document_hash, first_difference, plan_bytes, plan_hash, stored_hash
from tools.study.database import migrations
from tools.study.folder import Study, find_study, studies_root
from tools.study.follow import snapshot
from tools.study.ledger import Ledger
from tools.study.lifecycle import approve, create_study, list_studies
from tools.study.process import resume, start
from tools.study_status import study_status
from tools.write_report import write_report
from training.recipe import CostModel


def test_the_hash_leaves_out_labels_and_cost_and_nothing_else() -> None:
    base = plan_hash(plan())
    cost = CostModel(startup_s=1, step_s=1, scoring_s=1, disk_mb=1, source="elsewhere")
    for same in (
        plan(question="other words"),
        plan(title="x"),
        plan(notes=("y",)),
        plan(recipe=recipe(title="z")),
        plan(recipe=recipe(cost=cost)),
    ):
        assert plan_hash(same) == base
    for other in (
        plan(seeds=(1, 3)),
        plan(budget_device_hours=4.0),
        plan(recipe=recipe(steps=5)),
        plan(versions={"verl": "0.9.2"}),
        plan(replicate=1),
    ):
        assert plan_hash(other) != base


def test_the_hash_is_that_of_the_stored_bytes() -> None:
    stored = plan_bytes(plan())
    assert stored_hash(stored) == plan_hash(plan())
    newer = json.loads(stored) | {"field_of_the_future": 1}
    assert document_hash(newer) != plan_hash(plan())
    assert stored_hash(json.dumps(json.loads(stored), indent=3).encode()) == plan_hash(plan()), "spacing is no change"
    with pytest.raises(AdvisorError, match="not JSON"):
        stored_hash(b"{")


def test_the_hash_of_a_fixed_plan_never_changes() -> None:
    document = {"schema_version": 1, "seeds": [1, 2], "title": "t", "recipe": {"steps": 4, "cost": 1}, "x": 0.05}
    canonical = b'{"recipe":{"steps":4},"schema_version":1,"seeds":[1,2],"x":0.05}'
    import hashlib

    assert document_hash(document) == hashlib.sha256(canonical).hexdigest()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-100, 100) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(json_values, json_values)
def test_a_difference_is_none_for_equal_values_and_the_same_both_ways(one: object, other: object) -> None:
    assert first_difference(one, one) is None
    if json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True):
        found, reverse = first_difference(one, other), first_difference(other, one)
        assert (found is None) == (reverse is None)


def test_a_study_is_found_by_id_part_of_it_folder_or_as_the_latest(tmp_path: Path) -> None:
    day = date(2026, 1, 31)
    first = create_study(plan(), tmp_path, day=day)
    assert first.folder.name == f"2026-01-31-tscl-vs-static-{plan_hash(plan())[:4]}"
    again = create_study(plan(), tmp_path, day=day)
    assert again.folder.name == f"{first.folder.name}-2", "an existing folder is never touched"
    assert find_study(first.folder.name, tmp_path) == first
    assert find_study(str(again.folder), tmp_path / "nowhere") == again
    assert find_study(again.folder.name[:-1], tmp_path) == again
    with pytest.raises(InputError, match="matches several studies"):
        find_study("2026", tmp_path)
    with pytest.raises(InputError, match="matches several studies"):
        find_study("tscl", tmp_path)
    assert find_study(again.folder.name[-6:], tmp_path) == again
    with pytest.raises(InputError, match="is not a study in"):
        find_study("topk", tmp_path)
    with pytest.raises(InputError, match="is not a study in"):
        find_study("", tmp_path)
    with pytest.raises(InputError, match="has no studies"):
        find_study("x", tmp_path / "nowhere")
    with sqlite3.connect(first.folder / "study.db") as connection:
        connection.execute("UPDATE study SET created = '2999-01-01T00:00:00Z'")
    connection.close()
    assert find_study("latest", tmp_path) == first
    assert [line.id for line in list_studies(tmp_path)] == [first.folder.name, again.folder.name]


def test_the_root_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADVISOR_STUDIES", str(tmp_path / "elsewhere"))
    assert studies_root() == tmp_path / "elsewhere"
    assert studies_root(tmp_path) == tmp_path
    monkeypatch.delenv("ADVISOR_STUDIES")
    monkeypatch.chdir(tmp_path)
    assert studies_root() == tmp_path / "studies"


def test_an_approval_covers_one_plan_and_is_exported(tmp_path: Path) -> None:
    study = new_study(tmp_path, ceiling=2.5)
    lock = json.loads((study.folder / "plan.lock.json").read_text())
    assert lock["plan_hash"] == plan_hash(plan())
    assert [(row["who"], row["ceiling_device_hours"]) for row in lock["approvals"]] == [("a person", 2.5)]
    with study.ledger() as ledger:
        ledger.amend(plan(seeds=(1, 2, 3)))
        assert ledger.approval() is None
        ledger.amend(plan(title="only the title is new"))
        assert ledger.approval() is not None
    for who, ceiling in (("", None), ("  ", 1.0), ("x", 0.0), ("x", -1.0), ("x", float("inf")), ("x", float("nan"))):
        with pytest.raises(InputError):
            approve(study, who, ceiling)


def test_a_plan_file_that_was_edited_is_refused_by_name(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    path = study.folder / "plan.yaml"
    document = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump(document | {"title": "my favourite study"}))
    with study.ledger() as ledger:
        assert ledger.approval() is not None
    document["analysis"]["sesoi"] = 0.1
    path.write_text(yaml.safe_dump(document))
    for step in (start, resume, lambda study: approve(study, "x")):
        with pytest.raises(RefusedError, match=r"plan.yaml was edited .*analysis.sesoi: 1.0 -> 0.1"):
            step(study)
    path.write_text("- [")
    with pytest.raises(RefusedError, match="cannot be read"):
        start(study)
    path.write_text("hello")
    with pytest.raises(RefusedError, match="not a YAML mapping"):
        start(study)


def test_a_plan_changed_inside_the_database_is_refused(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    with sqlite3.connect(study.folder / "study.db") as connection:
        changed = plan_bytes(plan(seeds=(7, 8)))
        connection.execute("UPDATE plan SET bytes = ?", (changed,))
    connection.close()
    for step in (start, study_status):
        with pytest.raises(RefusedError, match=r"was changed: its hash is"):
            step(study)


def test_a_database_that_is_corrupt_newer_or_missing_is_named(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    database = study.folder / "study.db"
    whole = database.read_bytes()
    database.write_bytes(b"no database at all, just words" * 100)
    with pytest.raises(AdvisorError, match=r"cannot use .*study.db: file is not a database"):
        snapshot(study)
    assert [line.state for line in list_studies(tmp_path)] == [None]
    database.write_bytes(whole)
    with sqlite3.connect(database) as connection:
        connection.execute(f"PRAGMA user_version = {len(migrations()) + 6}")
    connection.close()
    for read_only in (True, False):
        with pytest.raises(AdvisorError, match=f"schema version {len(migrations()) + 6}.*upgrade"):
            study.ledger(read_only=read_only)
    database.unlink()
    with pytest.raises(AdvisorError, match=r"no study\.db"):
        study.ledger()


def test_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    assert {path.name for path in study.folder.glob("study.db*")} == {"study.db"}, "closed on exit"
    with study.ledger(read_only=True) as ledger, pytest.raises(AdvisorError, match="readonly"):
        ledger.event("x", "y")
    assert snapshot(study).state == "approved"


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    with study.ledger() as ledger:
        before = ledger.events()
        with pytest.raises(ZeroDivisionError):
            half_done(ledger)
        assert ledger.events() == before


def half_done(ledger: Ledger) -> None:
    with ledger.transaction():
        ledger.event("half", "")
        raise ZeroDivisionError


def test_a_run_key_is_planned_once(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    with study.ledger() as ledger:
        for _ in range(2):
            ledger.add_run("tscl", 1, 0, "k" * 64, "runs/x")
        assert len(ledger.runs()) == 1
        first = ledger.open_attempt(1, "host", "boot")
        second = ledger.open_attempt(1, "host", "boot")
        ledger.close_attempt(first, "lost", "gone", 0.5, 10.0)
        ledger.close_attempt(second, "done", "", 0.25, 20.0)
        assert [row.k for row in ledger.attempts()] == [1, 2]
        scoring = ledger.open_scoring(1)
        ledger.close_scoring(scoring, "done", 0.125)
        assert ledger.spent_device_hours() == 0.875, "failures and scoring count"


def test_an_existing_ledger_is_never_overwritten(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    with pytest.raises(AdvisorError, match="never overwritten"):
        Ledger.create(study.folder / "study.db", "x", plan())


def test_no_report_before_the_study_is_done(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    with pytest.raises(RefusedError, match="scores by arm stay hidden"):
        write_report(study)


def test_a_status_shows_every_planned_run_and_no_score(tmp_path: Path) -> None:
    shown = snapshot(new_study(tmp_path))
    assert [(run.arm, run.seed, run.state) for run in shown.runs] == [
        ("static", 1, "planned"),
        ("tscl", 1, "planned"),
        ("static", 2, "planned"),
        ("tscl", 2, "planned"),
    ]
    assert shown.eta_s is None
    assert shown.approved_by == "a person"
    assert "score" not in {name for name in type(shown.runs[0]).model_fields if name != "seeds_scored"}


def test_a_study_whose_folder_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AdvisorError, match="cannot create"):
        create_study(plan(), tmp_path / "file")
    assert Study(tmp_path).folder == tmp_path
