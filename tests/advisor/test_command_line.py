"""Every command: exit codes, one-line errors, JSON on stdout, talk on stderr."""

import functools
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import agent_cases
import pytest
import typer
from agent_supervisor import TITLE

from advisor.cli import output
from advisor.cli.main import run
from advisor.nodes import Nodes
from advisor.reading.vocabulary import BY_NAME
from tools import catalogue
from tools.study.folder import find_study, studies_root
from tools.study.follow import watch

QUESTION = "does tscl beat static?"
ASK = ("ask", QUESTION, "--seeds", "1", "--steps", "4")


class Ran:
    """What a command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        assert found["schema_version"] == 1
        return found


@pytest.fixture
def advisor(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command line in this process."""

    def call(*words: str) -> Ran:
        code = run(list(words))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies whose runs train nothing."""
    agent_cases.prepare(studies_root())
    stand_in = functools.partial(Nodes, supervisor=agent_cases.SUPERVISOR, identity=agent_cases.FixedIdentity())
    monkeypatch.setattr("advisor.nodes.Nodes", stand_in)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["ask", QUESTION], 3, "--yes --budget"),
        (["ask", QUESTION, "--yes"], 2, "--budget"),
        (["ask", QUESTION, "--yes", "--budget", "lots"], 2, "lots"),
        (["ask", QUESTION, "--yes", "--budget", "0.001"], 4, "at least"),
        (["ask", "", "--yes", "--budget", "1h"], 2, "empty"),
        (["ask", "does it help?", "--yes", "--budget", "1h"], 2, "Which policy"),
        (["ask", "does magic_sampler beat baseline?"], 2, "magic_sampler"),
        (["ask", "how noisy is baseline? 6 seeds"], 3, "--yes --budget"),
        (["plan", "how noisy is baseline?", "--pilot"], 2, "--pilot applies to comparisons"),
        (["plan", QUESTION, "--after-pilot", "nothing"], 2, "nothing"),
        (["plan", QUESTION, "--unmatched"], 2, "applies to a noise study only"),
        (["ask", "which seed is best?"], 3, "refused (seed)"),
        (["plan", QUESTION, "--seeds", "0"], 2, "0 seeds"),
        (["plan", QUESTION, "--seeds", "1000000"], 2, "1000000 seeds"),
        (["plan", QUESTION, "--seeds", "2", "--seed-list", "1,2"], 2, "--seed-list"),
        (["plan", QUESTION, "--seed-list", "one"], 2, "one"),
        (["plan", QUESTION, "--recipe", "tiny-gpu"], 2, "tiny-cpu"),
        (["plan", QUESTION, "--steps", "0"], 2, "steps"),
        (["plan", QUESTION, "--treatment", "tsl"], 2, "tscl"),
        (["plan", QUESTION, "--control", "tscl"], 2, "tscl"),
        (["plan", QUESTION, "--summary", "best_one"], 2, "best_one"),
        (["plan", QUESTION, "--seeds", "many"], 2, "many"),
        (["plan", QUESTION, "--sedes", "3"], 2, "--sedes"),
        (["plan"], 2, "QUESTION|STUDY"),
        (["plna", QUESTION], 2, "did you mean plan"),
        (["status", "nothing"], 2, "nothing"),
        (["approve", "nothing"], 2, "nothing"),
        (["report", "latest"], 2, "plan one with"),
    ],
)
def test_a_fault_is_one_line_with_its_exit_code(advisor: Any, words: list[str], code: int, said: str) -> None:
    ran = advisor(*words)
    assert (ran.code, ran.out) == (code, ""), ran.err
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert said in ran.err
    assert not studies_root().exists()


GOLDEN = Path(__file__).parents[1] / "tools" / "report" / "golden" / "verdict.json"


def test_a_fault_is_an_object_with_json(advisor: Any) -> None:
    ran = advisor("plan", QUESTION, "--seeds", "0", "--json")
    assert ran.document["error"]["exit_code"] == ran.code == 2
    assert "0 seeds" in ran.document["error"]["message"]


def test_a_bug_is_said_to_be_one_and_debug_shows_where(advisor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("advisor.reader.read", broken)
    ran = advisor("understand", QUESTION)
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "bug" in ran.err
    assert "--debug" in ran.err
    assert "Traceback" in advisor("understand", QUESTION, "--debug").err


def test_without_the_train_extra_the_line_that_installs_it_is_said(
    advisor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import metadata

    def version(name: str) -> str:
        if name in {"verl", "torch"}:
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(metadata, "version", version)
    ran = advisor("plan", QUESTION)
    assert ran.code == 1
    assert "pip install -c constraints/cpu.txt -e '.[train]'" in ran.err


def test_understand_shows_the_intent(advisor: Any) -> None:
    assert advisor("understand", QUESTION, "--json").document["treatments"] == ["tscl"]
    assert "static" in advisor("understand", QUESTION).out


def test_a_plan_is_made_shown_approved_and_its_price_is_known(advisor: Any) -> None:
    made = advisor("plan", QUESTION, "--seeds", "2", "--json").document
    assert made["plan"]["seeds"] == [1, 2]
    assert made["cost"]["runs"] == 4
    assert made["power"]["n"] == 2
    assert made["warnings"]
    shown = advisor("plan", made["study"], "--json").document
    assert shown["plan_hash"] == made["plan_hash"]
    text = advisor("plan", "latest").out
    for word in ("held fixed", "can detect", "cost", "budget", "warning"):
        assert word in text
    assert advisor("run", "latest").code == 3
    assert advisor("approve", "latest").code == 3
    assert advisor("approve", "latest", "--yes").code == 2
    assert advisor("approve", "latest", "--yes", "--budget", "0.001").code == 4
    approved = advisor("approve", "latest", "--yes", "--budget", "5h", "--by", "ann", "--json").document
    assert approved["who"] == "ann (--yes)"
    assert approved["plan_hash"] == made["plan_hash"]
    assert advisor("report", "latest").code == 3
    runs = advisor("run", "latest", "--dry-run", "--json").document["runs"]
    assert [(row["arm"], row["seed"]) for row in runs] == [("static", 1), ("tscl", 1), ("static", 2), ("tscl", 2)]
    assert advisor("status", "--json").document["studies"][0]["state"] == "approved"
    assert advisor("status", "latest", "--json").document["approved_by"] == "ann (--yes)"


def test_a_dry_plan_leaves_nothing(advisor: Any) -> None:
    assert advisor("plan", QUESTION, "--dry-run", "--json").document["study"] is None
    assert not studies_root().exists()


def test_one_seed_is_planned_with_a_warning_that_it_cannot_answer(advisor: Any) -> None:
    warnings = advisor("plan", QUESTION, "--seeds", "1", "--dry-run", "--json").document["warnings"]
    assert "no interval" in warnings[0]


def test_a_power_question_is_answered_without_a_study(advisor: Any) -> None:
    question = "how many seeds to see 2 points between tscl and static on Qwen2.5-0.5B-Instruct?"
    for command in ("ask", "plan"):
        power = advisor(command, question, "--json").document["power"]
        assert power["sesoi"] == 2
        assert power["seeds_needed_supported"] > 2
    assert "pairs" in advisor("plan", question).out
    assert not studies_root().exists()


@pytest.mark.usefixtures("stand_ins")
def test_ask_goes_from_question_to_report(advisor: Any) -> None:
    ran = advisor(*ASK, "--yes", "--budget", "1h", "--by", "ann")
    assert ran.code == 0, ran.err
    title, path = ran.out.splitlines()
    assert title == TITLE
    assert Path(path).is_file()
    assert "tscl seed 1: done, step 4/4" in ran.err
    assert "\x1b" not in ran.err
    study = find_study("latest")
    status = catalogue.study_status(study)
    assert (status.state, status.approved_by, status.ceiling_device_hours) == ("done", "ann (--yes)", 1.0)
    assert advisor("resume", study.folder.name, "--json").document["state"] == "done"


@pytest.mark.usefixtures("stand_ins")
def test_ctrl_c_detaches_and_says_how_to_go_on(advisor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("advisor.views.status.watch", interrupted)
        ran = advisor(*ASK, "--yes", "--budget", "1h")
    assert ran.code == 130
    assert "advisor status" in ran.err
    assert "advisor stop" in ran.err
    assert advisor("status", "latest", "--follow", "--json").document["state"] == "done"
    report = find_study("latest").folder / "report" / "report.md"
    assert advisor("status", "latest", "--follow").out.splitlines() == [TITLE, str(report)]


@pytest.mark.usefixtures("stand_ins")
def test_asked_again_an_unfinished_study_goes_on_and_a_finished_one_is_not_touched(
    advisor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> Any:
        raise KeyboardInterrupt

    (studies_root() / "behaviour.json").write_text('{"static/seed-1": "crash-once"}')
    with monkeypatch.context() as patched:
        patched.setattr("advisor.views.status.watch", interrupted)
        assert advisor(*ASK, "--yes", "--budget", "1h").code == 130
    *_, halted = watch(find_study("latest"), 0.02)
    assert halted.state == "interrupted"
    again = advisor(*ASK, "--yes", "--budget", "1h")
    assert again.code == 0, again.err
    (study,) = advisor("status", "--json").document["studies"]
    assert f"{study['id']} has this plan" in again.err
    assert Path(again.out.splitlines()[1]).is_relative_to(study["folder"])
    runs = advisor("status", "latest", "--json").document["runs"]
    assert {run["arm"]: run["attempts"] for run in runs} == {"static": 2, "tscl": 1}
    (studies_root() / "behaviour.json").write_text("{}")
    assert advisor(*ASK, "--yes", "--budget", "1h").code == 0
    assert len(advisor("status", "--json").document["studies"]) == 2


def test_a_plan_made_twice_is_one_study_until_it_is_changed(advisor: Any) -> None:
    first = advisor("plan", QUESTION, *ASK[2:], "--json").document["study"]
    assert advisor("plan", QUESTION, *ASK[2:], "--json").document["study"] == first
    assert advisor("plan", QUESTION, *ASK[2:], "--sesoi", "2", "--json").document["study"] != first
    assert advisor("plan", f"{QUESTION} ", "--treatment", "topk", "--json").document["study"] != first


def test_what_is_said_to_type_can_be_typed(advisor: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    odd = tmp_path / 'it\'s a "研究" $HOME'
    monkeypatch.setenv("ADVISOR_STUDIES", str(odd))
    said = advisor("plan", QUESTION, *ASK[2:]).err
    advisor("approve", "latest", "--yes", "--budget", "1h")
    for line in advisor("run", "latest", "--dry-run").out.splitlines():
        assert odd in Path(shlex.split(line)[1]).parents
    words = shlex.split(said.rpartition("next: advisor ")[2])
    assert words[0] == "approve"
    monkeypatch.setenv("ADVISOR_STUDIES", str(tmp_path / "elsewhere"))
    moved = odd / words[1]
    assert f"next: advisor run {shlex.quote(str(moved))}" == catalogue.study_status(find_study(moved)).standing


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Somebody at a terminal who gives these answers."""

    def answers(*, yes: bool, text: str = "") -> None:
        monkeypatch.setattr("advisor.cli.output.at_terminal", lambda: True)
        monkeypatch.setattr("typer.confirm", lambda *_, **__: yes)
        monkeypatch.setattr("typer.prompt", lambda *_, **__: text)

    return answers


