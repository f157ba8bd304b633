"""Evaluation logs: lm-eval results and Inspect logs as their programs write them."""

import json
import sys

import pytest

from policies.errors import InputError
from tests.tools.scores.score_files import inspect_header, inspect_log, write_lm_eval
from tools.scores import integrity
from tools.scores.readers.read import read_scores
from tools.scores.readers.run_paths import RunPath, run_of

STRICT, FLEXIBLE = "exact_match,strict-match", "exact_match,flexible-extract"


def gsm8k(strict: float, flexible: float = 0.9) -> dict[str, dict[str, float | str]]:
    return {
        "gsm8k": {
            STRICT: strict,
            "exact_match_stderr,strict-match": 0.0138,
            FLEXIBLE: flexible,
            "exact_match_stderr,flexible-extract": "N/A",
        }
    }


@pytest.fixture
def results(tmp_path):
    for arm, seed, score in (("tscl", 1, 0.452), ("tscl", 2, 0.461), ("static", 1, 0.29), ("static", 2, 0.441)):
        write_lm_eval(tmp_path / "evals" / arm / f"seed-{seed}", gsm8k(score))
    return tmp_path / "evals"


def test_a_folder_of_lm_eval_results_is_a_table_with_arm_and_seed_of_its_folders(results):
    book = read_scores([results])
    (cell,) = book.cells
    assert book.format == "lm-eval results"
    assert (cell.table.arms, cell.table.seeds, cell.table.benchmarks) == (("static", "tscl"), (1, 2), ("gsm8k",))
    assert cell.table.scores[:, :, 0].tolist() == [[29.0, 44.1], [45.2, 46.1]], "fractions of 1 times 100"
    assert set(cell.table.questions.ravel().tolist()) == {1319}
    assert len(cell.table.harnesses) == 1
    assert cell.table.harnesses[0].startswith("lm-eval 0.4.9, task version 3.0, 5-shot #")
    assert integrity.faults(cell.table) == ()
    assert book.notes == (
        f"metrics read: {STRICT}; these logs contain fractions of 1, which were multiplied by 100",
        f"SEVERAL METRICS: gsm8k by {STRICT} (not {FLEXIBLE}); choose with --column 'metric=NAME;NAME'",
    )


def test_the_metric_is_the_one_that_the_person_names(results):
    write_lm_eval(results / "tscl" / "seed-1", {**gsm8k(0.4), "arc": {"acc,none": 0.5, "acc_norm,none": 0.6}})
    book = read_scores([results / "tscl"], columns={"metric": f"acc_norm,none; {FLEXIBLE}"})
    (cell,) = book.cells
    assert cell.table.of_arm("tscl", ("gsm8k", "arc"))[0].tolist() == [90.0, 60.0]
    assert not any(note.startswith("SEVERAL METRICS") for note in book.notes)
    with pytest.raises(InputError, match=r"no metric 'f1,none' for --column metric=f1,none: the logs have exact"):
        read_scores([results], columns={"metric": "f1,none"})


@pytest.mark.parametrize(
    "change",
    [
        {"lm_eval_version": "0.4.8"},
        {"n-shot": {"gsm8k": 8}},
        {"versions": {"gsm8k": 2.0}},
        {"task_hashes": {"gsm8k": "beef"}},
        {"chat_template_sha": "beef"},
        {"config": {"model": "vllm", "limit": 100, "random_seed": 0, "fewshot_seed": 1234}},
    ],
)
def test_another_version_prompt_or_setting_is_another_harness(results, change):
    write_lm_eval(results / "tscl" / "seed-2", gsm8k(0.461), **change)
    assert "different harnesses on one benchmark: gsm8k" in integrity.faults(read_scores([results]).cells[0].table)[0]


def test_an_interrupted_evaluation_has_fewer_questions(results):
    write_lm_eval(
        results / "tscl" / "seed-2", gsm8k(0.46), **{"n-samples": {"gsm8k": {"original": 1319, "effective": 900}}}
    )
    faults = integrity.faults(read_scores([results]).cells[0].table)
    assert faults == ("unequal question counts on one benchmark: gsm8k (900, 1319)",)


def test_a_second_evaluation_of_a_run_is_a_duplicate_and_not_chosen_among(results):
    path = write_lm_eval(results / "tscl" / "seed-2", gsm8k(0.461))
    path.with_name("results_2026-04-16T00-00-00.000000.json").write_text(path.read_text().replace("0.461", "0.5"))
    assert integrity.faults(read_scores([results]).cells[0].table) == ("duplicate scores: tscl seed 2 gsm8k",)


