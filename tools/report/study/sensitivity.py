"""The sensitivity views of a study, from its stored scores: the same views that any score table gets."""

from functools import cached_property

from tools.evaluation.material import ReportMaterial
from tools.report.claims.sequential import ranks_warning
from tools.report.sensitivity import collapsed as sensitivity_collapsed
from tools.report.sensitivity import ranks as sensitivity_ranks
from tools.report.sensitivity.sections import sensitivity_sections
from tools.scores.table import ScoreTable
from tools.statistics.paired import Critical, fixed
from tools.statistics.random_streams import rng_for
from tools.statistics.sensitivity.build import ComparisonSensitivity, SensitivityBuilder, SharedDraws
from tools.statistics.sensitivity.collapsed import Collapsed, collapsed_cells, guessing
from tools.statistics.sensitivity.max_t import MaxT
from tools.statistics.sensitivity.ranks import Ranks, ranks
from tools.statistics.sensitivity.run_spread import run_spread
from tools.statistics.sequential.repeated import Repeated
from tools.statistics.verdict_model import Comparison
from tools.text.markdown import Section

REPEATED = (
    "Seeds were added as the looks of the plan said. Other weights, and whatever is left out, are read at the bound of "
    "the look that the verdict reads, with fewer pairs too. Other tests, Welch's interval, secondary metrics and "
    "rankings have no such bound: they take the number of pairs as fixed, which makes them too narrow, and no claim "
    "rests on them."
)


class StudySensitivity:
    """All sensitivity views of one report, each computed once; empty where the study has no scores."""

    def __init__(self, material: ReportMaterial) -> None:
        self._material = material
        self._table = ScoreTable.from_rows(material.scores) if material.scores else None

    @cached_property
    def _collapsed(self) -> Collapsed | None:
        if self._table is None:
            return None
        return collapsed_cells(self._table, run_spread([self._table]), chance=guessing(self._table))

    @cached_property
    def _builder(self) -> SensitivityBuilder | None:
        if self._table is None or self._collapsed is None:
            return None
        domains = {one.id: one.domain for one in self._material.plan.benchmarks}
        draws = SharedDraws(self._material.plan_hash)
        return SensitivityBuilder(self._table, self._material.plan.analysis, domains, self._collapsed, draws)

    @cached_property
    def found(self) -> dict[str, ComparisonSensitivity]:
        """The views of each comparison, by treatment; none for invalid data."""
        if self._builder is None:
            return {}
        compared = self._material.verdict.comparisons
        views = {one.treatment: self._builder.comparison(one, self._critical(one)) for one in compared}
        return {treatment: view for treatment, view in views.items() if view is not None}

    def _critical(self, comparison: Comparison) -> Critical:
        """The one that its verdict was read with."""
        return Repeated(self._material.designs[comparison.treatment]) if comparison.repeated else fixed

    @cached_property
    def max_t(self) -> MaxT | None:
        """The joint check over all valid treatments."""
        valid = [one.treatment for one in self._material.verdict.comparisons if one.verdict != "invalid_data"]
        return None if self._builder is None else self._builder.family(self._material.plan.control.id, valid)

    @cached_property
    def ranks(self) -> Ranks | None:
        """Of all arms; none where the data of some are invalid, or a treatment stands for a label alone."""
        verdicts = {one.verdict for one in self._material.verdict.comparisons}
        if self._table is None or verdicts & {"invalid_data", "treatment_not_delivered"}:
            return None
        analysis, rng = self._material.plan.analysis, rng_for(self._material.plan_hash, "ranks")
        return ranks(self._table, analysis.summaries, analysis.primary, analysis.confidence, rng)

    def of_comparison(self, comparison: Comparison) -> tuple[Section, ...]:
        """Returns the sections about one comparison, with headings."""
        flagged = self._collapsed is not None and bool(self._collapsed.cells)
        found = self.found.get(comparison.treatment)
        sections = sensitivity_sections(found, comparison, self.max_t, flagged=flagged)
        if sections and comparison.repeated:
            first = sections[0]._replace(content=f"{REPEATED}\n\n{sections[0].content}")
            sections = (first, *sections[1:])
        return sections

    def of_study(self) -> tuple[Section, ...]:
        """Returns the sections over all arms: collapsed cells and rankings."""
        if self._table is None or self._collapsed is None:
            return ()
        sections = [Section("Collapsed cells", sensitivity_collapsed.section(self._collapsed, self._table))]
        if self.ranks is not None and self.ranks.arms > 2:
            warning = ranks_warning(self._material.verdict)
            content = "\n\n".join(part for part in (warning, sensitivity_ranks.section(self.ranks)) if part)
            sections.append(Section("Do summaries rank the arms alike?", content))
        return tuple(sections)

    def stored(self) -> dict[str, object]:
        """Returns every number that the sections print, for `verdict.json`."""
        collapsed, ranked, joint = self._collapsed, self.ranks, self.max_t
        return {
            "comparisons": {name: view.model_dump(mode="json") for name, view in self.found.items()},
            "max_t": None if joint is None else joint.model_dump(mode="json"),
            "collapsed": None if collapsed is None else collapsed.model_dump(mode="json"),
            "ranks": None if ranked is None else ranked.model_dump(mode="json"),
        }
