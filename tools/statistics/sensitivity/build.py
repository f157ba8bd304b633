"""Computes all sensitivity analyses of a comparison, with the draws that the comparisons of a table share."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.plan.analysis import Analysis
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import PairedScores, ScoreTable
from tools.statistics.paired import Critical, fixed
from tools.statistics.random_streams import rng_for
from tools.statistics.sensitivity.bca import FEWEST_PAIRS, Bca, bca, resamples_for
from tools.statistics.sensitivity.collapse_effect import CollapseEffect, collapse_effect
from tools.statistics.sensitivity.collapsed import Collapsed
from tools.statistics.sensitivity.leave_out import LeaveOut, leave_out
from tools.statistics.sensitivity.max_t import FEWEST_PAIRS as FEWEST_FOR_MAX_T
from tools.statistics.sensitivity.max_t import MaxT, joint_differences, max_t
from tools.statistics.sensitivity.noise_layers import NoiseLayers, QuestionCount, noise_layers, question_counts
from tools.statistics.sensitivity.pairing import Pairing, pairing
from tools.statistics.sensitivity.rejudge import Lost
from tools.statistics.sensitivity.secondary import Secondary, secondary
from tools.statistics.sensitivity.sign_flip import Flips, SignFlip, flips_for, sign_flip
from tools.statistics.sensitivity.weightings import WeightDraws, Weightings, draw_weights, weightings
from tools.statistics.verdict_model import Comparison


class ComparisonSensitivity(StrictModel):
    """The sensitivity analyses of one comparison; none of them changes the verdict."""

    collapse: CollapseEffect
    weightings: Weightings
    leave_out: LeaveOut
    sign_flip: dict[str, SignFlip]
    bca: dict[str, Bca]
    pairing: dict[str, Pairing]
    noise: NoiseLayers
    secondary: Secondary


class SharedDraws:
    """Random draws by size, made once; each is determined by the data's hash alone."""

    def __init__(self, hash_of_data: str) -> None:
        self._hash = hash_of_data
        self._weights: dict[tuple[tuple[str, str], ...], WeightDraws] = {}
        self._flips: dict[int, Flips] = {}
        self._resamples: dict[int, NDArray[np.float64]] = {}

    def weights(self, domains: Mapping[str, str]) -> WeightDraws:
        """Returns weightings of these benchmarks (id -> domain, empty: none)."""
        key = tuple(domains.items())
        if key not in self._weights:
            self._weights[key] = draw_weights(domains, rng_for(self._hash, f"weightings of {len(key)}"))
        return self._weights[key]

    def flips(self, n: int) -> Flips:
        """Returns sign flips of n >= 1 pairs."""
        if n not in self._flips:
            self._flips[n] = flips_for(n, rng_for(self._hash, f"sign flips of {n}"))
        return self._flips[n]

    def resamples(self, n: int) -> NDArray[np.float64] | None:
        """Returns bootstrap resamples of n pairs; None if they are too few."""
        if n < FEWEST_PAIRS:
            return None
        if n not in self._resamples:
            self._resamples[n] = resamples_for(n, rng_for(self._hash, f"resamples of {n}"))
        return self._resamples[n]


class SensitivityBuilder:
    """Computes the sensitivity analyses of one cell's comparisons, which share table, analysis and draws."""

    def __init__(
        self,
        table: ScoreTable,
        analysis: Analysis,
        domains: Mapping[str, str],
        collapsed: Collapsed,
        draws: SharedDraws,
    ) -> None:
        self._table, self._analysis, self._draws = table, analysis, draws
        self._flagged = [one.cell for one in collapsed.cells]
        self._chosen = SummaryMatrix.of(analysis.summaries)
        self._domains = {name: domains.get(name, "") for name in self._chosen.benchmarks}

    @cached_property
    def _counts(self) -> dict[str, QuestionCount]:
        return question_counts(self._table, self._table.arms, self._chosen.benchmarks)

    def comparison(self, comparison: Comparison, critical: Critical = fixed) -> ComparisonSensitivity | None:
        """All views of one comparison; None for invalid data, of which nothing may be read.

        critical: as for the verdict. Sign flips, BCa, Welch and the secondary metrics have no repeated intervals and
        take the number of pairs as fixed.
        """
        if comparison.verdict == "invalid_data":
            return None
        chosen, analysis = self._chosen, self._analysis
        pairs = self._table.paired(comparison.treatment, comparison.control, chosen.benchmarks)
        differences, n = chosen.differences(pairs), len(pairs.seeds)
        lost = Lost.of(self._table, comparison, chosen.benchmarks)
        arms = (comparison.treatment, comparison.control)
        return ComparisonSensitivity(
            collapse=collapse_effect(self._table, self._flagged, *arms, analysis, critical, lost),
            weightings=weightings(pairs, self._draws.weights(self._domains), analysis.confidence, critical),
            leave_out=leave_out(pairs, self._domains, analysis, critical, lost),
            sign_flip=sign_flip(
                differences, chosen.summaries, comparison.family_confidence, self._draws.flips(max(n, 1))
            ),
            bca=bca(differences, chosen.summaries, comparison.family_confidence, self._draws.resamples(n)),
            pairing=_pairing(pairs, chosen, comparison.family_confidence),
            noise=noise_layers(pairs, chosen, self._counts),
            secondary=secondary(pairs, analysis.confidence),
        )

    def family(self, control: str, treatments: Sequence[str]) -> MaxT | None:
        """Returns the max-t check over the treatments of one control; None for one treatment or too few pairs."""
        if len(treatments) < 2 or len(self._table.seeds) < FEWEST_FOR_MAX_T:
            return None
        joint = joint_differences(self._table, control, tuple(treatments), self._chosen)
        enough = len(joint.seeds) >= FEWEST_FOR_MAX_T
        return max_t(joint, self._chosen.summaries, self._draws.flips(len(joint.seeds)) if enough else None)


def _pairing(pairs: PairedScores, chosen: SummaryMatrix, confidence: float) -> dict[str, Pairing]:
    ours, theirs = pairs.treatment @ chosen.weights, pairs.control @ chosen.weights
    return pairing(ours, theirs, chosen.summaries, confidence)
