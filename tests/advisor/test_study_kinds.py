"""The commands of tools/study/README.md make plans of the kinds that it says."""

import json
import re
import shlex
from pathlib import Path

import pytest

import tools.study
from advisor.cli.main import run

PAGE = Path(tools.study.__path__[0]) / "README.md"
COMMANDS = re.findall(r"^advisor .*$", PAGE.read_text(encoding="utf-8").split("```sh")[1].split("```")[0], re.MULTILINE)
KINDS = ("compare", "dose", "dose", "noise", "noise", "pilot", "pilot")


def test_the_page_has_a_command_for_every_kind() -> None:
    assert len(COMMANDS) == len(KINDS)


@pytest.mark.parametrize(("command", "kind"), list(zip(COMMANDS, KINDS, strict=True)))
def test_a_command_makes_a_plan_of_its_kind(
    command: str, kind: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.design.forecast.assumed_spread", lambda _: None)  # spares seconds of simulation
    assert run([*shlex.split(command)[1:], "--dry-run", "--no-llm", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["plan"]["kind"] == kind
    assert document["study"] is None
