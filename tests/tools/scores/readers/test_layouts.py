"""Roles of columns, wide and long tables, cells: what is found by name, and what is asked for."""

import csv
import json

import pytest

from policies.errors import InputError
from tests.tools.public_runs import NEEDED, PUBLIC
from tests.tools.scores.score_files import HEAD, PLAIN, read
from tools.scores.benchmark_names import benchmark_id
from tools.scores.columns import ALIASES
from tools.scores.readers.read import read_scores

NAMES = "method, seed, gsm8k, math500"
LONG = "arm,seed,benchmark,score\n"


@NEEDED
def test_the_public_table_has_45_comparisons_in_twelve_cells():
    """Counts from the table's own README: 171 runs, 45 treatment-control pairs inside (campaign, model, regime)."""
    book = read_scores([PUBLIC])
    assert book.rows == 171
    assert len(book.cells) == 12
    assert sum(len(cell.controls) for cell in book.cells) == 45
    assert {tuple(cell.group) for cell in book.cells} == {("campaign", "model", "regime")}
    assert {len(cell.table.seeds) for cell in book.cells} == {3}
    assert book.mapping["arm"] == "method"
    assert book.notes == ("columns not used: run_id; to separate cells by one: --column group=run_id",)
    mixers = next(
        cell for cell in book.cells if cell.group["campaign"] == "mixer" and "0.5B" in str(cell.group["model"])
    )
    assert mixers.controls == {"dump_ucb": "static", "reward_gap": "static", "tscl": "static"}
    assert mixers.about == {"family": "Qwen2.5", "params_b": 0.5, "variant": "instruct", "steps": 300}


def test_wide_long_jsonl_and_nested_records_say_the_same(tmp_path):
    wide = read(tmp_path, PLAIN)
    rows = list(csv.DictReader(PLAIN.splitlines()))
    lines = [f"{row['method']},{row['seed']},{name},{row[name]}" for row in rows for name in ("gsm8k", "math500")]
    long = read(tmp_path, LONG + "\n".join(lines))
    flat = [{name: float(value) if "." in value else value for name, value in row.items()} for row in rows]
    records = read(tmp_path, "\n".join(map(json.dumps, flat)), "t.jsonl")
    nests = [
        {
            "policy": row["method"],
            "seed": row["seed"],
            "scores": {name: float(row[name]) for name in ("gsm8k", "math500")},
        }
        for row in rows
    ]
    nested = read(tmp_path, json.dumps(nests, indent=1), "t.json")
    for book in (long, records, nested):
        (cell,) = book.cells
        assert cell.table.scores.tolist() == wide.cells[0].table.scores.tolist()
        assert cell.table.domains == {"gsm8k": "math", "math500": "math"}
    assert (wide.format, long.format, records.format) == ("wide table", "long table", "wide table")
    assert wide.mapping == {"arm": "method", "seed": "seed", "benchmarks": "gsm8k, math500"}
    assert long.mapping == {"arm": "arm", "seed": "seed", "benchmark": "benchmark", "score": "score"}


@pytest.mark.parametrize("role", ["arm", "seed"])
def test_every_alias_is_found_whatever_its_case_and_separators(tmp_path, role):
    for alias in ALIASES[role]:
        spelled = alias.upper().replace("_", " ")
        book = read(tmp_path, PLAIN.replace({"arm": "method", "seed": "seed"}[role], spelled, 1))
        assert book.mapping[role] == spelled