def test_an_aggregate_with_a_score_stands_for_its_parts(tmp_path):
    parts = {"mmlu_pro_law": {"exact_match,none": 0.2}, "mmlu_pro_math": {"exact_match,none": 0.4}}
    tasks = {"mmlu_pro": {"exact_match,none": 0.3, "exact_match_stderr,none": 0.01}, **parts}
    counts = {name: {"original": 100, "effective": 100} for name in parts}
    for arm in ("a", "b"):
        groups = {"mmlu_pro": list(parts)}
        write_lm_eval(tmp_path / arm / "seed-1", tasks, **{"group_subtasks": groups, "n-samples": counts})
    (cell,) = read_scores([tmp_path]).cells
    assert cell.table.benchmarks == ("mmlu_pro",)
    assert cell.table.questions.ravel().tolist() == [200, 200], "the sum over its parts"


def test_metrics_that_are_better_when_lower_and_counters_are_no_scores(tmp_path):
    tasks = {
        "wikitext": {"word_perplexity,none": 12.5},
        "arc": {"sample_len": 200, "acc,none": 0.5, "acc_norm,none": 0.6},
    }
    lower = {"wikitext": {"word_perplexity": False}, "arc": {"acc": True, "acc_norm": True}}
    write_lm_eval(tmp_path / "a" / "seed-1", tasks, higher_is_better=lower)
    book = read_scores([tmp_path])
    assert book.cells[0].table.benchmarks == ("arc",)
    assert book.cells[0].table.scores.tolist() == [[[50.0]]]
    assert "tasks without a metric for which higher is better, left out: wikitext" in book.notes


def test_metrics_in_points_are_kept_and_others_above_1_are_refused(tmp_path):
    write_lm_eval(tmp_path / "a" / "seed-1", {"translate": {"bleu,none": 31.5}})
    assert read_scores([tmp_path]).cells[0].table.scores.tolist() == [[[31.5]]]
    write_lm_eval(tmp_path / "b" / "seed-1", {"judge": {"rating,none": 7.5}})
    with pytest.raises(InputError, match=r"judge: rating,none = 7.5 is not a fraction of 1, as expected in logs"):
        read_scores([tmp_path])


def test_results_of_older_versions_have_no_filters(tmp_path):
    path = tmp_path / "a_seed1" / "results.json"
    path.parent.mkdir()
    path.write_text(
        json.dumps({"results": {"gsm8k": {"acc": 0.5, "acc_stderr": 0.01}}, "versions": {"gsm8k": 0}, "config": {}})
    )
    assert read_scores([path]).cells[0].table.scores.tolist() == [[[50.0]]]


def test_arm_and_seed_come_from_the_model_where_folders_do_not_say_them(tmp_path):
    write_lm_eval(tmp_path, gsm8k(0.45), model_name="/ckpt/tscl/seed-1/global_step_300/hf")
    table = read_scores([tmp_path]).cells[0].table
    assert (table.arms, table.seeds) == (("tscl",), (1,))
    write_lm_eval(
        tmp_path / "x", gsm8k(0.45), model_name="", config={"model_args": "pretrained=out/static/seed-4,dtype=auto"}
    )
    table = read_scores([tmp_path / "x"]).cells[0].table
    assert (table.arms, table.seeds) == (("static",), (4,))


def test_a_run_that_nothing_names_is_one_line(tmp_path):
    path = write_lm_eval(tmp_path, gsm8k(0.45), model_name="Qwen/Qwen2.5-7B")
    with pytest.raises(InputError) as caught:
        read_scores([tmp_path])
    assert str(caught.value) == (
        f"{path}: neither its folders nor its model 'Qwen/Qwen2.5-7B' give arm and seed: "
        "put each run's results into a folder ARM/seed-N"
    )
    path = write_lm_eval(tmp_path / "tscl" / "seed-1", gsm8k(0.45), model_name="out/tscl/seed-2")
    with pytest.raises(InputError, match="its folders say seed 1, but its model 'out/tscl/seed-2' says seed 2: move"):
        read_scores([path])


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("evals/7B/tscl/seed-1", RunPath("tscl", 1, "evals/7B")),
        ("tscl/seed_12/step_300", RunPath("tscl", 12, "")),
        ("tscl-s3", RunPath("tscl", 3, "")),
        ("out/tscl_seed=4", RunPath("tscl", 4, "out")),
        ("x/__ckpt__tscl__seed-5__hf", RunPath("tscl", 5, "x/ckpt")),
        ("results/seed-1", None),
        ("tscls1/steps300", None),
        ("a/b", None),
    ],
)
def test_the_lowest_folder_with_a_seed_counts(path, found):
    assert run_of(path.split("/")) == found


def test_folders_above_the_arms_separate_cells(tmp_path):
    for size in ("0.5B", "7B"):
        for arm in ("tscl", "static"):
            write_lm_eval(tmp_path / size / arm / "seed-1", gsm8k(0.45))
    book = read_scores([tmp_path])
    assert [cell.group for cell in book.cells] == [{"folder": str(tmp_path / "0.5B")}, {"folder": str(tmp_path / "7B")}]


