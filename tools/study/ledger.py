"""The ledger: `study.db`, the single source of truth for plan, approval, runs, attempts, scores, spend and events."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from policies.errors import AdvisorError, RefusedError
from tools.plan.plan_hash import plan_bytes, stored_hash
from tools.plan.study_plan import StudyPlan
from tools.statistics.power.model import PowerStatement
from tools.study.database import Database, create, now, reported
from tools.study.rows import (
    AmendmentRow,
    ApprovalRow,
    AttemptRow,
    EventRow,
    Failure,
    LookRow,
    Outcome,
    RunRow,
    RunState,
    Spent,
    StoredPlan,
    StoredScore,
    StudyRow,
    StudyState,
    UnblindingRow,
)


class Ledger(Database):
    """One connection to a study's database; use it as a context manager.

    Only code under `tools` writes, and only one process at a time does so for long: the supervisor.
    """

    @classmethod
    def create(cls, path: Path, study_id: str, plan: StudyPlan, power: PowerStatement | None = None) -> Self:
        """Creates a ledger with the plan and its power, state `planned`. Raises AdvisorError if the file exists."""
        if path.exists():
            raise AdvisorError(f"{path} exists; a study is never overwritten")
        stored = plan_bytes(plan)
        connection = create(path)
        with reported(path):
            connection.execute("BEGIN IMMEDIATE")
            at = now()
            connection.execute("INSERT INTO study VALUES (1, ?, ?, 'planned', '', '', ?)", (study_id, at, at))
            connection.execute(
                "INSERT INTO plan VALUES (1, ?, ?, ?, ?)", (stored, stored_hash(stored), at, _power_json(power))
            )
            connection.execute("COMMIT")
        connection.close()
        return cls(path)

    # plan and approval

    def plan_document(self) -> dict[str, Any]:
        """Returns the current plan as stored JSON. Raises RefusedError if its bytes do not match their hash."""
        rows = self._read(StoredPlan, "SELECT bytes, hash FROM plan ORDER BY version DESC LIMIT 1")
        if not rows:
            raise AdvisorError(f"{self.path} holds no plan; restore it from a copy of the study folder")
        stored, recorded = rows[0]
        found = stored_hash(stored)
        if found != recorded:
            raise RefusedError(
                f"the plan in {self.path} was changed: its hash is {found[:12]}, not the recorded {recorded[:12]}; "
                "restore study.db from a copy, or plan a new study"
            )
        document: dict[str, Any] = json.loads(stored)
        return document

    def plan(self) -> StudyPlan:
        """Returns the current plan. Raises RefusedError like `plan_document`; AdvisorError if it cannot be parsed."""
        try:
            return StudyPlan.model_validate(self.plan_document())
        except ValidationError as error:
            raise self._not_this_version("plan", error) from error

    def _not_this_version(self, what: str, error: ValidationError) -> AdvisorError:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return AdvisorError(
            f"the {what} in {self.path} was made by another version ({where}: {first['msg']}); use that version of "
            "experiment-advisor, or a newer one"
        )

    def plan_hash(self) -> str:
        """Returns the recorded hash of the current plan."""
        return self.plan_hashes()[-1]

    def plan_hashes(self) -> tuple[str, ...]:
        """Returns the recorded hashes of all versions of the plan, the current one last."""
        rows = self._rows("SELECT hash FROM plan ORDER BY version")
        if not rows:
            raise AdvisorError(f"{self.path} holds no plan; restore it from a copy of the study folder")
        return tuple(str(row[0]) for row in rows)

    def plans(self) -> dict[str, StudyPlan]:
        """Returns hash -> plan of every version, the current one last; checked as in `plan`."""
        found = {}
        for stored, recorded in self._read(StoredPlan, "SELECT bytes, hash FROM plan ORDER BY version"):
            if stored_hash(stored) != recorded:
                raise RefusedError(f"a plan stored in {self.path} was changed; restore study.db from a copy")
            try:
                found[recorded] = StudyPlan.model_validate_json(stored)
            except ValidationError as error:
                raise self._not_this_version("plan", error) from error
        return found

    def power(self) -> PowerStatement | None:
        """Returns the power of the current plan as computed when it was made; None if no spread was known."""
        stored = self._rows("SELECT power FROM plan ORDER BY version DESC LIMIT 1")[0][0]
        try:
            return None if stored is None else PowerStatement.model_validate_json(stored)
        except ValidationError as error:
            raise self._not_this_version("power statement", error) from error

    def amend(self, plan: StudyPlan, power: PowerStatement | None = None) -> str:
        """Appends a new version of the plan and returns its hash; an earlier approval covers it only if it is equal."""
        stored = plan_bytes(plan)
        digest = stored_hash(stored)
        self._execute(
            "INSERT INTO plan SELECT coalesce(max(version), 0) + 1, ?, ?, ?, ? FROM plan",
            (stored, digest, now(), _power_json(power)),
        )
        return digest

    def approve(self, who: str, ceiling_device_hours: float) -> ApprovalRow:
        """Records that `who` approved the current plan up to a ceiling."""
        row = ApprovalRow(who, now(), self.plan_hash(), ceiling_device_hours)
        self._execute("INSERT INTO approvals (who, at, plan_hash, ceiling_device_hours) VALUES (?, ?, ?, ?)", row)
        return row

    def approval(self) -> ApprovalRow | None:
        """Returns the latest approval of the *current* plan, or None: an approval of another plan is void."""
        rows = self._read(
            ApprovalRow,
            "SELECT who, at, plan_hash, ceiling_device_hours FROM approvals WHERE plan_hash = ? "
            "ORDER BY id DESC LIMIT 1",
            (self.plan_hash(),),
        )
        return rows[0] if rows else None

    def approvals(self) -> tuple[ApprovalRow, ...]:
        """Returns all approvals, oldest first."""
        return self._read(ApprovalRow, "SELECT who, at, plan_hash, ceiling_device_hours FROM approvals ORDER BY id")

    # state and events

    def study(self) -> StudyRow:
        """Returns the study's id, creation time, state, phase and reason."""
        rows = self._read(StudyRow, "SELECT id, created, state, phase, reason FROM study")
        if not rows:
            raise AdvisorError(f"{self.path} holds no study; restore it from a copy of the study folder")
        return rows[0]

    def set_state(self, state: StudyState, *, phase: str = "", reason: str = "") -> None:
        """Moves the study to a state."""
        self._execute("UPDATE study SET state = ?, phase = ?, reason = ?, changed = ?", (state, phase, reason, now()))

    def event(self, kind: str, text: str) -> None:
        """Appends an event."""
        self._execute("INSERT INTO events (at, kind, text) VALUES (?, ?, ?)", (now(), kind, text))

    def events(self, after: int = 0) -> tuple[EventRow, ...]:
        """Returns the events with an id above `after`, oldest first."""
        return self._read(EventRow, "SELECT id, at, kind, text FROM events WHERE id > ? ORDER BY id", (after,))

    # runs and attempts

    def add_run(self, arm: str, seed: int, replicate: int, run_key: str, folder: str) -> None:
        """Adds a planned run unless its key is already present."""
        self._execute(
            "INSERT OR IGNORE INTO runs (arm, seed, replicate, run_key, folder, state) "
            "VALUES (?, ?, ?, ?, ?, 'planned')",
            (arm, seed, replicate, run_key, folder),
        )

    def runs(self) -> tuple[RunRow, ...]:
        """Returns all runs in the order in which they were planned."""
        return self._read(
            RunRow, "SELECT id, arm, seed, replicate, run_key, folder, state, reason, failure FROM runs ORDER BY id"
        )

    def set_run_state(self, run: int, state: RunState, reason: str = "", failure: Failure | None = None) -> None:
        """Moves a run to a state; `failure` is the kind of failure of a failed run."""
        self._execute("UPDATE runs SET state = ?, reason = ?, failure = ? WHERE id = ?", (state, reason, failure, run))

    def open_attempt(self, run: int, host: str, boot_id: str) -> int:
        """Records the intent to start a process for a run and returns the attempt's id."""
        cursor = self._execute(
            "INSERT INTO attempts (run, k, host, boot_id, started) "
            "SELECT ?, coalesce(max(k), 0) + 1, ?, ?, ? FROM attempts WHERE run = ?",
            (run, host, boot_id, time.time(), run),
        )
        return int(cursor.lastrowid or 0)

    def attempt_process(self, attempt: int, host: str, boot_id: str, pid: int, process_started: float) -> None:
        """Records which process works on an attempt."""
        self._execute(
            "UPDATE attempts SET host = ?, boot_id = ?, pid = ?, process_started = ? WHERE id = ?",
            (host, boot_id, pid, process_started, attempt),
        )

    def close_attempt(self, attempt: int, outcome: Outcome, reason: str, device_hours: float, ended: float) -> None:
        """Records how an attempt ended and what it cost."""
        self._execute(
            "UPDATE attempts SET outcome = ?, reason = ?, device_hours = ?, ended = ? WHERE id = ?",
            (outcome, reason, device_hours, ended, attempt),
        )

    def attempts(self) -> tuple[AttemptRow, ...]:
        """Returns all attempts, oldest first."""
        return self._read(
            AttemptRow,
            "SELECT id, run, k, host, boot_id, pid, process_started, started, ended, outcome, reason, device_hours "
            "FROM attempts ORDER BY id",
        )

    # scores and spend

    def open_scoring(self, seed: int) -> int:
        """Records the intent to score a seed block and returns the scoring's id."""
        cursor = self._execute("INSERT INTO scorings (seed, started) VALUES (?, ?)", (seed, time.time()))
        return int(cursor.lastrowid or 0)

    def close_scoring(self, scoring: int, outcome: Outcome, device_hours: float) -> None:
        """Records how the scoring of a block ended and what it cost."""
        self._execute(
            "UPDATE scorings SET ended = ?, outcome = ?, device_hours = ? WHERE id = ?",
            (time.time(), outcome, device_hours, scoring),
        )

    def add_scores(self, rows: Sequence[StoredScore]) -> None:
        """Stores scores; existing rows are kept."""
        with self.transaction():
            for row in rows:
                self._execute("INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def scores(self) -> tuple[StoredScore, ...]:
        """Returns all scores by run and benchmark."""
        return self._read(
            StoredScore,
            "SELECT run, score_key, suite, benchmark, domain, score, questions, sha256, harness "
            "FROM scores ORDER BY run, benchmark",
        )

    def spent_device_hours(self) -> float:
        """Returns the device-hours of all ended attempts and scorings, failures included."""
        rows = self._read(
            Spent,
            "SELECT (SELECT coalesce(sum(device_hours), 0) FROM attempts),"
            " (SELECT coalesce(sum(device_hours), 0) FROM scorings)",
        )
        return sum(rows[0])

    # decisions during the study: rows are only ever added

    def add_looks(self, looks: Sequence[LookRow]) -> None:
        """Stores the looks after one seed block, all or none; existing decisions are kept."""
        with self.transaction():
            for row in looks:
                self._execute(
                    "INSERT OR IGNORE INTO looks (treatment, blocks, n, decision, blinded_reason, look, plan_hash, at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                )

    def looks(self) -> tuple[LookRow, ...]:
        """Returns all looks, block by block."""
        return self._read(
            LookRow,
            "SELECT treatment, blocks, n, decision, blinded_reason, look, plan_hash, at FROM looks ORDER BY blocks, id",
        )

    def unblind(self, who: str, reason: str) -> UnblindingRow:
        """Records who unblinded the study and why."""
        row = UnblindingRow(who, now(), reason)
        self._execute("INSERT INTO unblindings (who, at, reason) VALUES (?, ?, ?)", row)
        return row

    def unblindings(self) -> tuple[UnblindingRow, ...]:
        """Returns all unblindings, oldest first."""
        return self._read(UnblindingRow, "SELECT who, at, reason FROM unblindings ORDER BY id")

    def add_amendment(self, who: str, plan_hash: str, change: str, exploratory: str) -> AmendmentRow:
        """Records a change of the plan; `exploratory` says why later results are exploratory, or is empty."""
        row = AmendmentRow(who, now(), plan_hash, change, exploratory)
        self._execute("INSERT INTO amendments (who, at, plan_hash, change, exploratory) VALUES (?, ?, ?, ?, ?)", row)
        return row

    def amendments(self) -> tuple[AmendmentRow, ...]:
        """Returns all amendments, oldest first."""
        return self._read(AmendmentRow, "SELECT who, at, plan_hash, change, exploratory FROM amendments ORDER BY id")


def _power_json(power: PowerStatement | None) -> str | None:
    return None if power is None else power.model_dump_json()
