"""A study folder: the location of its files, how it is found, and whether it still matches its plan."""

import json
import os
import re
import shlex
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from policies.errors import AdvisorError, InputError, RefusedError
from tools.plan.plan_hash import document_hash, first_difference, identity, plan_hash
from tools.plan.study_plan import StudyPlan
from tools.study.ledger import Ledger
from tools.study.rows import RunRow
from training.run_files import write_atomically
from training.support.paths import expanded, is_file, is_folder
from training.support.yaml_files import parse_mapping

RECIPE_FILE = "recipe.yaml"


class Study(NamedTuple):
    """A study, identified by its folder; all paths inside are relative, so that it can be moved."""

    folder: Path

    @property
    def id(self) -> str:
        """The id recorded in the ledger."""
        with self.ledger(read_only=True) as ledger:
            return ledger.study().id

    @property
    def name(self) -> str:
        """How to name the study in a command, shell-quoted: its folder's name under the studies root, else its path."""
        return shlex.quote(self.folder.name if self.folder.parent == studies_root() else str(self.folder))

    @property
    def plan(self) -> StudyPlan:
        """The current plan. Raises RefusedError if the stored plan does not match its recorded hash."""
        with self.ledger(read_only=True) as ledger:
            return ledger.plan()

    def ledger(self, *, read_only: bool = False) -> Ledger:
        """Opens the study's ledger."""
        return Ledger(self.folder / "study.db", read_only=read_only)

    @property
    def lock(self) -> Path:
        """The lock that the one supervisor holds."""
        return self.folder / "supervisor.lock"

    @property
    def starting(self) -> Path:
        """The lock held from before a supervisor is started until it ends, which covers its start-up."""
        return self.folder / "starting.lock"

    @property
    def log(self) -> Path:
        """The output of supervisors."""
        return self.folder / "supervise.log"

    def run_dir(self, run: RunRow) -> Path:
        """Returns the absolute directory of a run."""
        return self.folder / run.folder

    def answers_dir(self, plan: StudyPlan, run: RunRow, score_key: str) -> Path:
        """Returns the absolute directory of a run's scored answers."""
        return self.folder / "answers" / plan.recipe.name / run.arm / f"seed-{run.seed}" / score_key[:8]


def run_folder(plan: StudyPlan, arm: str, seed: int, run_key: str) -> str:
    """Returns the directory of a run, relative to the study folder."""
    return f"runs/{plan.recipe.name}/{arm}/seed-{seed}/{run_key[:8]}"


def studies_root(root: Path | None = None) -> Path:
    """Returns the folder that holds studies: `root`, else ADVISOR_STUDIES, else `./studies`."""
    return expanded(root or Path(os.environ.get("ADVISOR_STUDIES") or "studies")).absolute()


def study_id(plan: StudyPlan, day: date) -> str:
    """Returns a readable id such as `2026-01-31-tscl-vs-static-a1b2`: day, arms, start of the plan's hash."""
    treatments = [arm.id for arm in plan.treatments]
    names = "-".join(treatments) if len(treatments) <= 2 else f"{len(treatments)}-policies"
    slug = re.sub(r"[^a-z0-9.]+", "-", f"{names}-vs-{plan.control.id}".lower()).strip("-.")[:60]
    return f"{day.isoformat()}-{slug}-{plan_hash(plan)[:4]}"


def find_study(reference: str | Path, root: Path | None = None) -> Study:
    """Returns the study named by its id, a unique part of it, its folder, or `latest`. Raises InputError otherwise."""
    text = str(reference)
    folder = expanded(text)
    if text and is_file(folder / "study.db"):
        return Study(folder.absolute())
    base = studies_root(root)
    known = study_folders(base)
    if not known:
        raise InputError(f"no study {text!r}: {base} has no studies; plan one with: advisor plan QUESTION")
    if text == "latest":
        return Study(max(known, key=lambda path: (_created(path), path.name)))
    kinds = (str.__eq__, str.startswith, str.__contains__)
    matches = next((found for fits in kinds if text and (found := [it for it in known if fits(it.name, text)])), [])
    if len(matches) == 1:
        return Study(matches[0])
    listed = ", ".join(path.name for path in (matches or known)[-5:])
    what = "matches several studies" if matches else f"is not a study in {base}"
    raise InputError(f"{text!r} {what}; give one of: {listed}")


