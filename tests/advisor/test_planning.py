"""From a question to a plan: read once, flags merged once, power simulated once."""

from pathlib import Path

import pytest
from fake_supervisor import FixedIdentity

from advisor.cli.main import run
from advisor.planning import with_flags
from policies.errors import InputError
from tools import catalogue
from tools.plan.intent import StudyIntent
from tools.study.lifecycle import create_study


def test_a_flag_replaces_what_was_read() -> None:
    asked = StudyIntent(question="does tscl beat static?", kind="compare", treatments=("tscl",), seeds=9)
    assert with_flags(asked, {"seeds": 4}).seeds == 4
    with pytest.raises(InputError, match="cannot use these settings: seedz"):
        with_flags(asked, {"seedz": 4})


def test_a_stored_study_has_the_power_that_its_ledger_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = StudyIntent(question="does tscl beat static?", kind="compare", treatments=("tscl",), control="static")
    made = catalogue.plan_study(asked, identity=FixedIdentity())
    study = create_study(made.plan, tmp_path, power=made.power)

    def again(*_: object) -> None:
        raise AssertionError("power was simulated twice")

    monkeypatch.setattr("tools.statistics.power.statement.power_statement", again)
    assert made.power is not None
    assert catalogue.stored_proposal(study) == made


def test_a_question_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from advisor import reader

    read = reader.read
    count: list[str] = []

    def counted(question: str) -> StudyIntent:
        count.append(question)
        return read(question)

    monkeypatch.setattr("advisor.reader.read", counted)
    for command in (["ask", "how many seeds for half a point?"], ["plan", "does tscl beat static?", "--dry-run"]):
        count.clear()
        assert run(command) == 0
        assert len(count) == 1
