"""ScoreBook: the scores read from a user's files, one ScoreTable for each cell of comparable runs."""

from dataclasses import dataclass, field

from tools.scores.table import ScoreTable

Value = str | int | float | bool


@dataclass(frozen=True, eq=False)
class ScoreCell:
    """Runs that may be compared with each other: same campaign, model, regime ..."""

    group: dict[str, Value]
    """Column -> value that separates this cell from the others, in the order of the file; empty for a single cell."""
    table: ScoreTable
    controls: dict[str, str] = field(default_factory=dict)
    """Arm -> its control by the file's `control` column; arms without one are absent."""
    about: dict[str, Value] = field(default_factory=dict)
    """Other columns with one value in the whole cell (family, size, steps ...) that do not separate cells."""


@dataclass(frozen=True, eq=False)
class ScoreBook:
    """All cells that were read, and how they were read."""

    source: tuple[str, ...]
    """The files and folders, as given by the user."""
    format: str
    """`wide table`, `long table`, `lm-eval results` or `inspect logs`."""
    mapping: dict[str, str]
    """Role -> its column; several columns as a comma-separated list."""
    cells: tuple[ScoreCell, ...]
    notes: tuple[str, ...]
    """What the user must know about how the files were read: one line each."""
    rows: int
    """Number of rows read, not counting header, empty and repeated lines."""
