"""The five packages have common names: each entry point checks at its start that it got ours."""

import importlib.util
from pathlib import Path

from policies.errors import AdvisorError

PACKAGES = ("advisor", "policies", "prompts", "tools", "training")


def check_packages() -> None:
    """Raises AdvisorError when a package of this name elsewhere on the path hides one of ours."""
    home = Path(__file__).resolve().parent.parent
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        places = [Path(place).resolve() for place in (spec.submodule_search_locations or ())] if spec else []
        if home / name not in places:
            found = f"{places[0]} hides it" if places else "it is missing"
            raise AdvisorError(
                f"package {name!r} should lie in {home}, but {found}; start from another folder, unset PYTHONPATH, or "
                "install the advisor again"
            )
