import csv
import json
import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import yaml

from policies.errors import InputError
from tests.calibration.estimate_prior import main
from tests.tools.score_tables import DOMAINS, analysis, row, rows, table
from tools.plan.prior import Prior
from tools.scores.table import ScoreTable
from tools.statistics.power.estimate_prior import estimate_prior
from tools.statistics.power.priors import prior, spread
from tools.statistics.verdict import judge

SIX = analysis().summaries
PUBLIC_TABLE = os.environ.get("ADVISOR_PUBLIC_TABLE")
needs_public_table = pytest.mark.skipif(
    not PUBLIC_TABLE, reason="needs ADVISOR_PUBLIC_TABLE=path of the CSV of 171 public DataFlex-RL runs"
)


def simulated_cell(arms, seeds, covariance, rng):
    """Arms that differ, seeds that differ, and run noise with half the covariance of a paired difference."""
    noise = rng.multivariate_normal(np.zeros(12), covariance / 2, (arms, seeds))
    scores = 50 + rng.normal(0, 3, (arms, 1, 12)) + rng.normal(0, 3, (1, seeds, 12)) + noise
    return table({f"arm{index}": block for index, block in enumerate(scores)})


def test_two_arms_give_exactly_the_sd_of_their_differences():
    made = table({"a": [50, 52, 49, 55], "b": [48, 51, 50, 50]})
    found = estimate_prior(made, SIX, ["x"], "test")
    assert found.df == 3
    assert found.sd == pytest.approx(dict.fromkeys(SIX, float(np.std([2, 1, -1, 5], ddof=1))), abs=1e-6)


def test_it_recovers_the_covariance_it_was_simulated_from():
    rng = np.random.default_rng(0)
    root = rng.normal(0, 1, (12, 12))
    covariance = root @ root.T / 12
    cells = [simulated_cell(9, 8, covariance, rng) for _ in range(40)]
    found = estimate_prior(cells, SIX, ["x"], "test")
    weights = np.array([[w.get(b, 0.0) for b in DOMAINS] for w in SIX.values()])
    assert found.df == 40 * 8 * 7
    np.testing.assert_allclose(found.benchmark_covariance.values, covariance, atol=0.12)
    np.testing.assert_allclose(spread(found, SIX).covariance, weights @ covariance @ weights.T, atol=0.05)


def test_seeds_that_are_not_complete_in_all_arms_are_left_out():
    made = rows({"a": [50, 52, 49, 99], "b": [48, 51, 50, 50]})
    part = [r for r in made if (r.arm, r.seed, r.benchmark) != ("b", 4, "gsm8k")]
    assert estimate_prior(ScoreTable.from_rows(part), SIX, ["x"], "test").df == 2


def test_arms_can_be_chosen():
    made = table({"a": [50, 52, 49], "b": [48, 51, 50], "c": [1, 90, 40]})
    assert estimate_prior(made, SIX, ["x"], "test", arms=("a", "b")).sd["flat_12"] == pytest.approx(1.5275, abs=1e-4)


@pytest.mark.parametrize("arms", [{"a": [50, 52]}, {"a": [50], "b": [51]}])
def test_too_little_data_is_refused(arms):
    with pytest.raises(InputError, match="at least 2 arms and 2 seeds"):
        estimate_prior(table(arms), SIX, ["x"], "test")


def test_scores_that_do_not_vary_are_refused():
    with pytest.raises(InputError, match="do not vary"):
        estimate_prior(table({"a": [50, 52], "b": [51, 53]}), SIX, ["x"], "test")


def test_the_command_prints_an_entry_that_the_prior_table_can_hold(tmp_path, capsys):
    file = tmp_path / "rows.json"
    made = simulated_cell(3, 3, np.eye(12), np.random.default_rng(1))
    file.write_text(
        json.dumps(
            [
                row(arm, seed, name, made.of_arm(arm, (name,))[index, 0]).model_dump()
                for arm in made.arms
                for index, seed in enumerate(made.seeds)
                for name in DOMAINS
            ]
        )
    )
    assert main(["tiny-cpu", str(file)]) == 0
    (entry,) = yaml.safe_load(capsys.readouterr().out)
    read = Prior.model_validate(entry)
    assert (read.names, read.df) == (("tiny-cpu",), 4)
    assert "3 arms x 3 seeds" in read.source


def test_the_command_says_in_one_line_what_is_wrong(tmp_path, capsys):
    assert main([]) == 2
    file = tmp_path / "rows.json"
    file.write_text("{")
    assert main(["x", str(file)]) == 2
    assert str(file) in capsys.readouterr().err.splitlines()[-1]


@pytest.fixture(scope="module")
def public_cells():
    grouped = defaultdict(list)
    for line in csv.DictReader(Path(PUBLIC_TABLE).read_text(encoding="utf-8").splitlines()):
        grouped[line["campaign"], line["model"], line["regime"]].append(line)
    controls, tables = {}, {}
    for cell, lines in grouped.items():
        controls[cell] = {line["method"]: line["control"] for line in lines}
        tables[cell] = ScoreTable.from_rows(
            row(line["method"], int(line["seed"]), name, float(line[name])) for line in lines for name in DOMAINS
        )
    return tables, controls


@needs_public_table
def test_the_shipped_priors_come_from_the_public_table(public_cells):
    tables, _ = public_cells
    for model in {cell[1] for cell in tables}:
        found = estimate_prior([t for cell, t in tables.items() if cell[1] == model], SIX, [model], "test")
        assert found.df == prior(model).df
        assert found.sd == pytest.approx(prior(model).sd, abs=1e-4)


@needs_public_table
def test_no_public_comparison_is_supported_and_nine_exclude_zero_somewhere(public_cells):
    tables, controls = public_cells
    comparisons = []
    for cell, made in tables.items():
        for control in set(controls[cell].values()):
            treatments = [arm for arm, own in controls[cell].items() if own == control != arm]
            if treatments:
                verdict = judge(made, control, treatments, analysis(family_size=len(treatments)))
                comparisons += [(cell, found) for found in verdict.comparisons]
    assert len(comparisons) == 45
    assert not [found for _, found in comparisons if len(found.exclusions_unadjusted) == 6]
    assert sum(bool(found.exclusions_unadjusted) for _, found in comparisons) == 9
    diffband = next(
        f for c, f in comparisons if c[:2] == ("main", "Qwen2.5-0.5B-Instruct") and f.treatment == "diffband"
    )
    read = diffband.summaries["domain_balanced_12"]
    assert (round(read.mean, 2), round(read.p, 3), round(read.p_holm, 2)) == (-0.72, 0.035, 0.28)
