"""How the error is spent over the looks: four families of spending functions."""

from math import e as euler
from math import expm1, log1p, sqrt

from tools.statistics.sequential.model import SequentialDesign


def spent(design: SequentialDesign, alpha: float, n: int) -> float:
    """Two-sided error spent by the look at n pairs, itself included; rises to alpha at n_max.

    A function of the information fraction n / n_max; where the spending starts at the first look, of the share of the
    looks made, (n - n_min + 1) / looks, which is the same fraction counted from the pairs before the first look.

    Sources: Lan and DeMets (1983) for the two that resemble the bounds of O'Brien-Fleming and of Pocock, here with
    alpha / 2 a side; Kim and DeMets (1987) for the power family; Hwang, Shih and DeCani (1990).
    """
    parameter = design.spending_parameter
    before = design.n_min - 1 if design.spending_starts_at_first_look else 0
    fraction = (n - before) / (design.n_max - before)
    if design.spending == "obrien_fleming":
        from scipy.special import ndtr, ndtri

        return float(4.0 * ndtr(ndtri(alpha / 4.0) / sqrt(fraction)))
    if design.spending == "pocock":
        return alpha * log1p((euler - 1.0) * fraction)
    if design.spending == "power":
        return float(alpha * fraction**parameter)
    if abs(parameter) < 1e-9:
        return alpha * fraction
    return alpha * expm1(-parameter * fraction) / expm1(-parameter)
