"""The sensitivity views of one comparison, each under its heading, in the order in which readers ask."""

from tools.report import (
    sensitivity_collapsed,
    sensitivity_leave_out,
    sensitivity_noise_layers,
    sensitivity_pairing,
    sensitivity_secondary,
    sensitivity_sign_flip,
    sensitivity_weightings,
)
from tools.report.facts import facts
from tools.report.section import Section
from tools.statistics.max_t import MaxT
from tools.statistics.sensitivity.build import ComparisonSensitivity
from tools.statistics.verdict_model import Comparison

CHOICE = "The choice of benchmarks"


def sensitivity_sections(
    found: ComparisonSensitivity | None, comparison: Comparison, max_t: MaxT | None, *, flagged: bool
) -> tuple[Section, ...]:
    """All views that there are. flagged: some cell of this table is called collapsed.

    None below two pairs, for invalid data, and for a treatment that was not delivered: what they would say of its name
    would be said of labels.
    """
    one = facts(comparison)
    if found is None or one.n < 2 or comparison.verdict == "treatment_not_delivered":
        return ()
    sections = [
        Section(
            CHOICE,
            sensitivity_weightings.section(found.weightings, one.treatment),
        ),
        Section(
            "Does it hang on one seed, benchmark or domain?", sensitivity_leave_out.section(found.leave_out, comparison)
        ),
    ]
    if flagged:
        effect = sensitivity_collapsed.effect_section(found.collapse, comparison)
        sections.append(Section("With and without the collapsed cells", effect))
    sections += [
        Section(
            "Other tests and intervals", sensitivity_sign_flip.section(found.sign_flip, found.bca, max_t, comparison)
        ),
        Section("Did pairing by seed pay?", sensitivity_pairing.section(found.pairing, comparison)),
        Section("Two layers of noise", sensitivity_noise_layers.section(found.noise, comparison)),
        Section("Secondary metrics", sensitivity_secondary.section(found.secondary, comparison)),
    ]
    return tuple(sections)