def test_results_without_a_task_are_one_line(tmp_path):
    path = write_lm_eval(tmp_path / "a-s1", {})
    with pytest.raises(InputError, match=rf"^{path}: no task with results: evaluate it again, or omit it$"):
        read_scores([tmp_path])


def test_other_json_files_in_the_folder_are_not_read_and_said(results):
    (results / "notes.json").write_text('{"remark": 1}')
    assert read_scores([results]).notes[0] == "JSON files that are not evaluation logs were not read: notes.json"


@pytest.mark.parametrize("form", ["deflated", "zstandard", "json"])
def test_inspect_logs_are_read_in_every_form_that_inspect_writes(tmp_path, form):
    if form == "zstandard":
        pytest.importorskip("zstandard", reason="needs zstandard, of the extra `inspect`")
    for arm, seed, value in (("tscl", 1, 0.6), ("static", 1, 0.5)):
        header = inspect_header("inspect_evals/gsm8k", value)
        path = tmp_path / arm / f"seed-{seed}" / f"2026-11-30_gsm8k_x.{'json' if form == 'json' else 'eval'}"
        path.parent.mkdir(parents=True)
        path.write_bytes(
            json.dumps(header, indent=2).encode() if form == "json" else inspect_log(header, form == "zstandard")
        )
    book = read_scores([tmp_path])
    (cell,) = book.cells
    assert book.format == "inspect logs"
    assert cell.table.arms == ("static", "tscl")
    assert cell.table.scores.tolist() == [[[50.0]], [[60.0]]]
    assert cell.table.benchmarks == ("gsm8k",)
    assert cell.table.questions.ravel().tolist() == [200, 200]
    assert cell.table.harnesses[0].startswith("inspect 0.3.285, task version 3 #")
    assert integrity.faults(cell.table) == ()


def test_the_metadata_of_an_inspect_log_names_its_run(tmp_path):
    (tmp_path / "x.eval").write_bytes(inspect_log(inspect_header("gsm8k", 0.6, metadata={"policy": "tscl", "seed": 7})))
    table = read_scores([tmp_path / "x.eval"]).cells[0].table
    assert (table.arms, table.seeds) == (("tscl",), (7,))


def test_an_evaluation_that_failed_gives_no_score(tmp_path):
    for arm, value in (("tscl", 0.6), ("static", None)):
        (tmp_path / f"{arm}-s1").mkdir()
        (tmp_path / f"{arm}-s1" / "x.eval").write_bytes(inspect_log(inspect_header("gsm8k", value)))
    book = read_scores([tmp_path])
    assert "1 of 2 scores are missing (empty or NaN); none are filled in" in book.notes


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ({"eval": {"task": "x"}}, "its header.json is not that of an Inspect log"),
        (None, "is neither a table nor an Inspect log: export a spreadsheet as CSV"),
    ],
)
def test_another_zip_is_one_line(tmp_path, header, line):
    import io
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json" if header else "[Content_Types].xml", json.dumps(header))
    (tmp_path / "x.xlsx").write_bytes(file.getvalue())
    with pytest.raises(InputError, match=line):
        read_scores([tmp_path / "x.xlsx"])
    (tmp_path / "x.xlsx").write_bytes(file.getvalue()[:-30])
    with pytest.raises(InputError, match=r"x.xlsx is a damaged zip file: copy or export it again"):
        read_scores([tmp_path / "x.xlsx"])


def test_a_log_of_an_unfinished_evaluation_is_one_line(tmp_path):
    import io
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    (tmp_path / "x.eval").write_bytes(file.getvalue())
    with pytest.raises(InputError, match="the evaluation did not finish, so it has no results: omit the file"):
        read_scores([tmp_path / "x.eval"])


def test_without_zstandard_the_line_names_the_command_that_installs_it(tmp_path, monkeypatch):
    pytest.importorskip("zstandard", reason="needs zstandard, of the extra `inspect`")
    (tmp_path / "x.eval").write_bytes(inspect_log(inspect_header("gsm8k", 0.6), zstandard=True))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError, match=r'needs zstandard: pip install "experiment-advisor\[inspect\]"$'):
        read_scores([tmp_path / "x.eval"])


def test_logs_and_tables_are_not_mixed_and_logs_state_their_unit(results, tmp_path):
    (tmp_path / "t.csv").write_text("method,seed,gsm8k\na,1,45\n")
    with pytest.raises(
        InputError,
        match=r"^the table .*t.csv cannot be combined with evaluation logs, which are fractions of 1: omit it$",
    ):
        read_scores([results, tmp_path / "t.csv"])
    with pytest.raises(InputError, match=r"^--unit fraction cannot be combined with evaluation logs"):
        read_scores([results], unit="fraction")
