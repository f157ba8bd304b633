"""The ledger: `study.db`, the only truth for a study's plan, approval, runs, attempts, scores, spend and events."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from policies.errors import AdvisorError, RefusedError
from tools.statistics.power_model import PowerStatement
from tools.study.canonical import plan_bytes, stored_hash
from tools.study.database import create, reported
from tools.study.ledger_core import now
from tools.study.plan import StudyPlan
from tools.study.recorded_decisions import RecordedDecisions
from tools.study.rows import (
    ApprovalRow,
    AttemptRow,
    EventRow,
    Failure,
    Outcome,
    RunRow,
    RunState,
    Spent,
    StoredPlan,
    StoredScore,
    StudyRow,
    StudyState,
)


class Ledger(RecordedDecisions):
    """One connection to a study's database; use it as a context manager.

    Only code under `tools` writes, and only one process at a time does so for long: the supervisor.
    """

    @classmethod
    def create(cls, path: Path, study_id: str, plan: StudyPlan, power: PowerStatement | None = None) -> Self:
        """Makes a new ledger that holds the plan and its power, state `planned`. AdvisorError when the file exists."""
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
        """The current plan as stored JSON. RefusedError when its bytes no longer match their hash."""
        rows = self._read(StoredPlan, "SELECT bytes, hash FROM plan ORDER BY version DESC LIMIT 1")
        if not rows:
            raise AdvisorError(f"{self.path} holds no plan; restore it from a copy of the study folder")
        stored, recorded = rows[0]
        found = stored_hash(stored)
        if found != recorded:
            raise RefusedError(
                f"the plan stored in {self.path} was changed: its hash is {found[:12]}, recorded {recorded[:12]}; "
                "restore study.db from a copy, or plan a new study"
            )
        document: dict[str, Any] = json.loads(stored)
        return document

    def plan(self) -> StudyPlan:
        """The current plan. RefusedError as `plan_document`; AdvisorError when this code cannot read it."""
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
        """The recorded hash of the current plan."""
        return self.plan_hashes()[-1]

    def plan_hashes(self) -> tuple[str, ...]:
        """The recorded hashes of all versions of the plan, the current one last."""
        rows = self._rows("SELECT hash FROM plan ORDER BY version")
        if not rows:
            raise AdvisorError(f"{self.path} holds no plan; restore it from a copy of the study folder")
        return tuple(str(row[0]) for row in rows)

    def plans(self) -> dict[str, StudyPlan]:
        """Hash -> plan of every version, the current one last; checked as `plan` is."""
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
        """What the current plan could detect, as computed when it was made; None where no spread was known."""
        stored = self._rows("SELECT power FROM plan ORDER BY version DESC LIMIT 1")[0][0]
        try:
            return None if stored is None else PowerStatement.model_validate_json(stored)
        except ValidationError as error:
            raise self._not_this_version("power statement", error) from error

    def amend(self, plan: StudyPlan, power: PowerStatement | None = None) -> str:
        """Appends a new version of the plan and returns its hash; an earlier approval covers it only if equal."""
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
        """The latest approval of the *current* plan, or None: an approval of another plan is void."""
        rows = self._read(
            ApprovalRow,
            "SELECT who, at, plan_hash, ceiling_device_hours FROM approvals WHERE plan_hash = ? "
            "ORDER BY id DESC LIMIT 1",
            (self.plan_hash(),),
        )
        return rows[0] if rows else None

    def approvals(self) -> tuple[ApprovalRow, ...]:
        """All approvals, oldest first."""
        return self._read(ApprovalRow, "SELECT who, at, plan_hash, ceiling_device_hours FROM approvals ORDER BY id")

    # state and events

    def study(self) -> StudyRow:
        """Id, state, phase and reason."""
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
        """Events with an id above `after`, oldest first."""
        return self._read(EventRow, "SELECT id, at, kind, text FROM events WHERE id > ? ORDER BY id", (after,))

    # runs and attempts

    def add_run(self, arm: str, seed: int, replicate: int, run_key: str, folder: str) -> None:
        """Adds a planned run unless its key is there already."""
        self._execute(
            "INSERT OR IGNORE INTO runs (arm, seed, replicate, run_key, folder, state) "
            "VALUES (?, ?, ?, ?, ?, 'planned')",
            (arm, seed, replicate, run_key, folder),
        )

    def runs(self) -> tuple[RunRow, ...]:
        """All runs, in the order in which they were planned."""
        return self._read(
            RunRow, "SELECT id, arm, seed, replicate, run_key, folder, state, reason, failure FROM runs ORDER BY id"
        )

    def set_run_state(self, run: int, state: RunState, reason: str = "", failure: Failure | None = None) -> None:
        """Moves a run to a state; `failure` says what kind a failed run is of."""
        self._execute("UPDATE runs SET state = ?, reason = ?, failure = ? WHERE id = ?", (state, reason, failure, run))

    def open_attempt(self, run: int, host: str, boot_id: str) -> int:
        """Writes the intent to start a process for a run, and returns the attempt's id."""
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
        """All attempts, oldest first."""
        return self._read(
            AttemptRow,
            "SELECT id, run, k, host, boot_id, pid, process_started, started, ended, outcome, reason, device_hours "
            "FROM attempts ORDER BY id",
        )

    # scores and spend

    def open_scoring(self, seed: int) -> int:
        """Writes the intent to score a seed block, and returns its id."""
        cursor = self._execute("INSERT INTO scorings (seed, started) VALUES (?, ?)", (seed, time.time()))
        return int(cursor.lastrowid or 0)

    def close_scoring(self, scoring: int, outcome: Outcome, device_hours: float) -> None:
        """Records how the scoring of a block ended and what it cost."""
        self._execute(
            "UPDATE scorings SET ended = ?, outcome = ?, device_hours = ? WHERE id = ?",
            (time.time(), outcome, device_hours, scoring),
        )

    def add_scores(self, rows: Sequence[StoredScore]) -> None:
        """Stores scores; a row that is there already is kept."""
        with self.transaction():
            for row in rows:
                self._execute("INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def scores(self) -> tuple[StoredScore, ...]:
        """All scores."""
        return self._read(
            StoredScore,
            "SELECT run, score_key, suite, benchmark, domain, score, questions, sha256, harness "
            "FROM scores ORDER BY run, benchmark",
        )

    def spent_device_hours(self) -> float:
        """Device-hours of all ended attempts and scorings, failures included."""
        rows = self._read(
            Spent,
            "SELECT (SELECT coalesce(sum(device_hours), 0) FROM attempts),"
            " (SELECT coalesce(sum(device_hours), 0) FROM scorings)",
        )
        return sum(rows[0])


def _power_json(power: PowerStatement | None) -> str | None:
    return None if power is None else power.model_dump_json()
