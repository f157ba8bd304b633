"""With the fork server switched off a run takes longer and computes the same."""

import json
from pathlib import Path

import pytest

from policies.registry import resolve
from tests.e2e.runs import computed, exported_sha256, prepared, short_recipe, trained

pytest.importorskip("verl", reason="needs the train extra")
pytestmark = pytest.mark.slow


def test_a_run_without_it_computes_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for switch in ("1", "0"):
        monkeypatch.setenv("ADVISOR_FAST_START", switch)
        folder = prepared(tmp_path / switch, short_recipe(2), resolve("topk"))
        files = trained(folder)
        assert json.loads(files.attempt(1).driver.read_text())["fast_start"] is (switch == "1")
        made.append((computed(folder), exported_sha256(folder)))
    assert made[0] == made[1]