@pytest.mark.parametrize("role", ["benchmark", "score", "questions", "domain", "harness", "suite", "control"])
def test_every_alias_of_a_long_table_is_found(tmp_path, role):
    names = {"benchmark": "task", "score": "value", "questions": "n", "domain": "category", "harness": "fingerprint"}
    names |= {"suite": "suite", "control": "control"}
    for alias in ALIASES[role]:
        header = [alias if one == role else name for one, name in names.items()]
        cells = {"benchmark": "gsm8k", "score": "45", "questions": "1,319", "domain": "d", "harness": "h"}
        cells |= {"suite": "s", "control": "b"}
        row = [f'"{cell}"' for cell in cells.values()]
        rows = [",".join((arm, "1", *row)) for arm in ("a", "b")]
        book = read(tmp_path, "\n".join((",".join(("arm", "seed", *header)), *rows)))
        (cell,) = book.cells
        assert book.mapping[role] == alias
        assert cell.table.questions[0, 0, 0] == 1319
        assert (cell.table.harnesses, cell.table.suites, cell.table.domains) == (("h",), ("s",), {"gsm8k": "d"})
        assert cell.controls == {"a": "b"}


def test_named_columns_go_before_what_names_say(tmp_path):
    data = "policy,variant_name,run,gsm8k,seed\nx,a,1,45,9\nx,b,1,44,9\n"
    book = read(tmp_path, data, columns={"arm": "variant_name", "seed": "run", "ignore": "policy,seed"})
    (cell,) = book.cells
    assert (cell.table.arms, cell.table.seeds, cell.table.benchmarks) == (("a", "b"), (1,), ("gsm8k",))


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ({"amr": "method"}, "unknown role 'amr' in --column amr=method: use one of arm"),
        ({"arm": "metod"}, "no column 'metod' for --column arm=metod; choose from: method"),
        ({"group": "seed,stage"}, "no column 'stage' for --column group=seed,stage; choose from: " + NAMES),
        ({"benchmarks": ""}, "--column benchmarks= names no column: name at least one, or omit the option"),
        ({"benchmark": "gsm8k"}, f"no score column among {NAMES}: name it with --column score=NAME"),
        ({"score": "gsm8k"}, f"no benchmark column among {NAMES}: name it with --column benchmark=NAME"),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest(tmp_path, columns, line):
    with pytest.raises(InputError) as caught:
        read(tmp_path, PLAIN, columns=columns)
    assert str(caught.value) == line


def test_numeric_columns_that_are_no_scores_are_left_out_with_their_reason(tmp_path):
    header = "method,seed,gsm8k,my_bench,avg,gpu_hours,gsm8k_stderr,gsm8k_n,width,frozen,order,tokens_total,remark\n"
    rows = [
        f"{arm},{seed},4{seed}.5,{10 + 3 * seed + (arm == 'b')},30.{seed},1.{seed},.5,1319,{1 if arm == 'a' else 2},7,"
        f"{2 * (arm == 'b') + seed},{900 + seed},x{seed}"
        for arm in "ab"
        for seed in (1, 2)
    ]
    book = read(tmp_path, header + "\n".join(rows))
    (cell,) = book.cells
    assert cell.table.benchmarks == ("gsm8k", "my_bench")
    assert cell.table.questions[:, :, 0].tolist() == [[1319, 1319], [1319, 1319]]
    assert cell.table.domains == {"gsm8k": "math", "my_bench": ""}
    assert book.notes == (
        "numeric columns taken as benchmarks: my_bench; to omit one: --column ignore=my_bench",
        "columns that describe a benchmark's error are not used: gsm8k_stderr",
        "numeric but not benchmarks: avg (an average of others, by its name), gpu_hours ('gpu' is not a score), "
        "width (the same in all runs of an arm), frozen (one value in every row), order (it numbers the rows), "
        "tokens_total (an average of others, by its name); to choose the benchmarks: --column benchmarks=NAME",
        "columns not used: avg, gpu_hours, width, frozen, order, tokens_total, remark; to separate cells by one: "
        "--column group=avg",
    )
    chosen = read(tmp_path, header + "\n".join(rows), columns={"benchmarks": "avg,my_bench"})
    assert chosen.cells[0].table.benchmarks == ("avg", "my_bench")


