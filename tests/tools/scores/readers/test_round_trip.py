"""A table is the same ScoreTable whatever file it was written to; and ScoreTable is what a slow loop would make."""

import csv
import gzip
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.scores.readers.read import read_scores
from tools.scores.table import Cell, ScoreRow, ScoreTable

Rows = list[dict[str, str | int | float | None]]
ARMS = st.text(st.characters(categories=("L", "N"), include_characters=" _-,;'\"é中"), min_size=1, max_size=8).map(
    lambda text: f"arm{text.strip()}"
)
NAMES = ("gsm8k", "math500", "my bench", "kk,hard")


@st.composite
def tables(draw: st.DrawFn) -> tuple[ScoreTable, Rows, Rows]:
    """A table with holes, its wide and its long rows. Every arm, seed and benchmark has a score above 1."""
    arms = draw(st.lists(ARMS, min_size=1, max_size=3, unique_by=lambda name: " ".join(name.casefold().split())))
    arms = [" ".join(name.split()) for name in arms]
    seeds = draw(st.lists(st.integers(0, 10**12), min_size=2, max_size=4, unique=True))
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    size = len(arms) * len(seeds) * len(names)
    values = draw(st.lists(st.none() | st.floats(0, 100).map(lambda x: round(x, 4)), min_size=size, max_size=size))
    block = np.array([np.nan if value is None else value for value in values]).reshape(
        len(arms), len(seeds), len(names)
    )
    for place in range(max(len(arms), len(seeds), len(names))):
        block[place % len(arms), place % len(seeds), place % len(names)] = 40.5 + place
    wide: Rows = []
    long: Rows = []
    for a, s in np.ndindex(len(arms), len(seeds)):
        scores = {name: None if np.isnan(x) else float(x) for name, x in zip(names, block[a, s], strict=True)}
        wide.append({"method": arms[a], "seed": seeds[s], **scores})
        long += [{"method": arms[a], "seed": seeds[s], "task": name, "score": x} for name, x in scores.items()]
    columns = [long_column(long, name) for name in ("method", "seed", "task", "score")]
    made = ScoreTable.from_columns(
        arm=columns[0], seed=columns[1], benchmark=columns[2], score=np.array(columns[3], dtype=float)
    )
    return made, wide, long


def long_column(rows: Rows, name: str) -> list:
    return [row[name] for row in rows]


def separated(mark: str) -> Callable[[Rows], bytes]:
    def write(rows: Rows) -> bytes:
        file = io.StringIO()
        writer = csv.DictWriter(file, list(rows[0]), delimiter=mark)
        writer.writeheader()
        writer.writerows(rows)
        return file.getvalue().encode()

    return write


def json_lines(rows: Rows) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def json_list(rows: Rows) -> bytes:
    return json.dumps(rows, indent=2).encode()


def parquet(rows: Rows) -> bytes:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra `tables`")
    from pyarrow import parquet as files

    file = io.BytesIO()
    files.write_table(pyarrow.Table.from_pylist(rows), file)
    return file.getvalue()


WRITERS = {
    "comma": separated(","), "semicolon": separated(";"), "tab": separated("\t"), "bar": separated("|"),
    "gzip": lambda rows: gzip.compress(separated(",")(rows)),
    "JSONL": json_lines, "JSON": json_list, "Parquet": parquet,
}  # fmt: skip


@pytest.mark.parametrize("form", list(WRITERS))
@settings(max_examples=15, deadline=None)
@given(made=tables())
def test_every_form_of_file_gives_the_same_table(form, made):
    expected, wide, long = made
    for rows in (wide, long):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t"
            path.write_bytes(WRITERS[form](rows))
            columns = {"benchmarks": ",".join(expected.benchmarks)} if rows is wide else {}
            (cell,) = read_scores([path], columns=columns).cells
        assert (cell.table.arms, cell.table.seeds) == (expected.arms, expected.seeds)
        order = [cell.table.benchmark_index[name] for name in expected.benchmarks]
        np.testing.assert_array_equal(cell.table.scores[:, :, order], expected.scores)
        assert (cell.table.duplicates, cell.group) == ((), {})


@st.composite
def score_rows(draw: st.DrawFn) -> list[ScoreRow]:
    """Rows in any order, with duplicates, several suites and harnesses, and domains that contradict each other."""
    one = st.builds(
        ScoreRow,
        arm=st.sampled_from("abc"), seed=st.integers(-2, 3), suite=st.sampled_from("st"),
        benchmark=st.sampled_from("wxyz"), domain=st.sampled_from(("", "m", "n")), score=st.floats(-5, 105),
        questions=st.none() | st.integers(1, 9), harness=st.sampled_from(("", "h")),
    )  # fmt: skip
    return draw(st.lists(one, min_size=1, max_size=40))


