"""The public table of 171 GRPO runs (DataFlex-RL), where DATAFLEX_RL_RUNS names it; tests that read it skip without."""

import csv
import os
from pathlib import Path

import pytest

from tests.tools.score_tables import DOMAINS
from tools.scores.table import ScoreRow, ScoreTable

PUBLIC = Path(os.environ.get("DATAFLEX_RL_RUNS", "dataflex_rl_runs.csv"))
NEEDED = pytest.mark.skipif(
    not PUBLIC.is_file(), reason="needs the public DataFlex-RL table of runs: name the file in DATAFLEX_RL_RUNS"
)


def public_tables():
    """(campaign, regime) -> table, of the Qwen2.5-7B-Instruct runs."""
    with PUBLIC.open(encoding="utf-8", newline="") as file:
        runs = [run for run in csv.DictReader(file) if run["model"] == "Qwen2.5-7B-Instruct"]
    cells = dict.fromkeys((run["campaign"], run["regime"]) for run in runs)
    return {
        cell: ScoreTable.from_rows(
            ScoreRow(
                arm=run["method"], seed=run["seed"], suite="dataflex-12", benchmark=name, domain=DOMAINS[name],
                score=run[name],
            )
            for run in runs
            if (run["campaign"], run["regime"]) == cell
            for name in DOMAINS
        )
        for cell in cells
    }  # fmt: skip
