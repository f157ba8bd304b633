"""ScoreBook: what a reader found in somebody's files, one ScoreTable for each cell that can be compared within."""

from dataclasses import dataclass, field

from tools.scores.table import ScoreTable

Value = str | int | float | bool


@dataclass(frozen=True, eq=False)
class ScoreCell:
    """The runs that may be compared with each other: same campaign, model, regime ..."""

    group: dict[str, Value]
    """The columns that separate this cell from the others, in the order of the file; empty when nothing does."""
    table: ScoreTable
    controls: dict[str, str] = field(default_factory=dict)
    """Arm -> its control, as the file's own `control` column says; arms without one are not in it."""
    about: dict[str, Value] = field(default_factory=dict)
    """Other columns with one value in the whole cell (family, size, steps ...), which separate nothing."""


@dataclass(frozen=True, eq=False)
class ScoreBook:
    """Every cell of what was read, and how it was read."""

    source: tuple[str, ...]
    """The files and folders, as they were named."""
    format: str
    """`wide table`, `long table`, `lm-eval results` or `inspect logs`."""
    mapping: dict[str, str]
    """Role -> the column that plays it; of several columns, a comma list."""
    cells: tuple[ScoreCell, ...]
    notes: tuple[str, ...]
    """What a reader must know of how the file was read: one line each."""
    rows: int
    """Rows read, header, empty and repeated lines not counted."""
