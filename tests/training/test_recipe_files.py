"""A recipe file that cannot be used is one line that says why, and nothing of it reaches a path or a terminal."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from policies.errors import InputError
from training.benchmarks.catalog import suite
from training.models import model_path
from training.recipe import MOST_BYTES, load_recipe, recipe_names
from training.support.paths import demand_plain

SHIPPED = load_recipe("tiny-cpu").model_dump(mode="json")


def written(folder: Path, content: bytes) -> str:
    path = folder / "mine.yaml"
    path.write_bytes(content)
    return str(path)


@pytest.mark.parametrize("name", recipe_names())
def test_a_shipped_recipe_names_itself_and_what_exists(name: str) -> None:
    recipe = load_recipe(name)
    assert recipe.name == name
    assert suite(recipe.suite)
    assert model_path(recipe.model)
    assert recipe.device == "cpu", "this version drives no other"


def test_a_recipe_file_is_what_it_says(tmp_path: Path) -> None:
    file = written(tmp_path, yaml.safe_dump(SHIPPED | {"name": "mine-2", "steps": 7}).encode())
    assert (load_recipe(file).name, load_recipe(file).steps) == ("mine-2", 7)
    assert load_recipe(file, steps=3, model="Qwen/Qwen2.5-0.5B").model == "Qwen/Qwen2.5-0.5B"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"42",
        b"a: [unclosed",
        b"\x80\x81\xff binary",
        b"a: 2001-99-99",
        b"[" * 5000,
        b"? [a]\n: 1",
        b"a: !!python/object/apply:os.getcwd []",
        b"x" * (MOST_BYTES + 1),
    ],
)
def test_a_broken_file_is_one_line(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match=r"mine\.yaml") as caught:
        load_recipe(written(tmp_path, content))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make", ["missing", "folder", "loop", "long"])
def test_what_is_no_file_is_said_to_be_missing(tmp_path: Path, make: str) -> None:
    path = tmp_path / ("x" * 3000 + ".yaml" if make == "long" else "mine.yaml")
    if make == "folder":
        path.mkdir()
    elif make == "loop":
        path.symlink_to(path)
    with pytest.raises(InputError, match="does not exist"):
        load_recipe(str(path))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "../../../elsewhere"),
        ("name", "a/b"),
        ("name", ""),
        ("name", ".."),
        ("name", "a\nb"),
        ("name", "x" * 300),
        ("title", "\x1b[2J"),
        ("model", "\u202eevil"),
        ("schema_version", 2),
        ("devices", 10**30),
        ("prompts_per_step", 10**30),
        ("cost", SHIPPED["cost"] | {"step_s": 1e308}),
        ("cost", SHIPPED["cost"] | {"step_s": 5e-324}),
    ],
)
def test_names_that_leave_their_folder_and_numbers_that_nothing_can_count_are_refused(
    tmp_path: Path, field: str, value: Any
) -> None:
    file = written(tmp_path, yaml.safe_dump(SHIPPED | {field: value}).encode())
    with pytest.raises(InputError, match=f"is not valid: {field}"):
        load_recipe(file)


@pytest.mark.parametrize("name", ["a[1]", "what?", "all*", "${HOME}", "caf\udce9"])
def test_a_folder_that_verl_would_expand_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="use another folder"):
        demand_plain(tmp_path / name / "train.parquet")
    demand_plain(tmp_path / "c w'd=1,{x}y~ü" / "train.parquet")


def test_a_model_folder_is_named_so_that_every_process_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my-model").mkdir()
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path, yaml.safe_dump(SHIPPED | {"model": "my-model"}).encode())
    assert load_recipe(file).model == str(tmp_path / "my-model")
    file = written(tmp_path, yaml.safe_dump(SHIPPED | {"model": "Qwen/Qwen2.5-0.5B"}).encode())
    assert load_recipe(file).model == "Qwen/Qwen2.5-0.5B"