def test_names_of_the_same_questions_get_the_catalogue_id_and_others_keep_theirs(tmp_path):
    book = read(tmp_path, "method,seed,MATH-500,gsm8k_cot,gpqa\na,1,45,50,30\nb,1,44,51,31\n")
    assert book.cells[0].table.domains == {"math500": "math", "gsm8k": "math", "gpqa": ""}
    assert "benchmarks by their catalogue names: MATH-500 is math500, gsm8k_cot is gsm8k" in book.notes
    both = read(tmp_path, "method,seed,gsm8k,gsm8k_cot\na,1,45,50\nb,1,44,51\n")
    assert both.cells[0].table.benchmarks == ("gsm8k", "gsm8k_cot")
    assert "BENCHMARKS WITH SIMILAR NAMES are kept separate: gsm8k_cot" in both.notes


@pytest.mark.parametrize("name", ["GSM8K", "gsm8k (%)", "gsm8k_acc", "eval/gsm8k", "GSM8K [%]", "gsm8k_pass@1"])
def test_decorations_of_a_name_do_not_matter(name):
    assert benchmark_id(name) == "gsm8k"


@pytest.mark.parametrize("name", ["gpqa", "mmlu_pro", "bbh", "math", "aime", "mmlu", "aime25", "gsm8k_platinum"])
def test_another_set_of_questions_is_no_alias(name):
    assert benchmark_id(name) is None


def test_domains_come_from_the_person_then_the_table_then_the_catalogue(tmp_path):
    data = "arm,seed,task,score,domain\na,1,gsm8k,45,word\na,1,mine,40,\nb,1,gsm8k,44,word\nb,1,mine,41,\n"
    assert read(tmp_path, data).cells[0].table.domains == {"gsm8k": "word", "mine": ""}
    given = read(tmp_path, data, domains={"mine": "own", "GSM8K": "math"})
    assert given.cells[0].table.domains == {"gsm8k": "math", "mine": "own"}
    with pytest.raises(
        InputError, match="a domain is given for 'other', which is not in the table: it has gsm8k, mine"
    ):
        read(tmp_path, data, domains={"other": "x"})


@pytest.mark.parametrize(
    ("data", "groups"),
    [
        ("method,seed,model,gsm8k\na,1,m,45\nb,1,m,44\n", [{}]),
        ("method,seed,model,gsm8k\na,1,m,45\nb,1,m,44\na,1,n,45\nb,1,n,44\n", [{"model": "m"}, {"model": "n"}]),
        ("method,seed,steps,gsm8k\na,1,300,45\nb,1,300,44\na,1,600,45\nb,1,600,44\n", [{"steps": 300}, {"steps": 600}]),
        ("method,seed,size,gsm8k\na,1,0.5,45\nb,1,0.5,44\na,1,7,45\nb,1,7,44\n", [{"size": 0.5}, {"size": 7.0}]),
        ("method,seed,lr,gsm8k\na,1,1e-6,45\nb,1,1e-6,44\na,1,5e-6,45\nb,1,5e-6,44\n", [{"lr": 1e-6}, {"lr": 5e-6}]),
        ("method,seed,replicate,gsm8k\na,1,0,45\nb,1,0,44\na,1,1,45\nb,1,1,44\n", [{"replicate": 0}, {"replicate": 1}]),
        ("method,seed,kind,gsm8k\na,1,mixing,45\nb,1,control,44\n", [{}]),
        ("method,seed,model,gsm8k\na,1,ckpt-a,45\nb,1,ckpt-b,44\n", [{}]),
        ("method,seed,run_id,gsm8k\na,1,x1,45\nb,1,x2,44\na,1,x3,45\n", [{}]),
        ("method,seed,remark,gsm8k\na,1,,45\na,1,again,46\nb,1,,44\n", [{}]),
    ],
    ids=[
        *("one model", "two models", "steps", "sizes", "a sweep", "replicates"),
        *("kinds of arm", "checkpoints", "ids", "remarks"),
    ],
)
def test_cells_are_separated_by_what_arms_share_and_never_by_what_tells_arms_or_rows_apart(tmp_path, data, groups):
    assert [cell.group for cell in read(tmp_path, data).cells] == groups


