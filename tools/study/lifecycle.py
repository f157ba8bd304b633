"""Creates, finds, lists and approves the studies under a root."""

import shutil
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path

from policies.errors import AdvisorError, BudgetError, InputError
from policies.model import StrictModel
from tools.plan.cost import default_ceiling
from tools.plan.plan_hash import plan_hash
from tools.plan.study_plan import StudyPlan
from tools.statistics.power.model import PowerStatement
from tools.study.folder import Study, check_unedited, studies_root, study_folders, study_id, write_exports
from tools.study.follow import snapshot
from tools.study.ledger import Ledger
from tools.study.rows import ApprovalRow, StudyState
from tools.text.plain_text import one_line
from training.support.paths import demand_plain


class StudyLine(StrictModel):
    """One line of a list of studies."""

    id: str
    folder: str
    state: StudyState | None
    """None if the ledger cannot be read; `reason` then says why."""
    reason: str = ""
    seeds: int = 0
    seeds_scored: int = 0


def create_study(
    plan: StudyPlan, root: Path | None = None, *, power: PowerStatement | None = None, day: date | None = None
) -> Study:
    """Creates a study folder with ledger and exports, state `planned`; an existing folder is never changed.

    power: what the plan can detect; None if no spread is known.

    Raises InputError for a folder in which no run could work, AdvisorError if it cannot be created.

    The same plan again creates another study, which repeats the runs: results are not shared between studies.
    """
    base = studies_root(root)
    demand_plain(base)
    name = study_id(plan, day or datetime.now(UTC).date())
    for number in range(1, 1000):
        folder = base / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise AdvisorError(
                f"cannot create {folder}: {error.strerror}; set ADVISOR_STUDIES to a writable folder"
            ) from error
        study = Study(folder)
        try:
            with Ledger.create(folder / "study.db", folder.name, plan, power) as ledger:
                ledger.event("planned", ledger.plan_hash())
                write_exports(study, ledger)
        except BaseException:  # half a study would look like a damaged one
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return study
    raise AdvisorError(f"{base} already has 999 studies named {name}; remove some")


def unfinished_study(plan: StudyPlan, root: Path | None = None) -> Study | None:
    """Returns the unfinished study with the same plan and the same question; None if there is none."""
    for folder in study_folders(studies_root(root)):
        study = Study(folder)
        with suppress(AdvisorError), study.ledger(read_only=True) as ledger:
            waits = ledger.study().state != "done"
            if waits and ledger.plan_hash() == plan_hash(plan) and ledger.plan().question == plan.question:
                return study
    return None


def list_studies(root: Path | None = None) -> tuple[StudyLine, ...]:
    """Returns all studies under the root by name; one that cannot be read is listed with the reason."""
    return tuple(_line(Study(folder)) for folder in study_folders(studies_root(root)))


def approve(study: Study, who: str, ceiling: float | None = None) -> ApprovalRow:
    """Records a person's approval of the current plan, up to `ceiling` device-hours (default: `cost.default_ceiling`).

    Raises InputError for an empty name or a ceiling that is not positive, RefusedError if `plan.yaml` was edited,
    BudgetError if the ceiling is above the plan's budget.
    """
    who = one_line(who)
    if not who:
        raise InputError("an approval needs a name; give it with --by NAME")
    with study.ledger() as ledger:
        check_unedited(study, ledger)
        plan = ledger.plan()
        hours = default_ceiling(plan) if ceiling is None else ceiling
        if not 0 < hours < float("inf"):
            raise InputError(f"a ceiling of {hours} device-hours is not possible; give a positive, finite number")
        if plan.budget_device_hours is not None and hours > plan.budget_device_hours:
            raise BudgetError(
                f"a ceiling of {hours:g} device-hours is above the plan's budget of {plan.budget_device_hours:g}; "
                f"give at most that, or change the plan first: advisor amend {study.name} --budget {hours:g}"
            )
        row = ledger.approve(who, hours)
        if ledger.study().state == "planned":
            ledger.set_state("approved")
        ledger.event("approved", f"by {row.who}, up to {hours:g} device-hours, plan {row.plan_hash[:12]}")
        write_exports(study, ledger)
    return row


def _line(study: Study) -> StudyLine:
    try:
        current = snapshot(study)
    except (AdvisorError, OSError) as error:
        return StudyLine(id=study.folder.name, folder=str(study.folder), state=None, reason=str(error))
    return StudyLine(**current.model_dump(include={"id", "folder", "state", "reason", "seeds", "seeds_scored"}))
