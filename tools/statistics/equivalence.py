"""Two one-sided tests (TOST): is the difference inside +- the smallest effect of interest?"""


def tost_confidence(confidence: float) -> float:
    """1 - 2 alpha, of the interval that two one-sided tests at level alpha read (Schuirmann 1987).

    It lies inside +- SESOI exactly when both one-sided tests reject. Verdicts read the wider family interval, which is
    conservative for equivalence; this one is shown beside it.
    """
    return 1.0 - 2.0 * (1.0 - confidence)