def test_arms_of_other_steps_are_compared_and_said(tmp_path):
    book = read(tmp_path, "method,seed,steps,gsm8k\na,1,300,45\na,2,300,46\nb,1,310,44\nb,2,310,43\n")
    assert book.notes[0] == "'steps' is different in every arm, so it does not separate cells: a 300, b 310"


def test_a_named_group_settles_what_separates_cells(tmp_path):
    data = "method,seed,model,wave,gsm8k\na,1,m,x,45\nb,1,m,x,44\na,2,m,y,45\nb,2,m,y,44\na,3,n,y,45\nb,3,n,y,44\n"
    assert [cell.group for cell in read(tmp_path, data, columns={"group": "wave"}).cells] == [
        {"wave": "x"},
        {"wave": "y"},
    ]
    assert [cell.group for cell in read(tmp_path, data, columns={"group": ""}).cells] == [{}]


def test_an_empty_cell_in_a_separating_column_is_said(tmp_path):
    book = read(tmp_path, "method,seed,model,gsm8k\na,1,m,45\nb,1,m,44\na,1,,45\nb,1,,44\n")
    assert [cell.group for cell in book.cells] == [{"model": "m"}, {"model": ""}]
    assert "column 'model' separates cells but is empty in 2 rows, which form separate cells" in book.notes


def test_a_benchmark_that_a_cell_lacks_is_left_out_of_it_and_said(tmp_path):
    data = "method,seed,model,gsm8k,math500\na,1,m,45,60\nb,1,m,44,61\na,1,n,45,\nb,1,n,44,\n"
    book = read(tmp_path, data)
    assert [cell.table.benchmarks for cell in book.cells] == [("gsm8k", "math500"), ("gsm8k",)]
    assert "benchmarks without any score of n, left out: math500" in book.notes


def test_a_cell_without_any_score_is_left_out_and_said(tmp_path):
    data = "method,seed,model,gsm8k\na,1,m,45\nb,1,m,44\na,1,n,\nb,1,n,\n"
    book = read(tmp_path, data)
    assert [cell.group for cell in book.cells] == [{"model": "m"}]
    assert f"no scores at all of n (from {tmp_path / 't.csv'} line 4 on), left out" in book.notes


def test_several_suites_are_cells_of_their_own(tmp_path):
    data = "arm,seed,suite,task,score\na,1,s,x,45\nb,1,s,x,44\na,1,t,x,45\nb,1,t,x,44\n"
    assert [cell.table.suites for cell in read(tmp_path, data).cells] == [("s",), ("t",)]


def test_a_control_without_a_run_in_its_cell_is_not_compared_and_said(tmp_path):
    data = "method,control,seed,model,gsm8k\na,c,1,m,45\nc,c,1,m,44\na,c,1,n,45\nb,,1,n,44\n"
    book = read(tmp_path, data)
    assert [cell.controls for cell in book.cells] == [{"a": "c"}, {}]
    assert "'a' is not compared: its control 'c' has no run in its cell" in book.notes


def test_several_files_are_one_table(tmp_path):
    (tmp_path / "a.csv").write_text(HEAD + "a,1,45,60\n")
    (tmp_path / "b.csv").write_text("seed,method,math500,gsm8k\n1,b,61,44\n2,b,x,43\n")
    with pytest.raises(
        InputError, match=rf"^{tmp_path / 'b.csv'} line 3: 'x' in column 'math500' is not a number: correct it$"
    ):
        read_scores([tmp_path / "a.csv", tmp_path / "b.csv"])
    (tmp_path / "b.csv").write_text("seed,method,math500,gsm8k\n1,b,61,44\n")
    book = read_scores([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert book.source == (str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert book.cells[0].table.scores.tolist() == [[[45, 60]], [[44, 61]]]
