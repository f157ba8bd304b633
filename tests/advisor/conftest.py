"""No test here reaches a real LLM or a real home folder: both come from the environment, which is emptied first."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "ADVISOR_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ADVISOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ADVISOR_STUDIES", str(tmp_path / "studies"))
