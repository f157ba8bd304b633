"""Analysis of a whole score table: every cell, every family in it and every comparison, with its basis."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from policies.errors import InputError
from tools.plan.analysis import Analysis
from tools.scores.book import ScoreBook
from tools.scores.families import Family, Group, Pairing
from tools.scores.summary_file import SummaryFile, verdict_set_of
from tools.scores.table import ScoreTable
from tools.scores.verdict_sets import VerdictSet
from tools.statistics.random_streams import rng_for
from tools.statistics.sensitivity.build import ComparisonSensitivity, SensitivityBuilder, SharedDraws
from tools.statistics.sensitivity.collapsed import Collapsed, collapsed_cells, guessing
from tools.statistics.sensitivity.max_t import MaxT
from tools.statistics.sensitivity.ranks import Ranks, ranks
from tools.statistics.sensitivity.run_spread import spreads_of
from tools.statistics.table.across_models import Followed, models_of
from tools.statistics.verdict import judge
from tools.statistics.verdict_model import Comparison

DEFAULT_SESOI = 1.0
"""Score points."""

Progress = Callable[[str, int, int], None]
"""Called with the activity, the number done, and the total."""


class Settings(NamedTuple):
    """The settings of an analysis."""

    confidence: float = 0.95
    sesoi: float | None = None
    """Smallest effect of interest under every summary; None: the summary file's, else 1.0."""
    primary: str | None = None
    """None: the summary file's, else the first of the verdict set."""
    file: SummaryFile = SummaryFile()
    by: str | None = None
    """The column across whose values treatments are followed, such as `model`."""


class Judged(NamedTuple):
    """One comparison with its cell and its sensitivity analyses."""

    group: Group
    comparison: Comparison
    sensitivity: ComparisonSensitivity | None
    """None for invalid data."""


class JudgedFamily(NamedTuple):
    """The treatments of one control in one cell, in the table's order."""

    control: str
    analysis: Analysis
    judged: tuple[Judged, ...]
    max_t: MaxT | None
    """The max-t check, for several treatments with enough pairs."""

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons without their sensitivity analyses."""
        return tuple(one.comparison for one in self.judged)


class JudgedCell(NamedTuple):
    """One cell with at least one comparison."""

    group: Group
    about: Group
    """Columns with one value in the whole cell that do not separate cells: model size, steps ..."""
    table: ScoreTable
    domains: Mapping[str, str]
    """Benchmark -> domain, those without one left out."""
    collapsed: Collapsed
    """Collapsed cells, determined before any verdict."""
    families: tuple[JudgedFamily, ...]
    ranks: Ranks | None
    """Ranks of all arms; None if the data of some are invalid."""

    @property
    def judged(self) -> tuple[Judged, ...]:
        """All comparisons of the cell."""
        return tuple(one for family in self.families for one in family.judged)


@dataclass(frozen=True, eq=False)
class ScoreAnalysis:
    """The analysis of a score table, from which output and report are made."""

    book: ScoreBook
    scores_hash: str
    """Hash of what was read; it determines every random draw."""
    settings: Settings
    cells: tuple[JudgedCell, ...]
    models: tuple[Followed, ...]
    """With `settings.by`: each treatment across its values, the rest of the group being equal."""
    notes: tuple[str, ...]
    """How pairs and summaries were chosen; the book has its own notes."""
    command: str = ""
    """The command that repeats the analysis."""

    @property
    def judged(self) -> tuple[Judged, ...]:
        """All comparisons, in the table's order."""
        return tuple(one for cell in self.cells for one in cell.judged)

    @property
    def all_invalid(self) -> bool:
        """Whether all comparisons have invalid data."""
        return all(one.comparison.verdict == "invalid_data" for one in self.judged)


def judge_book(
    book: ScoreBook,
    pairing: Pairing,
    settings: Settings,
    progress: Progress = lambda what, done, total: None,
    command: str = "",
) -> ScoreAnalysis:
    """Judges every family. Raises InputError, before any score is read, if the settings do not fit the table."""
    sets = _verdict_sets(book, settings.file)
    by_cell = [(cell, [one for one in pairing.families if one.table is cell.table]) for cell in book.cells]
    asked = [
        (cell, sets[id(cell.table)], [(one, _analysis(one, sets[id(cell.table)], settings)) for one in families])
        for cell, families in by_cell
        if families
    ]
    total, done = sum(family.size for family in pairing.families), 0

    def tick() -> None:
        nonlocal done
        progress("comparisons judged", done, total)
        done += 1

    hashed = hash_of(book)
    draws = SharedDraws(hashed)
    cells = []
    spreads = spreads_of(book.cells)
    for cell, chosen, families in asked:
        collapsed = collapsed_cells(cell.table, spreads[id(cell.table)], chance=guessing(cell.table))
        judged = tuple(
            _judge_family(
                family, analysis, SensitivityBuilder(cell.table, analysis, chosen.domains, collapsed, draws), tick
            )
            for family, analysis in families
        )
        ranked = _ranks(cell.table, judged, rng_for(hashed, f"ranks of {dict(cell.group)}"))
        cells.append(JudgedCell(cell.group, cell.about, cell.table, chosen.domains, collapsed, judged, ranked))
    notes = dict.fromkeys((*pairing.notes, *(note for chosen in sets.values() for note in chosen.notes)))
    compared = [(cell.group, [one.comparison for one in cell.judged]) for cell in cells]
    models = models_of(compared, settings.by) if settings.by else ()
    notes |= dict.fromkeys(_apart(settings.by, models))
    return ScoreAnalysis(book, hashed, settings, tuple(cells), models, tuple(notes), command)


