"""One policy at several strengths: an arm each, one family, and a table of measured doses without a test of a trend."""

import json
from pathlib import Path

import pytest

from advisor.cli.options import overrides
from advisor.intent_reply import IntentReply, faults_of, to_intent
from advisor.planning import with_flags
from advisor.reader import read
from policies.base import PolicySpec
from policies.errors import InputError
from tests.tools.study_cases import BENCHMARKS, FixedIdentity, plan, supervise_here
from tools.compare_arms import compare_arms
from tools.design.design_study import design
from tools.evaluation.gather import material
from tools.evaluation.pilots import find_pilot
from tools.plan.analysis import Analysis
from tools.plan.doses import dose_arms, dose_text
from tools.plan.intent import DoseAsked, StudyIntent
from tools.plan.study_plan import Arm, StudyPlan
from tools.study.folder import Study
from tools.study.lifecycle import approve, create_study
from tools.write_report import evaluate

TEMPERATURE = DoseAsked(policy="tscl", parameter="temperature", values=(3, 0.3, 1))


def intent(**changes: object) -> StudyIntent:
    values: dict[str, object] = {"question": "doses", "kind": "dose", "treatments": ("tscl",), "doses": (TEMPERATURE,)}
    return StudyIntent.model_validate(values | changes)


def made(**changes: object) -> StudyPlan:
    return design(intent(**changes), find_pilot=find_pilot, identity=FixedIdentity(), gpus=0)


def test_each_value_is_an_arm_of_one_family_against_the_control() -> None:
    planned = made()
    assert [(arm.id, arm.role) for arm in planned.arms] == [
        ("static", "control"), ("tscl-temperature=3", "treatment"), ("tscl-temperature=0.3", "treatment"),
        ("tscl-temperature=1", "treatment"),
    ]  # fmt: skip
    assert [arm.policy.parameters["temperature"] for arm in planned.treatments] == [3.0, 0.3, 1.0]
    assert (planned.kind, planned.analysis.family_size) == ("dose", 3)
    (found,) = dose_arms(planned)
    assert (found.policy, found.parameter) == ("tscl", "temperature")
    assert [value for value, _ in found.arms] == [0.3, 1.0, 3.0], "increasing, whatever the order of the question"


def test_other_treatments_and_parameters_stand_beside_the_doses() -> None:
    planned = made(treatments=("tscl", "dump_ucb"), params={"tscl": {"floor": 0.1}})
    assert [arm.id for arm in planned.treatments][-1] == "dump_ucb"
    assert {arm.policy.parameters["floor"] for arm in planned.treatments[:3]} == {0.1}
    assert planned.analysis.family_size == 4
    assert made(kind="pilot").kind == "pilot"
    assert dose_arms(plan()) == ()


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"doses": (TEMPERATURE.model_copy(update={"values": (1, 1.0)}),)}, "temperature lists 1 twice"),
        ({"doses": (TEMPERATURE.model_copy(update={"values": (0.5,)}),)}, r"two or more.*tscl\(temperature=0.5\)"),
        ({"doses": (TEMPERATURE, DoseAsked(policy="tscl", parameter="floor", values=(0.1, 0.2)))}, "one parameter of"),
        ({"params": {"tscl": {"temperature": 2}}}, "both one value and several"),
        ({"doses": (DoseAsked(policy="topk", parameter="keep_fraction", values=(0.2, 0.4)),)}, "'topk', which"),
        ({"doses": (TEMPERATURE.model_copy(update={"values": (-1, 1)}),)}, "temperature"),
        ({"doses": (TEMPERATURE.model_copy(update={"parameter": "heat"}),)}, "heat"),
        ({"kind": "noise", "control": None}, "at one strength"),
    ],
)  # fmt: skip
def test_doses_that_make_no_study_are_said_in_one_line(changes: dict[str, object], fault: str) -> None:
    with pytest.raises(InputError, match=fault) as refused:
        made(**changes)
    assert "\n" not in str(refused.value)


def test_the_flag_names_the_arms_and_answers_what_the_question_left_open() -> None:
    flags = overrides(dose=["tscl.temperature=0.3,1,3"])
    for kind in ("compare", "clarify"):
        asked = with_flags(StudyIntent(question="?", kind=kind), flags)  # type: ignore[arg-type]
        assert (asked.kind, asked.treatments) == ("dose", ("tscl",))
        assert asked.doses[0].values == (0.3, 1, 3)
    assert with_flags(StudyIntent(question="?", kind="compare"), flags | {"pilot": True}).kind == "pilot"
    for wrong in ("tscl", "tscl.temperature", "tscl.temperature=", "tscl.temperature=1,,2", "temperature=1,2"):
        with pytest.raises(InputError, match="--dose"):
            overrides(dose=[wrong])