def study_folders(base: Path) -> tuple[Path, ...]:
    """Returns the folders under `base` that hold a ledger, by name."""
    if not is_folder(base):
        return ()
    return tuple(sorted(path for path in base.iterdir() if is_file(path / "study.db")))


def _created(folder: Path) -> str:
    try:
        with Study(folder).ledger(read_only=True) as ledger:
            return ledger.study().created
    except AdvisorError:
        return ""


def write_exports(study: Study, ledger: Ledger) -> None:
    """Writes `plan.yaml`, `recipe.yaml` (for reuse in another study) and `plan.lock.json` from the ledger."""
    document = ledger.plan_document()
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)
    header = "# Written by advisor from study.db. Do not edit: a change voids the approval; plan a new study instead.\n"
    write_atomically(study.folder / "plan.yaml", header + text)
    recipe = yaml.safe_dump(document["recipe"], sort_keys=False, allow_unicode=True, width=120)
    write_atomically(study.folder / RECIPE_FILE, recipe)
    lock = json.dumps(_lock_document(ledger), indent=2, ensure_ascii=False)
    write_atomically(study.folder / "plan.lock.json", f"{lock}\n")


def check_unedited(study: Study, ledger: Ledger) -> None:
    """Raises RefusedError, naming the first field, if `plan.yaml` or `plan.lock.json` differs from the ledger.

    Labels are not compared. A missing file is accepted, and so is one that is out of date, as a kill between the writes
    of ledger and file leaves it.
    """
    stored = ledger.plan_document()
    path = study.folder / "plan.yaml"
    if path.exists():
        found = _read_plan_file(path)
        try:
            known = document_hash(found) in ledger.plan_hashes()
        except AdvisorError:
            known = False
        if not known:
            raise _edited(path, first_difference(identity(stored), identity(found)))
    path = study.folder / "plan.lock.json"
    if path.exists():
        _check_lock(path, ledger)


def _check_lock(path: Path, ledger: Ledger) -> None:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise RefusedError(
            f"{path} cannot be read ({error}); delete it to continue with the recorded approvals"
        ) from error
    wanted = _lock_document(ledger)
    if isinstance(found, dict) and isinstance(found.get("approvals"), list):
        wanted["approvals"] = wanted["approvals"][: len(found["approvals"])]
        for part in ("amendments", "unblindings"):
            have = found.get(part, [])
            cut = wanted.pop(part, [])[: len(have)] if isinstance(have, list) else []
            if part in found:
                wanted[part] = cut
        if found.get("plan_hash") in ledger.plan_hashes():
            wanted["plan_hash"] = found["plan_hash"]
    if found != wanted:
        raise _edited(path, first_difference(wanted, found))


def _edited(path: Path, change: str | None) -> RefusedError:
    return RefusedError(
        f"{path} was edited after it was written ({change}); the approval does not cover that: "
        "delete the file to continue with the recorded plan, or plan a new study"
    )


def _lock_document(ledger: Ledger) -> dict[str, Any]:
    document: dict[str, Any] = {
        "schema_version": 1,
        "study": ledger.study().id,
        "plan_hash": ledger.plan_hash(),
        "approvals": [row._asdict() for row in ledger.approvals()],
    }
    for part, rows in (("amendments", ledger.amendments()), ("unblindings", ledger.unblindings())):
        if rows:
            document[part] = [row._asdict() for row in rows]
    return document


def _read_plan_file(path: Path) -> dict[str, Any]:
    try:
        return parse_mapping(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RefusedError(f"{path} cannot be read ({error}); delete it to continue with the recorded plan") from error


def demand_done(study: Study) -> None:
    """Raises RefusedError unless every planned seed is complete: until then, scores by arm stay hidden."""
    with study.ledger(read_only=True) as ledger:
        row = ledger.study()
    if row.state != "done":
        raise RefusedError(
            f"{study.folder.name} is {row.state}: scores by arm stay hidden until every planned seed is complete; "
            f"continue with: advisor resume {study.name}"
        )
