"""A third party's distribution, as an installer leaves it: modules and a dist-info on the path."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from policies import registry


def write_metadata(folder: Path, name: str, entry_points: str) -> None:
    """The dist-info that names a distribution's policies."""
    info = folder / f"{name}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[advisor.policies]\n{entry_points}\n")


def forget_entry_points() -> None:
    """What is installed is looked up again."""
    registry._entry_points.cache_clear()


@contextmanager
def registry_kept() -> Iterator[None]:
    """What is registered meanwhile is forgotten afterwards."""
    forget_entry_points()
    registry.names()
    known = dict(registry._registered)
    try:
        yield
    finally:
        registry._registered.clear()
        registry._registered.update(known)
        forget_entry_points()


@contextmanager
def on_path(folder: Path, package: str) -> Iterator[None]:
    """Distributions under `folder` count as installed; `package` is forgotten afterwards, and what it registered."""
    with registry_kept():
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(folder))
            forget_entry_points()
            yield
        for name in [name for name in sys.modules if name.split(".")[0] == package]:
            del sys.modules[name]
        importlib.invalidate_caches()
