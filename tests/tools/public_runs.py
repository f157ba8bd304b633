"""The public table of 171 GRPO runs, where a machine has it beside the project; tests that read it skip without."""

import csv
from pathlib import Path

from score_tables import DOMAINS

from tools.scores.table import ScoreRow, ScoreTable

PUBLIC = Path(__file__).parents[3] / "shared" / "data" / "dataflex_rl_runs.csv"


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