def _judge_family(
    family: Family, analysis: Analysis, builder: SensitivityBuilder, tick: Callable[[], None]
) -> JudgedFamily:
    judged = []
    for one in judge(family.table, family.control, family.treatments, analysis).comparisons:
        tick()
        judged.append(Judged(family.group, one, builder.comparison(one)))
    return JudgedFamily(family.control, analysis, tuple(judged), builder.family(family.control, family.treatments))


def _apart(by: str | None, models: Sequence[Followed]) -> Iterator[str]:
    """A note if a treatment is followed in several groups, with the option that merges them."""
    groups: dict[tuple[str, str], list[Followed]] = {}
    for one in models:
        groups.setdefault((one.across.treatment, one.across.control), []).append(one)
    columns = {name for same in groups.values() if len(same) > 1 for one in same for name in one.group}
    if columns:
        names = ", ".join(sorted(columns))
        yield (
            f"a treatment is followed across {by} only within equal {names}; if such a column is irrelevant, "
            f"ignore it with --column ignore={sorted(columns)[0]}"
        )


def _ranks(table: ScoreTable, families: Sequence[JudgedFamily], generator: np.random.Generator) -> Ranks | None:
    if any(one.verdict == "invalid_data" for family in families for one in family.comparisons):
        return None
    analysis = families[0].analysis
    return ranks(table, analysis.summaries, analysis.primary, analysis.confidence, generator)


def hash_of(book: ScoreBook) -> str:
    """Returns the sha256 over groups, arms, seeds, benchmarks and scores, not file names or row order in a cell."""
    digest = hashlib.sha256()
    for cell in book.cells:
        table = cell.table
        named = [cell.group, table.arms, table.seeds, table.benchmarks, table.domains, cell.controls]
        digest.update(json.dumps(named, sort_keys=True).encode())
        digest.update(np.ascontiguousarray(table.scores, dtype="<f8").tobytes())
    return digest.hexdigest()


def _verdict_sets(book: ScoreBook, file: SummaryFile) -> dict[int, VerdictSet]:
    """id() of each cell's table -> verdict set; user-defined summaries are the same in all cells."""
    everywhere = tuple(dict.fromkeys(name for cell in book.cells for name in cell.table.benchmarks))
    domains = {name: domain for cell in book.cells for name, domain in cell.table.domains.items() if domain}
    own = verdict_set_of(file, everywhere, domains)
    if file.summaries:
        return {id(cell.table): own for cell in book.cells}
    return {id(cell.table): _default(cell.table, file.domains | domains) for cell in book.cells}


def _default(table: ScoreTable, domains: Mapping[str, str]) -> VerdictSet:
    """The default set over the benchmarks that have a score in this cell; over all of them if none has."""
    has: list[bool] = np.asarray(~np.isnan(table.scores).all(axis=(0, 1))).tolist()
    scored = [name for name, some in zip(table.benchmarks, has, strict=True) if some]
    return verdict_set_of(SummaryFile(), scored or table.benchmarks, domains)


def _analysis(family: Family, chosen: VerdictSet, settings: Settings) -> Analysis:
    names = ", ".join(chosen.summaries)
    primary = settings.primary or settings.file.primary or next(iter(chosen.summaries))
    if primary not in chosen.summaries:
        raise InputError(f"summary {primary!r} is not in the verdict set; choose the primary from: {names}")
    sesoi: float | Mapping[str, float] = settings.sesoi or settings.file.sesoi or DEFAULT_SESOI
    if not isinstance(sesoi, float) and set(sesoi) != set(chosen.summaries):
        raise InputError(f"sesoi in the summary file must name each summary of the verdict set and no other: {names}")
    return Analysis.model_validate(
        {
            "confidence": settings.confidence,
            "family_size": family.size,
            "primary": primary,
            "summaries": chosen.summaries,
            "sesoi": sesoi,
        }
    )