def test_values_are_written_as_they_are_typed() -> None:
    assert [dose_text(value) for value in (0.3, 1, 1.0, True, "short", 1e-5)] == [
        "0.3",
        "1",
        "1",
        "true",
        "short",
        "1e-05",
    ]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Study:
    def arm(value: float) -> Arm:
        policy = PolicySpec(name="tscl", parameters={"temperature": value})
        return Arm(id=f"tscl-temperature={value:g}", role="treatment", policy=policy)

    control = Arm(id="static", role="control", policy=PolicySpec(name="static"))
    analysis = Analysis(family_size=2, summaries={"flat": dict.fromkeys(BENCHMARKS, 0.25)}, primary="flat")
    planned = plan(
        kind="dose", arms=(control, arm(3.0), arm(0.3)), analysis=analysis, question="tscl at temperature 0.3 and 3"
    )
    study = create_study(planned, tmp_path_factory.mktemp("studies"))
    (study.folder / "behaviour.json").write_text("{}")
    (study.folder / "effects.json").write_text(json.dumps({"tscl-temperature=0.3": 5.0}))
    approve(study, "a person", 5.0)
    ended = supervise_here(study)
    assert ended.returncode == 0, ended.stderr
    return study


def test_every_dose_is_judged_against_the_control_at_the_level_of_the_family(finished: Study) -> None:
    found = compare_arms(finished).comparisons
    assert [(one.treatment, one.control, one.k) for one in found] == [
        ("tscl-temperature=3", "static", 2), ("tscl-temperature=0.3", "static", 2),
    ]  # fmt: skip
    assert found[1].delivery.dose is not None
    assert found[0].delivery.dose is not None
    assert found[1].delivery.dose > found[0].delivery.dose > 0


def test_the_report_sets_value_dose_and_difference_side_by_side(finished: Study) -> None:
    page = evaluate(finished).read_text()
    section = page.split("## Dose and difference")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| 0.3") or line.startswith("| 3 ")]
    assert [row.split("|")[2].strip() for row in rows] == ["tscl-temperature=0.3", "tscl-temperature=3"]
    assert "With increasing temperature, the measured dose of tscl decreases" in section
    assert "No trend of scores with the parameter is tested" in section
    claims = {
        one["id"]: one["text"] for one in json.loads((finished.folder / "report/verdict.json").read_text())["claims"]
    }
    assert "decreases" in claims["dose.tscl.temperature"]


def test_the_commands_of_the_report_name_the_doses(finished: Study) -> None:
    assert "--treatment tscl --control static" in material(finished).commands[1]
    assert "--dose tscl.temperature=0.3,3" in material(finished).commands[1]


QUESTION = "try the teacher-student curriculum at strengths 0.4 and 2 against static"


def reply(**changes: object) -> IntentReply:
    dose = {"policy": "tscl", "parameter": "temperature", "values": [0.4, 2]}
    values = {"kind": "dose", "treatments": ["tscl"], "control": "static", "doses": [dose]}
    return IntentReply.model_validate(values | changes)


def test_an_llm_may_name_doses_that_the_question_states() -> None:
    assert faults_of(reply()) == []
    found = to_intent(QUESTION, reply(), read(QUESTION))
    assert (found.kind, found.treatments, found.doses[0].values) == ("dose", ("tscl",), (0.4, 2))


def test_a_dose_of_an_llm_that_the_question_does_not_state_is_left_out() -> None:
    invented = reply(doses=[{"policy": "tscl", "parameter": "temperature", "values": [0.4, 7]}])
    found = to_intent(QUESTION, invented, read(QUESTION))
    assert (found.kind, found.doses) == ("compare", ())
    assert any("left out" in note for note in found.notes)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"doses": []}, "doses: a dose study"),
        ({"doses": [{"policy": "tscl", "parameter": "heat", "values": [1, 2]}]}, "no 'heat'"),
        ({"doses": [{"policy": "tscl", "parameter": "temperature", "values": [-1, 2]}]}, "parameters:"),
        ({"kind": "noise", "treatments": ["tscl", "topk"]}, "a noise study is of one policy"),
        ({"kind": "pilot", "treatments": [], "doses": []}, "names at least one policy"),
    ],
)
def test_a_reply_that_cannot_be_is_sent_back(changes: dict[str, object], fault: str) -> None:
    assert any(fault in found for found in faults_of(reply(**changes)))


def test_an_llm_that_calls_a_comparison_a_pilot_is_told_what_the_rules_read() -> None:
    question = "does tscl beat static?"
    found = to_intent(question, reply(kind="pilot", doses=[]), read(question))
    assert found.kind == "compare"
    assert any("the rules read" in note for note in found.notes)


def test_a_stored_plan_of_doses_opens_again(finished: Study, tmp_path: Path) -> None:
    planned = finished.plan
    assert planned.kind == "dose"
    assert StudyPlan.model_validate_json(planned.model_dump_json()) == planned
