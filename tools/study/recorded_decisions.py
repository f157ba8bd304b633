"""The part of the ledger that keeps decisions about a study on its way: looks, unblindings, amendments."""

from collections.abc import Sequence

from tools.study.ledger_core import LedgerCore, now
from tools.study.rows import AmendmentRow, LookRow, UnblindingRow


class RecordedDecisions(LedgerCore):
    """Rows here are only ever added."""

    def add_looks(self, looks: Sequence[LookRow]) -> None:
        """Stores the looks after one seed block, all or none; a decision that is there already is kept."""
        with self.transaction():
            for row in looks:
                self._execute(
                    "INSERT OR IGNORE INTO looks (treatment, blocks, n, decision, blinded_reason, look, plan_hash, at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                )

    def looks(self) -> tuple[LookRow, ...]:
        """All looks, block by block."""
        return self._read(
            LookRow,
            "SELECT treatment, blocks, n, decision, blinded_reason, look, plan_hash, at FROM looks ORDER BY blocks, id",
        )

    def unblind(self, who: str, reason: str) -> UnblindingRow:
        """Records who asked to see scores by arm, and why."""
        row = UnblindingRow(who, now(), reason)
        self._execute("INSERT INTO unblindings (who, at, reason) VALUES (?, ?, ?)", row)
        return row

    def unblindings(self) -> tuple[UnblindingRow, ...]:
        """All of them, oldest first."""
        return self._read(UnblindingRow, "SELECT who, at, reason FROM unblindings ORDER BY id")

    def add_amendment(self, who: str, plan_hash: str, change: str, exploratory: str) -> AmendmentRow:
        """Records a change of the plan; `exploratory` says why what comes after it confirms nothing, or is empty."""
        row = AmendmentRow(who, now(), plan_hash, change, exploratory)
        self._execute("INSERT INTO amendments (who, at, plan_hash, change, exploratory) VALUES (?, ?, ?, ?, ?)", row)
        return row

    def amendments(self) -> tuple[AmendmentRow, ...]:
        """All of them, oldest first."""
        return self._read(AmendmentRow, "SELECT who, at, plan_hash, change, exploratory FROM amendments ORDER BY id")