@pytest.mark.usefixtures("stand_ins")
def test_a_person_sees_the_plan_says_no_and_nothing_runs(advisor: Any, person: Any) -> None:
    person(yes=False)
    ran = advisor(*ASK)
    assert ran.code == 3
    assert "held fixed" in ran.err
    assert "cannot answer" in ran.err
    study = find_study("latest")
    assert f"advisor approve {study.folder.name}" in ran.err
    assert catalogue.study_status(study).approved_by is None


@pytest.mark.usefixtures("stand_ins")
def test_a_person_who_leaves_the_question_has_not_approved(
    advisor: Any, person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaves(*_: object, **__: object) -> bool:
        raise typer.Abort

    person(yes=True)
    monkeypatch.setattr("typer.confirm", leaves)
    ran = advisor(*ASK)
    study = find_study("latest")
    assert ran.code == 3
    assert f"\nerror: not approved, and nothing was run; to approve it later: advisor approve {study.name}\n" in ran.err
    assert advisor("approve", "latest").code == 3
    assert catalogue.study_status(study).approved_by is None


@pytest.mark.usefixtures("stand_ins")
def test_a_person_answers_the_question_back_and_approves(advisor: Any, person: Any) -> None:
    person(yes=True, text="tscl")
    ran = advisor("ask", "does tsl beat static?", "--seeds", "1", "--steps", "4", "--by", "ann", "--json")
    assert ran.code == 0, ran.err
    assert ran.document["answer"] == TITLE
    assert ran.document["status"]["approved_by"] == "ann"


def test_a_study_without_valid_data_is_refused(tmp_path: Path) -> None:
    from advisor.cli.following import demand_done, demand_valid
    from policies.errors import AdvisorError, RefusedError
    from tools.report.study.verdict_json import read_verdict_file
    from tools.statistics.verdict_model import Verdict
    from tools.study.blinded import BlindView
    from tools.study.status import StudyStatus

    status = StudyStatus(
        id="s", folder=str(tmp_path), state="done", phase="", reason="", plan_hash="h", approved_by="ann", seeds=1,
        seeds_scored=1, runs=(), spent_device_hours=0, ceiling_device_hours=1, device_hours_unit="h", eta_s=None,
        report=None, blind=BlindView(design="fixed: 1 seed", pairs=1, summary="flat", pooled_sd=None, looks=0),
    )  # fmt: skip
    found = read_verdict_file(GOLDEN, "advisor report")
    page = tmp_path / "report.md"
    demand_valid(found, page)
    invalid = [one.model_copy(update={"verdict": "invalid_data"}) for one in found.verdict.comparisons]
    one_of_two = (*found.verdict.comparisons, *invalid)
    demand_valid(found.model_copy(update={"verdict": Verdict(suite="tiny-12", comparisons=one_of_two)}), page)
    with pytest.raises(RefusedError, match="valid data"):
        demand_valid(found.model_copy(update={"verdict": Verdict(suite="tiny-12", comparisons=tuple(invalid))}), page)
    with pytest.raises(AdvisorError, match="run tscl seed 1 failed"):
        demand_done(status.model_copy(update={"state": "blocked", "reason": "run tscl seed 1 failed"}))


@pytest.mark.parametrize("command", ["policies", "recipes", "benchmarks", "summaries"])
def test_lists(advisor: Any, command: str) -> None:
    rows = advisor(command, "--json").document[command]
    assert rows
    name = str(rows[0].get("name", rows[0].get("id")))
    assert name in advisor(command).out


def test_doctor_says_what_there_is_and_never_the_key(advisor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")
    monkeypatch.setenv("ADVISOR_MODEL", "some-model")
    ran = advisor("doctor", "--json")
    checks = {check["name"]: check for check in ran.document["checks"]}
    assert checks["llm"]["state"] == "ok"
    assert "some-model" in checks["llm"]["detail"]
    assert "canary" not in ran.out + advisor("doctor").out
    assert ran.code == (0 if ran.document["healthy"] else 1)


@pytest.mark.parametrize(
    ("switch", "state", "says"),
    [
        ("", "info", "on; ADVISOR_FAST_START=0 switches it off"),
        ("0", "info", "unset ADVISOR_FAST_START"),
        ("maybe", "missing", "ADVISOR_FAST_START is 'maybe'; set 0"),
    ],
)
def test_doctor_shows_the_switch_of_the_fast_start(
    advisor: Any, monkeypatch: pytest.MonkeyPatch, switch: str, state: str, says: str
) -> None:
    monkeypatch.setenv("ADVISOR_FAST_START", switch)
    checks = {check["name"]: check for check in advisor("doctor", "--json").document["checks"]}
    assert checks["fast start"]["state"] == state
    assert says in checks["fast start"]["detail"]


def test_a_malformed_setting_is_named_without_its_value(advisor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_LLM_TIMEOUT_S", "soon")
    ran = advisor("understand", QUESTION)
    assert ran.code == 2
    assert "ADVISOR_LLM_TIMEOUT_S" in ran.err


def test_settings_come_from_their_own_variables_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from advisor.settings import load_settings

    for name in ("MODEL", "API_KEY", "BASE_URL"):
        monkeypatch.setenv(name, "somebody else's")
    settings = load_settings()
    assert not settings.has_llm
    assert settings.home is not None
    assert settings.home.name == "home"


def test_json_holds_no_nan(capsys: pytest.CaptureFixture[str]) -> None:
    output.emit({"value": float("nan"), "list": [1.0, float("inf")]})
    assert json.loads(capsys.readouterr().out) == {"schema_version": 1, "value": None, "list": [1.0, None]}


def test_light_commands_load_nothing_heavy() -> None:
    code = (
        "import sys; from advisor.cli.main import run; run(['--help']); "
        "heavy = {'torch', 'ray', 'verl', 'langgraph', 'openai', 'scipy', 'pandas', 'matplotlib', 'numpy', 'rich'}; "
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("name", ["tools", "policies", "training"])
def test_a_folder_with_packages_of_the_same_name_is_told_apart(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong package was imported')")
    own = [sys.executable, "-m", "advisor.cli.main", "--help"]
    ran = subprocess.run(own, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert f"package '{name}'" in ran.stderr
    script = [str(Path(sys.executable).with_name("advisor")), "recipes", "--json"]
    ran = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr


def test_the_policies_are_thirteen_and_placebos_marked_as_such(advisor: Any) -> None:
    rows = advisor("policies", "--json").document["policies"]
    builtin = [row for row in rows if not row["placebo"] and row["family"] != "broken"]
    assert len([row for row in builtin if row["name"] in BY_NAME]) == len(BY_NAME) == 13
    assert {row["name"] for row in rows if row["placebo"]} == {"placebo_ones", "placebo_zeros", "random_reward"}
    for row in rows:
        assert row["signal"], row
        assert row["source"], row
        assert row["inert_when"], row


@pytest.mark.parametrize("name", [*BY_NAME, "random_reward"])
def test_a_policy_is_explained_with_formula_parameters_and_proof(advisor: Any, name: str) -> None:
    told = advisor("policies", "show", name, "--json").document["policy"]
    assert told["formula"]
    assert told["delivery"]
    for parameter in told["parameters"]:
        assert parameter["default_of"] in ("the study's", "ours"), parameter
        assert parameter["takes"], parameter
        assert parameter["about"], parameter
    shown = advisor("policies", "show", name).out
    assert told["source"] in shown
    assert all(parameter["name"] in shown for parameter in told["parameters"])


def test_an_unknown_policy_is_offered_the_nearest(advisor: Any) -> None:
    ran = advisor("policies", "show", "topq")
    assert (ran.code, "did you mean topk" in ran.err) == (2, True)
