"""What spreadsheets and people do to tables: each trap gives its exact line, and never a traceback."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.errors import InputError
from tests.tools.scores.score_files import HEAD, PLAIN, read
from tools.scores import integrity
from tools.scores.book import ScoreBook
from tools.scores.readers.read import read_scores


def scores(book: ScoreBook) -> list[object]:
    (cell,) = book.cells
    return cell.table.scores.tolist()  # type: ignore[no-any-return]


def first(text: str, cell: str) -> str:
    """The plain table with its first score written otherwise."""
    return text.replace("45.2", cell, 1)


SEMICOLONS = PLAIN.replace(",", ";").replace(".", ",")

UNREADABLE = {
    "empty file": ("", "{file} is empty: name a file with scores"),
    "spaces only": (" \n \n", "{file} is empty: name a file with scores"),
    "header only": (HEAD, "{file} has a header but no rows: add rows below it"),
    "header and empty rows": (HEAD + ",,,\n,,,\n", "{file} has a header but no rows: add rows below it"),
    "no table": (
        "hello world\nfoo\n",
        "{file}: its first line 'hello world' is not the header of a table: separate columns by comma, semicolon, tab "
        "or bar, and name them in the first line",
    ),
    "binary": (
        bytes(range(256)) * 8,
        "{file} is neither a text table nor another supported format: use CSV, TSV, JSONL or Parquet",
    ),
    "damaged gzip": (
        b"\x1f\x8b\x08" + b"0" * 30,
        "{file}: the gzip file is damaged (Compressed file ended before the end-of-stream marker was reached): "
        "create it again",
    ),
    "old spreadsheet": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"0" * 60, "{file} is a spreadsheet: export it as CSV"),
    "short row": (
        PLAIN + "c,1,2\n",
        "{file} line 8: 3 fields, but the header has 4: fill every column in every row, and quote a field that "
        "contains the separator",
    ),
    "long row": (
        PLAIN + "c,1,2,3,4\n",
        "{file} line 8: 5 fields, but the header has 4: fill every column in every row, and quote a field that "
        "contains the separator",
    ),
    "two columns of one name": (
        "method,seed,gsm8k,gsm8k\na,1,45,3\n",
        "{file}: two columns are named 'gsm8k': rename or delete one of them",
    ),
    "column without a name": (
        ",method,seed,gsm8k\nx,a,1,45\ny,b,1,44\n",
        "{file}: column 1 has values but no name: name it in the header or delete it",
    ),
    "two arm columns": (
        "method,policy,seed,gsm8k\na,b,1,45\n",
        "'method' and 'policy' could each be the arm column: choose one with --column arm=method and ignore the other "
        "with --column ignore=policy",
    ),
    "no arm column": (
        "run,seed,gsm8k\na,1,45\n",
        "no arm column among run, seed, gsm8k: name it with --column arm=NAME",
    ),
    "no seed column": (
        "method,gsm8k\na,45\n",
        "no seed column among method, gsm8k: name it with --column seed=NAME, or add one: runs are paired by seed",
    ),
    "no benchmark column": (
        "method,seed,notes\na,1,x\n",
        "no benchmark column among notes: name them with --column benchmarks=NAME,NAME",
    ),
    "wide and long at once": (
        "method,seed,task,score,gsm8k\na,1,x,45,3\n",
        "columns 'task' and 'score' make a long table, 'gsm8k' a wide one: add --column benchmarks=gsm8k or "
        "--column ignore=gsm8k",
    ),
    "arm missing, as in merged cells": (
        HEAD + "a,1,45,60\n,2,46,61\n",
        "{file} line 3: column 'method' is empty: fill it in",
    ),
    "arm that is a spreadsheet error": (
        HEAD + "#REF!,1,45,60\n",
        "{file} line 2: '#REF!' in column 'method' is a spreadsheet error: fill it in",
    ),
    "seed in words": (
        PLAIN.replace("a,1,", "a,first,"),
        "{file} line 2: 'first' in column 'seed' is not a seed: use a whole number",
    ),
    "seed with a fraction": (
        PLAIN.replace("a,1,", "a,1.5,"),
        "{file} line 2: '1.5' in column 'seed' is not a seed: use a whole number",
    ),
    "arm named like a missing value": (
        PLAIN.replace("a,1,", "null,1,"),
        "{file} line 2: 'null' in column 'method' is read as a missing value: write another name",
    ),
    "arm that would colour a terminal": (
        PLAIN.replace("a,1,", "\x1b[31ma,1,"),
        "{file} line 2: '\\x1b[31ma' in column 'method' has control characters: delete them",
    ),
    "column that would turn the reading direction": (
        PLAIN.replace("gsm8k", "\u202egsm8k"),
        "{file}: column name '\\u202egsm8k' has control characters: rename it",
    ),
    "negative seed, which is not seed 1": (
        "method,seed,gsm8k\na,-1,45\na,1,46\n",
        "{file} line 2: '-1' in column 'seed' is not a seed: use a whole number of 0 or more",
    ),
    "seed missing": (
        PLAIN.replace("a,2,", "a,,"),
        "{file} line 3: '' in column 'seed' is not a seed: every row needs one",
    ),
    "seed that became a date": (
        PLAIN.replace("a,1,", "a,01-Jan,"),
        "{file} line 2: '01-Jan' in column 'seed' is a seed that a spreadsheet turned into a date: format the column "
        "as text and export it again",
    ),
    "seed that became a day": (
        PLAIN.replace("a,1,", "a,2024-01-03,"),
        "{file} line 2: '2024-01-03' in column 'seed' is a seed that a spreadsheet turned into a date: format the "
        "column as text and export it again",
    ),
    "seed that lost its digits": (
        PLAIN.replace("a,1,", "a,1.23E+15,"),
        "{file} line 2: '1.23E+15' in column 'seed' lost digits in a spreadsheet: format the column as text and "
        "export it again",
    ),
    "seed of thousands of digits": (
        PLAIN.replace("a,1,", f"a,{'9' * 5000},"),
        "{file} line 2: '" + "9" * 56 + "... in column 'seed' is not a seed: use a whole number",
    ),
    "score that is no number": (
        first(PLAIN, "4O.2"),
        "{file} line 2: '4O.2' in column 'gsm8k' is not a number: correct it",
    ),
    "score with an error bar": (
        first(PLAIN, "45.2 ± 0.3"),
        "{file} line 2: '45.2 ± 0.3' in column 'gsm8k' is not a number: correct it",
    ),
    "score with an underscore": (
        first(PLAIN, "4_5"),
        "{file} line 2: '4_5' in column 'gsm8k' is not a number: correct it",
    ),
    "score that is a spreadsheet error": (
        first(PLAIN, "#DIV/0!"),
        "{file} line 2: '#DIV/0!' in column 'gsm8k' is a spreadsheet error: correct it, or leave the cell empty if "
        "there is no score",
    ),
    "percent signs on some scores": (
        first(PLAIN, "45.2%"),
        "{file} line 3: '46.1' in column 'gsm8k' has no percent sign but '45.2%' has one: write all the same way",
    ),
    "decimal comma that could be thousands": (
        "method;seed;gsm8k\na;1;45,123\nb;1;46\n",
        "'45,123' could be 45.123 or 45123: choose with --decimal comma or --decimal point",
    ),
    "decimal commas and points": (
        PLAIN.replace(",", ";").replace("45.2", "45,2"),
        "decimal commas and decimal points in one table ('45,2' and '46.1'): use one notation for all numbers",
    ),
    "decimal commas in one column, points in another": (
        "method;seed;gsm8k;math500\na;1;45,2;60.5\nb;1;46,1;61.5\n",
        "decimal commas and decimal points in one table ('45,2' and '60.5'): use one notation for all numbers",
    ),
    "every score a fraction": (
        HEAD + "a,1,.452,.60\nb,1,.470,.62\n",
        "every score is in 0..1 (the highest is 0.62), so percent and fractions look alike: state the unit with "
        "--unit fraction or --unit percent",
    ),
    "no score at all": (HEAD + "a,1,,NaN\nb,1,#N/A,-\n", "{file}: no scores at all: fill them in"),
    "questions that are no count": (
        "arm,seed,task,score,n\na,1,gsm8k,45,many\n",
        "{file} line 2: 'many' in column 'n' is not a number of questions: use a whole number",
    ),
    "a control that is no arm": (
        "method,control,seed,gsm8k\na,sttic,1,45\nstatic,,1,44\n",
        "{file} line 2: the control 'sttic' in column 'control' is not an arm of the table; did you mean static; "
        "to ignore the column: --column ignore=control",
    ),
    "two controls of one arm": (
        "method,control,seed,gsm8k\na,b,1,45\na,c,2,44\nb,,1,44\nc,,1,44\n",
        "{file} line 3: 'a' has the control 'c' here but 'b' before: give it one, or separate the cells with "
        "--column group=NAME",
    ),
    "bad JSON": (
        '{"arm":"a","seed":1,"gsm8k":45}\n{"arm":"b", seed}\n',
        "{file} line 2: invalid JSON at column 13: Expecting property name enclosed in double quotes",
    ),
    "a JSON object that is no table": (
        '{"a": 1,\n "b": 2}',
        "{file}: a JSON object that is neither an lm-eval result nor an Inspect log: use a record list",
    ),
    "a JSON list of numbers": ("[1, 2]", "{file}: the JSON list is not a list of records: write [{...}, {...}]"),
    "a field that comes twice": (
        '[{"arm":"a","arm":"b","seed":1,"gsm8k":45}]',
        "{file}: the field 'arm' occurs twice in one record: delete one of them",
    ),
    "nested JSON": (
        '{"arm":"a","seed":1,"x":{"gsm8k":45}}\n',
        "{file} line 1: the field 'x' holds dict {'gsm8k': 45}: write one value per field (only scores, benchmarks, "
        "accuracy, results may hold an object of scores)",
    ),
    "a score that is true": (
        '[{"arm":"a","seed":1,"gsm8k":true},{"arm":"b","seed":1,"gsm8k":45}]',
        "{file} record 1: True in column 'gsm8k' is not a number: correct it",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("data", "line"), UNREADABLE.values(), ids=list(UNREADABLE))
def test_what_cannot_be_read_is_one_line_with_the_place_the_value_and_what_to_do(tmp_path, data, line):
    with pytest.raises(InputError) as caught:
        read(tmp_path, data)
    assert str(caught.value) == line.replace("{file}", str(tmp_path / "t.csv"))


READABLE = {
    "UTF-8 with its mark": (b"\xef\xbb\xbf" + PLAIN.encode(), ()),
    "UTF-16 of a spreadsheet": (
        PLAIN.replace(",", "\t").encode("utf-16"),
        ("{file} is UTF-16 text", "{file} is separated by tabs"),
    ),
    "UTF-16 without its mark": (PLAIN.encode("utf-16-le"), ("{file} is UTF-16 text",)),
    "line ends of Windows": (PLAIN.replace("\n", "\r\n"), ()),
    "line ends of old Macs": (PLAIN.replace("\n", "\r"), ()),
    "semicolons and decimal commas": (
        SEMICOLONS,
        (
            "{file} is separated by semicolons",
            "DECIMAL COMMAS: '45,2' is 45.2; add --decimal point if these are thousands",
        ),
    ),
    "the separator line of Excel": (
        "sep=;\n" + PLAIN.replace(",", ";"),
        ("{file} is separated by semicolons",),
    ),
    "trailing empty columns and rows": (PLAIN.replace("\n", ",,\n") + ",,,,,\n,,,,,\n", ()),
    "empty columns in the header only": (PLAIN.replace(HEAD, HEAD.strip() + ",,\n"), ()),
    "the index of pandas": (
        "\n".join(f"{place - 1 if place else 'Unnamed: 0'},{line}" for place, line in enumerate(PLAIN.split())),
        ("{file}: column 1 has no name and numbers the rows, so it is left out",),
    ),
    "a repeated header": (
        PLAIN.replace("b,1,", HEAD + "b,1,"),
        ("{file}: 1 repeated header lines were skipped",),
    ),
    "quoted names with line breaks": (PLAIN.replace("method,", '"data\n policy",'), ()),
    "percent signs": (
        "\n".join(
            line if place == 0 else ",".join((*line.split(",")[:2], *(f"{score}%" for score in line.split(",")[2:])))
            for place, line in enumerate(PLAIN.split())
        ),
        ("percent signs are read as score points: gsm8k, math500",),
    ),
    "seeds with decimals": (PLAIN.replace(",1,", ",1.0,").replace(",3,", ",3.00,"), ()),
    "seeds with words": (
        PLAIN.replace(",1,", ",seed-1,").replace(",2,", ",Seed 2,").replace(",3,", ",s3,"),
        ("seeds were read as whole numbers: 'seed-1' is seed 1",),
    ),
    "seeds with zeros in front": (
        PLAIN.replace(",1,", ",001,"),
        ("seeds were read as whole numbers: '001' is seed 1",),
    ),
    "spaces around everything": (PLAIN.replace(",", " , "), ()),
    "arms with stray spaces": (PLAIN.replace("a,2", "a ,2"), ("arms that differ only in spaces are one arm: a",)),
}


@pytest.mark.parametrize(("data", "notes"), READABLE.values(), ids=list(READABLE))
def test_what_can_be_read_gives_the_same_scores_and_says_what_was_done(tmp_path, data, notes):
    book = read(tmp_path, data)
    (cell,) = book.cells
    assert (cell.table.arms, cell.table.seeds, cell.table.benchmarks) == (("a", "b"), (1, 2, 3), ("gsm8k", "math500"))
    assert scores(book) == [[[45.2, 60], [46.1, 61], [44.3, 60.5]], [[47, 62], [44.9, 61.5], [46.6, 62.25]]]
    assert book.notes == tuple(note.replace("{file}", str(tmp_path / "t.csv")) for note in notes)
    assert book.rows == 6


def test_windows_1252_is_read_and_said(tmp_path):
    book = read(tmp_path, PLAIN.replace("a,", "régression,").encode("cp1252"))
    assert book.cells[0].table.arms[0] == "régression"
    assert book.notes == (
        f"{tmp_path / 't.csv'} is not UTF-8 text, so it was read as Windows-1252: check names with accents",
    )


@pytest.mark.parametrize("word", ["", "NaN", "nan", "NA", "N/A", "#N/A", "-", "null", "None"])
def test_a_missing_score_stays_missing_and_is_counted(tmp_path, word):
    book = read(tmp_path, first(PLAIN, word))
    assert str(book.cells[0].table.scores[0, 0, 0]) == "nan"
    assert book.notes == ("1 of 12 scores are missing (empty or NaN); none are filled in",)
    assert "missing scores (their seeds are left out): a seed 1 gsm8k" in integrity.notes(book.cells[0].table)


def test_a_stated_decimal_mark_settles_what_could_be_two_numbers(tmp_path):
    data = "method;seed;gsm8k\na;1;45,123\nb;1;46\n"
    assert scores(read(tmp_path, data, decimal="comma")) == [[[45.123]], [[46.0]]]
    book = read(tmp_path, data, decimal="point")
    assert integrity.faults(book.cells[0].table) == ("scores outside 0..100: a seed 1 gsm8k = 45123",)
    with pytest.raises(InputError, match="unknown decimal mark 'dot': use point or comma"):
        read(tmp_path, data, decimal="dot")


def test_a_stated_unit_settles_what_could_be_two_units(tmp_path):
    data = HEAD + "a,1,.29,.60\nb,1,.47,.62\n"
    book = read(tmp_path, data, unit="fraction")
    assert scores(book) == [[[29.0, 60.0]], [[47.0, 62.0]]], "0.29 * 100 is not 29 in binary"
    assert book.notes == ("fractions, as stated: multiplied by 100",)
    low = read(tmp_path, data, unit="percent")
    assert scores(low) == [[[0.29, 0.6]], [[0.47, 0.62]]]
    assert integrity.faults(low.cells[0].table) == ()
    with pytest.raises(InputError, match=r"62 is not a fraction of 1"):
        read(tmp_path, PLAIN.replace("62.25", "62"), unit="fraction")
    with pytest.raises(InputError, match="unknown unit 'points'"):
        read(tmp_path, data, unit="points")


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (first(PLAIN, "inf"), "scores outside 0..100: a seed 1 gsm8k = inf"),
        (first(PLAIN, "-3"), "scores outside 0..100: a seed 1 gsm8k = -3"),
        (first(PLAIN, "0.452"), "scores look like fractions among percent: a seed 1 gsm8k = 0.452"),
        (
            HEAD + "a,1,.452,.60\na,2,.46,.6\nb,1,47,62\nb,2,46,61\n",
            "scores look like fractions in a and like percent in b",
        ),
        (PLAIN + "a,1,45.2,60\n", "duplicate scores: a seed 1 gsm8k, a seed 1 math500"),
        (
            "arm,seed,task,score,n\na,1,gsm8k,45,1319\nb,1,gsm8k,44,200\n",
            "unequal question counts on one benchmark: gsm8k (200, 1319)",
        ),
        (
            "arm,seed,task,score,harness\na,1,gsm8k,45,v1\nb,1,gsm8k,44,v2\n",
            "different harnesses on one benchmark: gsm8k (v1, v2)",
        ),
        (
            "arm,seed,task,score,domain\na,1,gsm8k,45,math\nb,1,gsm8k,44,logic\n",
            "benchmarks with more than one domain: gsm8k",
        ),
        (
            "model,method,seed,gsm8k\nbig,a,1,.45\nbig,b,1,.46\nsmall,a,1,45\nsmall,b,1,46\n",
            "every score is in 0..1 (the highest is 0.46), so fractions and percent look alike: state the unit",
        ),
    ],
)
def test_what_spoils_a_comparison_is_a_fault_of_its_table_and_never_repaired(tmp_path, data, fault):
    assert integrity.faults(read(tmp_path, data).cells[0].table) == (fault,)


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (
            HEAD + "a,1,45,60\nb,1,46,61\n",
            "a and b have one complete seed in common: a difference, but no interval",
        ),
        (
            HEAD + "a,1,45,60\nb,1,46,61\na,2,44,61\nb,2,45,61.5\n",
            "a and b have two complete seeds in common: an interval extends 12.7 standard errors to each side",
        ),
        (HEAD + "a,1,45,60\nb,2,46,61\n", "a and b have no complete seed in common, so nothing can be compared"),
        (PLAIN.replace("b,3", "b,4"), "a has no run of seed 4: only seeds that both arms have are paired"),
        (
            HEAD + "a,1,45,60\na,2,46,61\nb,1,45,60\nb,2,46,61\n",
            "a and b have identical scores in all 4 cells: suspected identical runs",
        ),
        (
            HEAD + "a,1,45,60\na,2,46,60\nb,1,47,60\n",
            "benchmarks with the same score in all runs, which cannot distinguish arms: math500 (60)",
        ),
        (
            HEAD + "a,1,45,.6\na,2,46,.61\nb,1,47,.62\n",
            "all scores in 0..1, while other benchmarks exceed 1 (are these fractions?): math500",
        ),
    ],
)
def test_what_a_reader_must_know_of_a_comparison_is_noted(tmp_path, data, note):
    table = read(tmp_path, data).cells[0].table
    assert integrity.faults(table) == ()
    assert note in integrity.notes(table)


def test_arms_that_differ_in_case_are_kept_apart_and_said(tmp_path):
    book = read(tmp_path, PLAIN.replace("b,", "A,"))
    assert book.cells[0].table.arms == ("a", "A")
    assert book.notes == ("ARMS THAT DIFFER ONLY IN CASE are kept separate: a, A",)


def test_seeds_of_any_size_are_kept_exactly(tmp_path):
    book = read(tmp_path, PLAIN.replace(",1,", ",123456789012345678901234567890,"))
    assert book.cells[0].table.seeds == (2, 3, 123456789012345678901234567890)


def test_files_that_cannot_be_opened_are_one_line(tmp_path):
    with pytest.raises(InputError, match=f"^no such file: {tmp_path / 'nothing.csv'}$"):
        read_scores([tmp_path / "nothing.csv"])
    with pytest.raises(InputError, match=f"^{tmp_path} is a folder without lm-eval results .* name a table$"):
        read_scores([tmp_path])
    (tmp_path / "t.csv").write_text(PLAIN)
    with pytest.raises(InputError, match=r"name its tables one by one \(t.csv\)$"):
        read_scores([tmp_path])
    with pytest.raises(InputError, match="is named twice"):
        read_scores([tmp_path / "t.csv", tmp_path / "t.csv"])
    with pytest.raises(InputError, match="no file to read"):
        read_scores([])


def test_a_file_without_permission_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(PLAIN)

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match=r"t.csv cannot be read: Permission denied$"):
        read_scores([tmp_path / "t.csv"])


PIECES = (
    "",
    "NaN",
    "inf",
    "45,2",
    "45.2%",
    "#N/A",
    "#REF!",
    "seed-3",
    "A",
    " a",
    "é",
    "\x00",
    '"',
    "\n",
    ";",
    "\t",
    "-1",
    "1_0",
)


@settings(max_examples=150)
@given(
    cuts=st.lists(st.tuples(st.integers(0, len(PLAIN)), st.integers(0, 9), st.sampled_from(PIECES)), max_size=4),
    encoding=st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "cp1252")),
    decimal=st.sampled_from(("", "point", "comma")),
    unit=st.sampled_from(("", "percent", "fraction")),
)
def test_whatever_happened_to_a_file_it_is_read_or_refused_in_one_line(cuts, encoding, decimal, unit):
    text = PLAIN
    for at, length, piece in cuts:
        text = text[:at] + piece + text[at + length :]
    assert all("\n" not in line for line in said(text.encode(encoding), decimal=decimal, unit=unit))


def said(data: bytes, **arguments: str) -> tuple[str, ...]:
    """Every line about this file: the error, or the notes and faults."""
    with TemporaryDirectory() as folder:
        try:
            book = read(Path(folder), data, **arguments)
        except InputError as error:
            return (str(error),)
    tables = [cell.table for cell in book.cells]
    return (*book.notes, *(line for table in tables for line in (*integrity.faults(table), *integrity.notes(table))))
