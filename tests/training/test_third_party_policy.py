"""A policy of another distribution is found by its entry point, checked, and part of what identifies a run."""

import importlib
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from policies import registry
from policies.errors import InputError
from policies.testing import check_policy
from tests.distributions import forget_entry_points, on_path, write_metadata
from training.identity import artifact_hashes
from training.recipe import load_recipe

SOURCE = Path(__file__).resolve().parent.parent / "fixtures" / "third_party_policy"


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """The fixture distribution as an installer leaves it: a package and its dist-info on the path."""
    shutil.copytree(SOURCE / "example_policies", tmp_path / "example_policies")
    points = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]["entry-points"]["advisor.policies"]
    write_metadata(tmp_path, "example-policies", "\n".join(f"{name} = {where}" for name, where in points.items()))
    with on_path(tmp_path, "example_policies"):
        yield tmp_path


def test_it_is_found_by_its_entry_point_and_loaded_only_when_it_is_used(installed: Path) -> None:
    assert {"shortest", "in_turn"} <= set(registry.names())
    assert "example_policies.shortest" not in sys.modules
    assert registry.get("shortest").__module__ == "example_policies.shortest"
    assert registry.resolve("shortest").parameters == {"keep_fraction": 0.5}
    with pytest.raises(InputError, match="keep_fraction must be a number in"):
        registry.resolve("shortest", {"keep_fraction": 2})


def test_it_is_held_to_the_contract(installed: Path) -> None:
    check = check_policy("shortest")
    assert max(check.steps_changed.values()) > 0.2


def test_its_source_is_part_of_what_identifies_a_run(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = load_recipe("tiny-cpu")
    with_it = artifact_hashes(recipe)
    assert registry.outside_modules() == ("example_policies",)
    forget_entry_points()
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != str(installed)])
    importlib.invalidate_caches()
    without = artifact_hashes(recipe)
    assert "third_party_policies" not in without
    assert without.items() < with_it.items()


def test_another_version_of_it_makes_other_runs(tmp_path: Path) -> None:
    from training.identity import source_sha256

    for name in ("old", "new"):
        shutil.copytree(SOURCE / "example_policies", tmp_path / name)
    assert source_sha256(tmp_path / "old") == source_sha256(tmp_path / "new")
    (tmp_path / "new" / "shortest.py").open("a").write("\n# other\n")
    source_sha256.cache_clear()
    assert source_sha256(tmp_path / "old") != source_sha256(tmp_path / "new")
