"""What several tests of real runs have in common."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

THIRD_PARTY = Path(__file__).resolve().parent.parent / "fixtures" / "third_party_policy"


@pytest.fixture(scope="session")
def python_with_third_party(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment that has all of this one's packages, and a third party's policies installed by pip.

    An environment of its own, so that this one is left as it is; it finds this one's packages through a `.pth` file,
    which also reads the `.pth` files there (an editable install is one).
    """
    home = tmp_path_factory.mktemp("with-third-party")
    venv.EnvBuilder(symlinks=True).create(home / "venv")
    python = str(home / "venv" / "bin" / "python")
    ours = sysconfig.get_paths()["purelib"]
    (site,) = (home / "venv" / "lib").glob("python*/site-packages")
    (site / "parent.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    shutil.copytree(THIRD_PARTY, home / "source")  # setuptools builds inside the folder
    install = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
               "--disable-pip-version-check", str(home / "source")]  # fmt: skip
    done = subprocess.run(install, cwd=home, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert python != sys.executable
    return python
