from pathlib import Path

import pytest

from policies.errors import InputError
from training.benchmarks.catalog import DOMAINS
from training.data.tiny import held_out_prompts, training_pool
from training.data.training_files import domains, training_data_sha256, training_rows, write_training_data

TINY = "builtin:tiny"


def test_rows_follow_verls_schema() -> None:
    rows = training_rows(TINY)
    assert len(rows) == len(training_pool())
    for index, (row, drawn) in enumerate(zip(rows, training_pool(), strict=True)):
        assert row == {
            "data_source": drawn.domain,
            "prompt": [{"role": "user", "content": drawn.prompt}],
            "ability": drawn.domain,
            "reward_model": {"style": "rule", "ground_truth": drawn.answer},
            "extra_info": {"split": "train", "index": index, "domain": drawn.domain, "benchmark": drawn.benchmark},
        }


def test_the_files_hold_the_rows_and_validation_holds_no_benchmark_question(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow", reason="needs the `train` extra")
    files = write_training_data(TINY, tmp_path / "made" / "here")
    read = pandas.read_parquet(files.train).to_dict("records")
    assert [{**row, "prompt": list(row["prompt"])} for row in read] == training_rows(TINY)
    validation = pandas.read_parquet(files.validation)
    prompts = {row[0]["content"] for row in validation["prompt"]}
    assert len(prompts) >= 12
    assert not prompts & held_out_prompts()


def test_domains_and_hash_need_no_files() -> None:
    assert domains(TINY) == DOMAINS
    assert len(training_data_sha256(TINY)) == 64


def test_unknown_data_gets_the_nearest_name() -> None:
    with pytest.raises(InputError, match="builtin:tiny"):
        training_data_sha256("builtin:tinny")
