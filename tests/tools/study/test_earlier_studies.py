"""Studies made by an earlier version open, go on and report the same: `tests/fixtures/studies`.

`finished` is a real study on the CPU recipe (3 seeds of 12 steps; weights, logs and training data left out), `halfway`
one of stand-in runs that was killed in its second of three seeds.
"""

import csv
import json
import math
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.tools.study_cases import executed, plan, supervise_here
from tools.compare_arms import compare_arms
from tools.plan.plan_hash import plan_hash
from tools.study.folder import Study, check_unedited
from tools.study_status import study_status
from tools.write_report import read_verdict, write_report

STUDIES = Path(__file__).parents[2] / "fixtures" / "studies"


@pytest.fixture
def earlier(request: pytest.FixtureRequest, tmp_path: Path) -> Study:
    with tarfile.open(STUDIES / f"{request.param}.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    return Study(folder)


def alike(found: Any, known: Any) -> bool:
    """Equal, numbers to 12 digits: the last ones depend on the processor's linear algebra."""
    if isinstance(known, dict):
        return list(found) == list(known) and all(alike(found[key], known[key]) for key in known)
    if isinstance(known, list):
        return len(found) == len(known) and all(map(alike, found, known))
    if isinstance(known, float):
        return math.isclose(found, known, rel_tol=1e-12, abs_tol=1e-12)
    return bool(found == known)


def cells(path: Path) -> list[list[Any]]:
    def number(text: str) -> Any:
        try:
            return float(text)
        except ValueError:
            return text

    with path.open(newline="") as lines:
        return [[number(cell) for cell in row] for row in csv.reader(lines)]


@pytest.mark.parametrize("earlier", ["finished"], indirect=True)
def test_a_finished_study_reports_the_same(earlier: Study) -> None:
    report = earlier.folder / "report"
    page, verdict = (report / "report.md").read_bytes(), json.loads((report / "verdict.json").read_bytes())
    tables = {path.name: cells(path) for path in (report / "tables").iterdir()}
    assert study_status(earlier).state == "done"
    with earlier.ledger(read_only=True) as ledger:
        check_unedited(earlier, ledger)
        assert ledger.plan_hash() == plan_hash(earlier.plan) == verdict["plan_hash"]

    assert write_report(earlier).read_bytes() == page
    assert alike(json.loads((report / "verdict.json").read_bytes()), verdict)
    found = {path.name: cells(path) for path in (report / "tables").iterdir()}
    assert all(alike(found[name], tables[name]) for name in tables)
    assert read_verdict(earlier).verdict == compare_arms(earlier)


@pytest.mark.parametrize("earlier", ["halfway"], indirect=True)
def test_a_study_killed_halfway_goes_on_where_it_was(earlier: Study) -> None:
    before = executed(earlier)
    with earlier.ledger(read_only=True) as ledger:
        keys = [run.run_key for run in ledger.runs()]
        assert ledger.plan_hash() == plan_hash(earlier.plan)
    assert supervise_here(earlier, "--take-over").returncode == 0
    assert executed(earlier) == [*before, "tscl 2 1", "static 3 1", "tscl 3 1"]
    with earlier.ledger(read_only=True) as ledger:
        assert ledger.study().state == "done"
        assert [run.run_key for run in ledger.runs()][: len(keys)] == keys


def test_the_hash_of_a_plan_is_what_it_always_was() -> None:
    """Over RFC 8785 JSON: another serializer, or a field that gets into the hash, would void every approval."""
    assert plan_hash(plan()) == "9f6d5d0e9680f7b309e729f5f7217ac3bbad52e5e6abbc6658870ef2a42599c2"