@settings(max_examples=100, deadline=None)
@given(rows=score_rows())
def test_a_table_is_what_a_loop_over_its_rows_makes(rows):
    table = ScoreTable.from_rows(rows)
    assert table.arms == tuple(dict.fromkeys(row.arm for row in rows))
    assert table.seeds == tuple(sorted({row.seed for row in rows}))
    assert table.benchmarks == tuple(dict.fromkeys(row.benchmark for row in rows))
    assert table.suites == tuple(dict.fromkeys(row.suite for row in rows))
    assert table.harnesses == tuple(dict.fromkeys(row.harness for row in rows))
    kept: dict[Cell, ScoreRow] = {}
    again: dict[Cell, None] = {}
    domains: dict[str, str] = {}
    conflicts: dict[str, None] = {}
    for row in rows:
        if domains.setdefault(row.benchmark, row.domain) != row.domain:
            conflicts[row.benchmark] = None
        if kept.setdefault(Cell(row.arm, row.seed, row.benchmark), row) is not row:
            again[Cell(row.arm, row.seed, row.benchmark)] = None
    assert (table.domains, table.domain_conflicts, table.duplicates) == (domains, tuple(conflicts), tuple(again))
    for a, arm in enumerate(table.arms):
        for s, seed in enumerate(table.seeds):
            for b, benchmark in enumerate(table.benchmarks):
                row = kept.get(Cell(arm, seed, benchmark))
                if row is None:
                    assert np.isnan(table.scores[a, s, b])
                    assert (table.questions[a, s, b], table.harness[a, s, b]) == (-1, -1)
                else:
                    assert table.scores[a, s, b] == row.score
                    assert table.questions[a, s, b] == (-1 if row.questions is None else row.questions)
                    assert table.harnesses[table.harness[a, s, b]] == row.harness


@settings(max_examples=50, deadline=None)
@given(rows=score_rows(), benchmarks=st.lists(st.sampled_from("wxyzq"), min_size=1, max_size=4, unique=True))
def test_pairs_are_the_seeds_that_both_arms_have_complete(rows, benchmarks):
    table = ScoreTable.from_rows(rows)
    first = {Cell(row.arm, row.seed, row.benchmark): row.score for row in reversed(rows)}
    pairs = table.paired("a", "b", benchmarks)
    wanted = [s for s in table.seeds if all(Cell(arm, s, name) in first for arm in "ab" for name in benchmarks)]
    assert pairs.seeds == tuple(wanted)
    assert pairs.treatment.tolist() == [[first[Cell("a", s, name)] for name in benchmarks] for s in wanted]
    assert pairs.control.tolist() == [[first[Cell("b", s, name)] for name in benchmarks] for s in wanted]


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="a column of 1 rows in a table of 2"):
        ScoreTable.from_columns(arm=["a"], seed=[1, 2], benchmark=["x", "x"], score=[1.0, 2.0])


def test_a_row_without_a_score_says_only_what_there_is():
    table = ScoreTable.from_columns(
        arm=["a", "b"], seed=[1, 2], benchmark=["x", "y"], score=[np.nan, 5.0], harness=["h", "k"]
    )
    assert (table.arms, table.seeds, table.benchmarks) == (("a", "b"), (1, 2), ("x", "y"))
    assert table.harness[0, 0, 0] == -1
    assert (
        ScoreTable.from_columns(arm=["a", "a"], seed=[1, 1], benchmark=["x", "x"], score=[np.nan, 5.0]).duplicates == ()
    )


def test_parquet_without_pyarrow_names_the_command_that_installs_it(tmp_path, monkeypatch):
    import sys

    from policies.errors import InputError

    (tmp_path / "t.parquet").write_bytes(b"PAR1" + b"0" * 20)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r'reading Parquet needs pyarrow: pip install "experiment-advisor\[tables\]"$'):
        read_scores([tmp_path / "t.parquet"])


def test_a_damaged_parquet_file_is_one_line(tmp_path):
    pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra `tables`")
    from policies.errors import InputError

    (tmp_path / "t.parquet").write_bytes(b"PAR1" + b"0" * 20)
    with pytest.raises(InputError, match=r"t.parquet: not a readable Parquet file \([^\n]+\): write it again$"):
        read_scores([tmp_path / "t.parquet"])
