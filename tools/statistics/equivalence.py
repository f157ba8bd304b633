"""Two one-sided tests (TOST): is the difference inside +- the smallest effect of interest?"""

from numpy.typing import ArrayLike

from tools.statistics.paired import PairedInterval, paired_t


def tost_interval(differences: ArrayLike, confidence: float) -> PairedInterval:
    """The 1 - 2 alpha interval that two one-sided tests at level alpha read (Schuirmann 1987), for (n,) differences.

    It lies inside +- SESOI exactly when both one-sided tests reject. Verdicts read the wider family interval, which is
    conservative for equivalence; this one is shown beside it.
    """
    return paired_t(differences, 1.0 - 2.0 * (1.0 - confidence))
