"""Where `study.db` lies decides how it is written: no shared-memory log on a network filesystem."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from tests.tools.study_cases import new_study
from tools.study.database import on_network


@pytest.fixture
def mounted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretends that these folders are mounted, each with a kind of filesystem."""

    def mount(**kinds: str) -> None:
        parts = [SimpleNamespace(mountpoint=folder, fstype=kind) for folder, kind in kinds.items()]
        monkeypatch.setattr(psutil, "disk_partitions", lambda **_: parts)

    return mount


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "lustre", "ceph", "9p"])
def test_the_nearest_mount_decides(tmp_path: Path, mounted: Callable[..., None], kind: str) -> None:
    home = tmp_path / "home"
    mounted(**{"/": "ext4", str(home): kind})
    assert on_network(home / "studies" / "study.db")
    assert not on_network(tmp_path / "homely" / "study.db")
    mounted(**{"/": kind, str(home): "xfs"})
    assert not on_network(home / "study.db")
    mounted()
    assert not on_network(home / "study.db")


def test_on_a_network_filesystem_the_journal_is_a_plain_file(tmp_path: Path, mounted: Callable[..., None]) -> None:
    mounted(**{"/": "nfs4"})
    study = new_study(tmp_path)
    with study.ledger() as ledger:
        assert ledger.study().state == "approved"
        assert not study.folder.joinpath("study.db-wal").exists()
