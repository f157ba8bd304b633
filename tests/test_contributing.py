"""CONTRIBUTING.md: its tables are the code's, its paths exist, its commands and code run."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from policies import registry
from tests.distributions import on_path, write_metadata
from tests.source_tree import ROOT, imports, modules

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [line.split(" #")[0].strip() for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]
PYTHON = [block for kind, block in BLOCKS if kind == "python"]
(TOML,) = (block for kind, block in BLOCKS if kind == "toml")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _names(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def test_the_table_of_layers_is_the_import_contract() -> None:
    rows = [_names(row) for row in re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)]
    (contract,) = (
        one["layers"] for one in PYPROJECT["tool"]["importlinter"]["contracts"] if one.get("containers") == ["tools"]
    )
    assert rows == [[name.strip() for name in layer.split("|")] for layer in reversed(contract)]


def test_the_order_inside_training_is_that_of_its_imports() -> None:
    (order,) = re.findall(r"^    (support,.*?)\n\n", PAGE, re.DOTALL | re.MULTILINE)
    place = {name.strip(): at for at, group in enumerate(order.split("<")) for name in group.split(",")}
    ours = {module: module.split(".")[1] for module in modules() if module.startswith("training.")}
    assert set(place) == set(ours.values()) - {"recipes", "fast_start_client"}
    upwards = {
        f"{module} imports {found.module}"
        for module, name in ours.items()
        for found in imports(module)
        if found.module in ours and ours[found.module] != name and place[ours[found.module]] >= place[name]
    }
    assert not upwards, upwards


def test_every_path_exists() -> None:
    paths = set(re.findall(r"`([\w.-]+/[\w./-]*)`", PAGE))
    assert len(paths) > 25
    missing = sorted(path for path in paths if not (ROOT / path).exists())
    assert not missing, missing


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("make ")])
def test_every_make_target_exists(command: str) -> None:
    done = subprocess.run(["make", "-n", *command.split()[1:]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_command_is_checked() -> None:
    known = ("make ", ".venv/bin/pytest ", "advisor ")
    assert COMMANDS
    assert all(command.startswith(known) for command in COMMANDS)
    for command in COMMANDS:
        if command.startswith(".venv/bin/pytest "):
            assert all((ROOT / word).is_file() for word in command.split()[1:]), command


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The page's policy in a distribution of its own, in a folder of its own."""
    (tmp_path / "hardest.py").write_text(PYTHON[0], encoding="utf-8")
    points = tomllib.loads(TOML)["project"]["entry-points"]["advisor.policies"]
    write_metadata(tmp_path, "hardest", "\n".join(f"{name} = {where}" for name, where in points.items()))
    monkeypatch.setenv("ADVISOR_STUDIES", str(tmp_path / "studies"))
    monkeypatch.setenv("ADVISOR_HOME", str(tmp_path / "home"))
    with on_path(tmp_path, "hardest"):
        yield tmp_path


def test_the_example_holds_the_contract_and_is_found(example: Path) -> None:
    assert len(PYTHON) == 2
    assert len([line for line in PYTHON[0].splitlines() if line.strip()]) <= 26
    assert registry.get("hardest").__module__ == "hardest"
    exec(compile(PYTHON[1], "CONTRIBUTING.md", "exec"), {})


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("advisor ")])
def test_the_commands_of_the_example_answer(example: Path, command: str) -> None:
    """In a process of its own: the question reader learns the names of policies once."""
    words = [sys.executable, "-m", "advisor.cli.main", *shlex.split(command)[1:]]
    done = subprocess.run(
        words, cwd=example, env=os.environ | {"PYTHONPATH": str(example)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "hardest" in done.stdout


@pytest.mark.parametrize("command", ["check", "format --check"])
def test_the_example_is_formatted_as_our_own_code_is(tmp_path: Path, command: str) -> None:
    (tmp_path / "hardest.py").write_text(PYTHON[0], encoding="utf-8")
    settings = ["--config", str(ROOT / "pyproject.toml"), str(tmp_path / "hardest.py")]
    done = subprocess.run([sys.executable, "-m", "ruff", *command.split(), *settings], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
