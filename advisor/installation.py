"""The check that our five packages lie beside each other: their import names are common words.

Standard library only: it runs before anything else of ours is imported.
"""

import importlib.util
from pathlib import Path

PACKAGES = ("advisor", "policies", "prompts", "tools", "training")


def installation_fault() -> str | None:
    """One line when an import name of ours leads into somebody else's folder, or nowhere; None when all is well."""
    home = Path(__file__).resolve().parent.parent
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        places = [Path(place).resolve() for place in (spec.submodule_search_locations or ())] if spec else []
        if places != [home / name]:
            found = ", ".join(map(str, places)) or (spec.origin if spec and spec.origin else "nowhere")
            return (
                f"package {name!r} is found at {found}, not beside advisor in {home}: start Python or `advisor` from "
                "another folder, without PYTHONPATH, or install experiment-advisor again"
            )
    return None
