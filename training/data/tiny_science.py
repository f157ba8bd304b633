"""Science of the tiny suite: three multiple-choice generators, named after the benchmarks that they stand in for."""

import random

from training.data.tiny_task import Draft, Task

ELEMENTS = ("h", "he", "li", "be", "b", "c", "n", "o", "f", "ne", "na", "mg")
"""By atomic number, from 1."""
OUTER = dict(zip(ELEMENTS, "121234567812", strict=True))
"""Electrons in the outer shell."""
UNITS = {
    "force": "n",
    "energy": "j",
    "power": "w",
    "charge": "c",
    "current": "a",
    "mass": "g",
    "length": "m",
    "time": "s",
    "volt": "v",
    "heat": "k",
    "freq": "h",
    "flux": "t",
}


def choices(draw: random.Random, question: str, right: str, wrong: list[str]) -> Draft:
    """Lettered options in random order; the mistake is the first of `wrong`."""
    options = [right, *wrong]
    draw.shuffle(options)
    listed = " ".join(letter + option for letter, option in zip("ABCD", options, strict=False))
    return Draft(f"{question} {listed}", "ABCD"[options.index(right)], "ABCD"[options.index(wrong[0])])


def shells(draw: random.Random) -> Draft:
    """How many electrons an element has in its outer shell."""
    element = draw.choice(ELEMENTS)
    wrong = draw.sample([count for count in "12345678" if count != OUTER[element]], 3)
    return choices(draw, f"{element}?", OUTER[element], wrong)


def units(draw: random.Random) -> Draft:
    """The unit of a quantity."""
    quantity = draw.choice(list(UNITS))
    wrong = draw.sample([unit for unit in UNITS.values() if unit != UNITS[quantity]], 2)
    return choices(draw, f"{quantity}?", UNITS[quantity], wrong)


def heaviest(draw: random.Random) -> Draft:
    """The heaviest or lightest of three elements; the mistake is the other extreme."""
    group = draw.sample(ELEMENTS, 3)
    which = draw.choice(["most", "least"])
    ranked = sorted(group, key=ELEMENTS.index, reverse=which == "most")
    return choices(draw, f"{which}?", ranked[0], ranked[:0:-1])


TASKS = (
    Task("gpqa_diamond", heaviest, 0.62),
    Task("mmlu_pro_chemistry", shells, 0.60),
    Task("mmlu_pro_physics", units, 0.68),
)
