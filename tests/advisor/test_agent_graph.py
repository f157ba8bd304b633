"""The graph: it waits for people, goes on in any process, and believes the ledger more than itself."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import agent_cases
import pytest
from agent_supervisor import TITLE
from openai_server import says, scripted_server

from advisor.conversation import Conversation, conversation
from advisor.nodes import MAX_ROUNDS
from policies.errors import InputError, RefusedError
from tools import catalogue
from tools.study import lifecycle
from tools.study.amend import amend
from tools.study.folder import Study, studies_root

QUESTION = "does tscl beat static?"
CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture(autouse=True)
def _studies() -> None:
    agent_cases.prepare(studies_root())


def process(action: str, thread: str, value: str = "", *, code: int = 0) -> dict[str, Any]:
    """One process of the conversation."""
    command = [sys.executable, agent_cases.__file__, action, thread, value]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == code, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout) if code == 0 else {}
    return found


def asked(talk: Conversation, question: str = QUESTION) -> dict[str, Any] | None:
    return talk.ask(question, {"seeds": 1, "steps": 4}, may_approve=True)


def study_of(state: Any) -> Study:
    return Study(Path(state["study"]))


def settle(study: Study) -> None:
    """Returns when the stand-in supervisor has finished: it holds the lock while it works."""
    import fcntl

    with study.lock.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def finish(talk: Conversation) -> None:
    """Lets the study run out and the report be told."""
    settle(study_of(talk.state))
    while talk.waits_for is not None:
        talk.resume()


def test_a_question_becomes_a_plan_that_waits_for_a_person() -> None:
    with conversation(agent_cases.nodes()) as talk:
        waits = asked(talk)
        assert waits is not None
        assert waits["kind"] == "approve"
        study = study_of(talk.state)
        assert catalogue.study_status(study).approved_by is None
        assert not study.lock.exists()
        json.dumps(talk.state)


def test_approve_launch_await_narrate() -> None:
    with conversation(agent_cases.nodes()) as talk:
        asked(talk)
        study = study_of(talk.state)
        lifecycle.approve(study, "a person")
        talk.resume()
        finish(talk)
        assert talk.state["answer"] == TITLE
        assert catalogue.study_status(study).state == "done"


def test_a_yes_without_a_row_in_the_ledger_starts_nothing() -> None:
    with conversation(agent_cases.nodes()) as talk:
        asked(talk)
        assert talk.resume({"approved": True, "by": "an LLM"}) is None
        assert talk.state["phase"] == "declined"
        assert catalogue.study_status(study_of(talk.state)).runs[0].state == "planned"


def test_a_plan_changed_after_the_yes_starts_nothing() -> None:
    with conversation(agent_cases.nodes()) as talk:
        asked(talk)
        study = study_of(talk.state)
        lifecycle.approve(study, "a person")
        amend(study, study.plan.model_copy(update={"seeds": (1, 2, 3)}))
        talk.resume()
        assert talk.state["phase"] == "declined"


def test_an_open_question_is_answered_in_another_process_and_approved_in_a_third() -> None:
    first = process("ask", "t1", "does tsl beat static?")
    assert first["waits"]["kind"] == "clarify"
    assert "tscl" in first["waits"]["message"]
    second = process("answer", "t1", "tscl")
    assert second["waits"]["kind"] == "approve"
    assert second["state"]["question"] == QUESTION
    lifecycle.approve(study_of(second["state"]), "a person")
    process("go", "t1")
    with conversation(agent_cases.nodes(), "t1") as talk:
        finish(talk)
        assert talk.state["phase"] == "told"


def test_a_kill_inside_launch_is_made_good_by_another_process_and_runs_nothing_twice() -> None:
    study = study_of(process("ask", "t2", QUESTION)["state"])
    lifecycle.approve(study, "a person")
    process("die", "t2", code=9)
    process("go", "t2")
    with conversation(agent_cases.nodes(), "t2") as talk:
        finish(talk)
    assert sorted((studies_root() / "executed.txt").read_text().split("\n"))[1:] == ["static 1 1", "tscl 1 1"]
    assert len([path for path in studies_root().iterdir() if path.is_dir()]) == 1


def test_without_chat_db_the_ledger_says_where_the_study_stands() -> None:
    nodes = agent_cases.nodes()
    with conversation(nodes) as talk:
        asked(talk)
        study = study_of(talk.state)
    for left in nodes.settings.state_dir.iterdir():
        left.unlink()
    with conversation(nodes) as talk:
        waits = talk.open_study(study.folder)
        assert waits == {"kind": "approve", "study": str(study.folder)}
        lifecycle.approve(study, "a person")
        talk.resume()
        finish(talk)
    with conversation(nodes) as talk:
        assert talk.open_study(study.folder) is None
        assert talk.state["answer"] == TITLE


def test_a_thread_of_another_graph_version_starts_anew_from_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    with conversation(agent_cases.nodes()) as talk:
        asked(talk)
        old = talk.thread
        monkeypatch.setattr("advisor.conversation.GRAPH_VERSION", 99)
        waits = talk.resume()
        assert waits is not None
        assert waits["kind"] == "approve"
        assert talk.thread != old


def test_questions_back_end() -> None:
    with conversation(agent_cases.nodes()) as talk:
        asked(talk, "does it help?")
        for _ in range(MAX_ROUNDS - 1):
            assert talk.resume("hm") is not None
        with pytest.raises(InputError, match="Which policy"):
            talk.resume("hm")


def test_with_nobody_to_approve_no_study_folder_is_made() -> None:
    with conversation(agent_cases.nodes()) as talk, pytest.raises(RefusedError, match="--yes --budget"):
        talk.ask(QUESTION, {}, may_approve=False)
    assert [path for path in studies_root().iterdir() if path.is_dir()] == []


def test_the_key_is_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Grepped: conversations, study folder with its logs and ledger, and the runs' own environment."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("ADVISOR_MODEL", "fake-model")
    reply = {"kind": "compare", "treatments": ["tscl"], "control": "static"}
    with scripted_server([says(reply)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with conversation(agent_cases.nodes()) as talk:
            asked(talk)
            assert talk.state["llm_tokens"] == 20
            lifecycle.approve(study_of(talk.state), "a person")
            talk.resume()
            finish(talk)
            assert CANARY not in json.dumps(talk.state)
        assert server.authorizations == [f"Bearer {CANARY}"]
    assert list(tmp_path.rglob("environment.json"))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [path for path in files if CANARY.encode() in path.read_bytes() or b"OPENAI_" in path.read_bytes()] == []


def test_chat_db_is_for_its_owner_only() -> None:
    nodes = agent_cases.nodes()
    with conversation(nodes) as talk:
        asked(talk)
    assert (nodes.settings.state_dir / "chat.db").stat().st_mode & 0o077 == 0
