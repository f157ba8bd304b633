"""A DataFrame is read as the CSV that it would be written as: same scores, same notes, same errors."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policies.errors import InputError
from tests.tools.analyze_tables import wide
from tools.scores.readers.read import read_scores

WORDS = st.sampled_from(["static", "tscl", "a b", "x,y", 'q"', "nan", "", "1", "007", "41,5", "45 %", "two\nlines"])
SCORES = st.floats(0, 100, width=32)


def column(cells: st.SearchStrategy, kind: str) -> Callable[[int], st.SearchStrategy]:
    return lambda rows: st.lists(cells, min_size=rows, max_size=rows).map(lambda made: pd.Series(made, dtype=kind))


COLUMNS = (
    column(SCORES, "float64"),
    column(SCORES, "float32"),
    column(st.one_of(SCORES, st.just(float("nan"))), "float64"),
    column(st.one_of(SCORES, st.none()), "object"),
    column(st.integers(0, 100), "int64"),
    column(st.one_of(st.integers(0, 100), st.none()), "Int64"),
    column(st.booleans(), "bool"),
    column(st.one_of(st.booleans(), st.none()), "boolean"),
    column(WORDS, "object"),
    column(WORDS, "category"),
    column(st.one_of(WORDS, st.none()), "string"),
    column(st.one_of(WORDS, SCORES, st.booleans(), st.none()), "object"),
)
ARMS = (column(st.sampled_from(["static", "tscl"]), "object"), column(st.sampled_from(["static", "tscl"]), "category"))
SEEDS = (column(st.integers(0, 4), "int64"), column(st.integers(0, 4), "float64"), column(st.integers(0, 4), "string"))


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(1, 6))

    def one(kinds: tuple[Callable[[int], st.SearchStrategy], ...]) -> pd.Series:
        return draw(draw(st.sampled_from(kinds))(rows))

    often = st.integers(0, 4).map(bool)
    made = {
        "method": one(ARMS if draw(often) else COLUMNS),
        "seed": one(SEEDS if draw(often) else COLUMNS),
        "gsm8k": one(COLUMNS[:6] if draw(often) else COLUMNS),
        "math500": one(COLUMNS),
        "model": one(COLUMNS),
    }
    frame = pd.DataFrame(made)[draw(st.permutations(list(made)))]
    kept = draw(st.sampled_from([[], ["seed"], ["method", "seed"], ["model"]]))
    if kept:
        return frame.set_index(kept)
    return frame.iloc[::-1] if draw(st.booleans()) else frame


def said(source: pd.DataFrame | Path) -> object:
    """Everything that was read, or the error, without the name of the source and its way to count."""

    def plain(line: str) -> str:
        line = line.replace(str(source), "DataFrame") if isinstance(source, Path) else line
        return re.sub(r"(line|row) (\d+)", lambda at: f"row {int(at[2]) - (at[1] == 'line')}", line)

    try:
        book = read_scores([source])
    except InputError as error:
        return plain(str(error))
    tables = [
        (cell.group, cell.controls, cell.about, table.arms, table.seeds, table.benchmarks, table.duplicates,
         np.nan_to_num(table.scores, nan=-1).tolist())
        for cell in book.cells
        for table in [cell.table]
    ]  # fmt: skip
    return book.format, book.mapping, book.rows, [plain(note) for note in book.notes], tables


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frame=frames())
def test_a_frame_gives_what_its_csv_gives(tmp_path: Path, frame: pd.DataFrame) -> None:
    path = tmp_path / "frame.csv"
    frame.to_csv(path, index=frame.index.names != [None])
    assert said(frame) == said(path)


def long_frame(tmp_path: Path) -> pd.DataFrame:
    frame = pd.read_csv(wide(tmp_path / "t.csv", {"static": 0, "tscl": 0.2}))
    return frame.melt(["method", "seed"], var_name="benchmark", value_name="score")


def test_wide_long_pivoted_and_grouped_frames_are_one_table(tmp_path: Path) -> None:
    long = long_frame(tmp_path)
    pivoted = long.pivot(index=["method", "seed"], columns="benchmark", values="score")
    by_category = long.astype({"benchmark": "category", "method": "category"})
    categories = by_category.pivot(index=["method", "seed"], columns="benchmark", values="score")
    grouped = long.groupby(["method", "seed", "benchmark"])[["score"]].mean()
    halves = pd.concat([long.iloc[:30], long.iloc[20:]]).drop_duplicates()
    known = {
        (arm, seed, name): score
        for arm, seed, name, score in long[["method", "seed", "benchmark", "score"]].itertuples(index=False)
    }
    for frame in (long, pivoted, categories, grouped, halves):
        before = frame.copy()
        ((cell,), found) = ((book := read_scores([frame])).cells, book)
        pd.testing.assert_frame_equal(frame, before)
        assert found.source == ("DataFrame",)
        table = cell.table
        assert {
            (arm, seed, name): table.scores[a, s, b]
            for a, arm in enumerate(table.arms)
            for s, seed in enumerate(table.seeds)
            for b, name in enumerate(table.benchmarks)
        } == pytest.approx(known)


def test_a_frame_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    frame = pd.read_csv(wide(tmp_path / "t.csv", {"static": 0, "tscl": 0.2}))
    twice = frame.rename(columns={"math500": "gsm8k"})
    levels = long_frame(tmp_path).pivot_table(index=["method", "seed"], columns="benchmark", values=["score"])
    bad = frame.astype({"gsm8k": object})
    bad.loc[1, "gsm8k"] = "oops"
    faults = [
        (pd.DataFrame(), "DataFrame is empty (0 rows, 0 columns): nothing to read"),
        (frame.iloc[:0], "DataFrame is empty (0 rows, 14 columns): nothing to read"),
        (twice, "DataFrame: two columns are named 'gsm8k': rename or delete one of them"),
        (frame.set_index(frame["seed"]), "DataFrame: two columns are named 'seed': rename or delete one of them"),
        (levels, "DataFrame has 2 levels of column names, such as ('score', 'aime24'): give each column one name"),
        (
            frame.set_index(frame["method"].to_numpy()),
            "the index of DataFrame has values such as 'static' and no name: name it, or drop it with "
            "reset_index(drop=True)",
        ),
        (bad, "DataFrame row 2: 'oops' in column 'gsm8k' is not a number: correct it"),
    ]
    for wrong, line in faults:
        with pytest.raises(InputError) as caught:
            read_scores([wrong])
        assert str(caught.value) == line


def test_several_sources_are_one_table_and_none_counts_twice(tmp_path: Path) -> None:
    path = wide(tmp_path / "t.csv", {"static": 0, "tscl": 0.2})
    frame = pd.read_csv(path)
    parts = [frame[frame["seed"] == 1], frame[frame["seed"] > 1]]
    both = read_scores(parts)
    assert both.source == ("DataFrame", "DataFrame 2")
    (cell,), (known,) = both.cells, read_scores([path]).cells
    assert np.array_equal(cell.table.scores, known.table.scores)
    with pytest.raises(InputError, match="is named twice: every score in it would count twice"):
        read_scores([frame, frame])
