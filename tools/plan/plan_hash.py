"""The identity of a plan, to which an approval is bound."""

import hashlib
import json
from typing import Any

from policies.errors import AdvisorError
from tools.plan.study_plan import StudyPlan

_LABELS = ("question", "title", "notes")
"""Top-level fields that describe a plan without changing what is run or how it is analysed."""
_RECIPE_LABELS = ("cost", "title")
_LATER = ("design", "pilot")
"""Fields that were added after the first version of the plan; omitted from the stored plan when unset."""
_LATER_OF_ARM = {"replicate": None, "seed_offset": 0}
"""Fields of an arm that were added later, each with the value that means unset."""


def plan_bytes(plan: StudyPlan) -> bytes:
    """Returns the plan as stored: UTF-8 JSON with sorted keys.

    Fields that were added later are written only when set, so that a plan that the first version could have made keeps
    the hash that it had then.
    """
    document = plan.model_dump(mode="json")
    for name in _LATER:
        if document[name] is None:
            del document[name]
    for arm in document["arms"]:
        for name, nothing in _LATER_OF_ARM.items():
            if arm[name] == nothing:
                del arm[name]
    return json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def identity(document: dict[str, Any]) -> dict[str, Any]:
    """Returns the part of a plan's JSON that its hash covers: all but labels and the recipe's cost estimate."""
    covered = {key: value for key, value in document.items() if key not in _LABELS}
    recipe = covered.get("recipe")
    if isinstance(recipe, dict):
        covered["recipe"] = {key: value for key, value in recipe.items() if key not in _RECIPE_LABELS}
    return covered


def document_hash(document: dict[str, Any]) -> str:
    """Returns the sha256 (hex) over RFC 8785 JSON of `identity(document)`; AdvisorError if it cannot be hashed.

    Takes parsed JSON, never a model, so that newer code with more fields gives an older plan its old hash.
    """
    import rfc8785

    try:
        return hashlib.sha256(rfc8785.dumps(identity(document))).hexdigest()
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise AdvisorError(f"plan cannot be hashed: {error}; make a new plan") from error


def plan_hash(plan: StudyPlan) -> str:
    """Returns the sha256 (hex) of the plan without title, notes, question, and the recipe's title and cost estimate."""
    return document_hash(json.loads(plan_bytes(plan)))


def stored_hash(stored: bytes) -> str:
    """Returns the `plan_hash` of stored plan bytes; raises AdvisorError if they are not a JSON object."""
    try:
        document = json.loads(stored)
    except ValueError as error:
        raise AdvisorError(f"stored plan is not JSON ({error}); restore study.db from a copy") from error
    if not isinstance(document, dict):
        raise AdvisorError("stored plan is not a JSON object; restore study.db from a copy")
    return document_hash(document)


def first_difference(approved: Any, found: Any, path: str = "") -> str | None:
    """Returns `path: approved -> found` for the first place where two JSON values differ, or None."""
    if isinstance(approved, dict) and isinstance(found, dict):
        for key in sorted({*approved, *found}, key=str):
            inner = f"{path}.{key}" if path else str(key)
            difference = first_difference(approved.get(key), found.get(key), inner)
            if difference:
                return difference
        return None
    if isinstance(approved, list) and isinstance(found, list) and len(approved) == len(found):
        pairs = (first_difference(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(approved, found, strict=True)))
        return next((difference for difference in pairs if difference), None)
    if approved == found and isinstance(approved, bool) == isinstance(found, bool):
        return None
    return f"{path}: {approved!r} -> {found!r}"
