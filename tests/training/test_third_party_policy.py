"""A policy of another distribution is found by its entry point, checked, and part of what identifies a run."""

import importlib
import shutil
import sys
from pathlib import Path

import pytest

from policies import registry
from policies.errors import InputError
from policies.testing import check_policy
from training.identity import artifact_hashes
from training.recipe import load_recipe

SOURCE = Path(__file__).resolve().parent.parent / "fixtures" / "third_party_policy"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The fixture distribution as an installer leaves it: a package and its dist-info on the path."""
    shutil.copytree(SOURCE / "example_policies", tmp_path / "example_policies")
    info = tmp_path / "example_policies-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: example-policies\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(
        "[advisor.policies]\nshortest = example_policies.shortest:Shortest\nin_turn = example_policies.in_turn:InTurn\n"
    )
    registry.names()
    monkeypatch.syspath_prepend(str(tmp_path))
    registry._entry_points.cache_clear()
    yield tmp_path
    for name in [name for name in sys.modules if name.split(".")[0] == "example_policies"]:
        del sys.modules[name]
    monkeypatch.undo()
    importlib.invalidate_caches()
    registry._entry_points.cache_clear()


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


def test_its_source_is_part_of_what_identifies_a_run(installed: Path) -> None:
    recipe = load_recipe("tiny-cpu")
    with_it = artifact_hashes(recipe)
    assert registry.outside_modules() == ("example_policies",)
    registry._entry_points.cache_clear()
    sys.path.remove(str(installed))
    importlib.invalidate_caches()
    without = artifact_hashes(recipe)
    assert "third_party_policies" not in without
    sys.path.insert(0, str(installed))
    assert without.items() < with_it.items()


def test_another_version_of_it_makes_other_runs(tmp_path: Path) -> None:
    from training.identity import _source_sha256

    for name in ("old", "new"):
        shutil.copytree(SOURCE / "example_policies", tmp_path / name)
    assert _source_sha256(tmp_path / "old") == _source_sha256(tmp_path / "new")
    (tmp_path / "new" / "shortest.py").open("a").write("\n# other\n")
    _source_sha256.cache_clear()
    assert _source_sha256(tmp_path / "old") != _source_sha256(tmp_path / "new")
