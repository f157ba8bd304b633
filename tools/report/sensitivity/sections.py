"""The sensitivity views of one comparison, each under its heading, in the order in which readers need them."""

from tools.report.claims.facts import facts
from tools.report.sensitivity import collapsed as sensitivity_collapsed
from tools.report.sensitivity import leave_out as sensitivity_leave_out
from tools.report.sensitivity import noise_layers as sensitivity_noise_layers
from tools.report.sensitivity import pairing as sensitivity_pairing
from tools.report.sensitivity import secondary as sensitivity_secondary
from tools.report.sensitivity import sign_flip as sensitivity_sign_flip
from tools.report.sensitivity import weightings as sensitivity_weightings
from tools.statistics.sensitivity.build import ComparisonSensitivity
from tools.statistics.sensitivity.max_t import MaxT
from tools.statistics.verdict_model import Comparison
from tools.text.markdown import Section

CHOICE = "The choice of benchmarks"
WITHHELD = (
    "The claim is withheld because of lost pairs. Other weights, other tests, pairing, noise and secondary metrics "
    "know the complete pairs alone, so none of them gives it back."
)


def sensitivity_sections(
    found: ComparisonSensitivity | None, comparison: Comparison, max_t: MaxT | None, *, flagged: bool
) -> tuple[Section, ...]:
    """Returns all available views. flagged: whether any cell of this table is flagged as collapsed.

    Empty below two pairs, for invalid data, and for a treatment that was not delivered, where they would compare
    labels.
    """
    one = facts(comparison)
    if found is None or one.n < 2 or comparison.verdict == "treatment_not_delivered":
        return ()
    weighed = sensitivity_weightings.section(found.weightings, one.treatment, one.kind)
    sections = [
        Section(CHOICE, f"{WITHHELD}\n\n{weighed}" if one.withheld else weighed),
        Section(
            "Does it depend on one seed, benchmark or domain?",
            sensitivity_leave_out.section(found.leave_out, comparison),
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
