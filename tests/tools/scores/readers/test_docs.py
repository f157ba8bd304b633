"""The page on bringing one's own scores: its tables are read, its commands run, its lists are the program's."""

import re
import shlex
from pathlib import Path

import pytest

from advisor.cli.main import run
from tests.tools.scores.score_files import inspect_header, inspect_log, write_lm_eval
from tools.scores.columns import ALIASES, GROUPS
from tools.scores.readers.inspect_logs import INSTALL as INSPECT
from tools.scores.readers.parquet import INSTALL as TABLES

PAGE = (Path(__file__).parents[4] / "tools" / "scores" / "README.md").read_text(encoding="utf-8")
FILES = re.findall(r"```(?:csv|json) (\S+)\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name, content in FILES:
        (tmp_path / name).write_text(content)
    for arm, seed, score in (("tscl", 1, 0.6), ("tscl", 2, 0.5), ("static", 1, 0.5), ("static", 2, 0.55)):
        folder = Path(arm) / f"seed-{seed}"
        write_lm_eval(
            tmp_path / "evals" / folder,
            {"gsm8k": {"exact_match,strict-match": score, "exact_match,flexible-extract": score}},
        )
        (tmp_path / "logs" / folder).mkdir(parents=True)
        (tmp_path / "logs" / folder / "x.eval").write_bytes(inspect_log(inspect_header("gsm8k", score)))
    monkeypatch.chdir(tmp_path)


def test_there_is_an_example_of_each_form():
    assert len(FILES) == 3
    assert len(COMMANDS) == 5


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_page_gives_a_verdict(files, capsys, command):
    program, *words = shlex.split(command)
    assert program == "advisor"
    assert run(words) == 0
    assert "tscl against static: Verdict:" in capsys.readouterr().out


def test_the_page_lists_every_name_of_every_role():
    for role, names in ALIASES.items():
        (listed,) = re.findall(rf"^\| {role} \| (.*?) \|", PAGE, re.MULTILINE)
        assert tuple(listed.split(", ")) == names


def test_the_page_lists_every_name_that_separates_cells():
    (listed,) = re.findall(r"same ([\w,\s]*), as far as", PAGE)
    assert tuple(listed.replace("\n", " ").split(", ")) == GROUPS


def test_the_page_names_the_commands_that_install_what_is_missing():
    assert f"`{TABLES}`" in PAGE
    assert f"`{INSPECT}`" in PAGE
