"""The science tasks of the tiny suite: three multiple-choice generators, named after the benchmarks they stand for."""

import random

from training.data.tiny_task import Draft, Task

ELEMENTS = ("h", "he", "li", "be", "b", "c", "n", "o", "f", "ne", "na", "mg")
"""Elements by atomic number, from 1."""
OUTER = dict(zip(ELEMENTS, "121234567812", strict=True))
"""Element -> number of electrons in the outer shell."""
UNITS = {
    "force": "n", "energy": "j", "power": "w", "charge": "c", "current": "a", "mass": "g", "length": "m", "time": "s",
    "volt": "v", "heat": "k", "freq": "h", "flux": "t",
}  # fmt: skip

CONFUSED = (
    ("force", "mass"), ("energy", "power"), ("charge", "current"), ("length", "time"), ("volt", "flux"),
    ("heat", "freq"),
)  # fmt: skip


def choices(draw: random.Random, question: str, right: str, wrong: list[str]) -> Draft:
    """Returns a question with lettered options in random order; the mistake is the first of `wrong`."""
    options = [right, *wrong]
    draw.shuffle(options)
    listed = " ".join(letter + option for letter, option in zip("ABCD", options, strict=False))
    return Draft(f"{question} {listed}", "ABCD"[options.index(right)], "ABCD"[options.index(wrong[0])])


def shells(draw: random.Random) -> Draft:
    """Draws an element and asks for the electrons in its outer shell; the mistake is one more."""
    element = draw.choice(ELEMENTS)
    count = int(OUTER[element])
    slip = str(count % 8 + 1)
    others = draw.sample([other for other in "12345678" if other not in (OUTER[element], slip)], 2)
    return choices(draw, f"{element}?", OUTER[element], [slip, *others])


def units(draw: random.Random) -> Draft:
    """Draws a quantity and asks for its unit; the mistake is the unit of a quantity easily confused with it."""
    pair = draw.choice(CONFUSED)
    quantity, other = pair if draw.random() < 0.5 else pair[::-1]
    others = draw.sample([unit for name, unit in UNITS.items() if name not in pair], 2)
    return choices(draw, f"{quantity}?", UNITS[quantity], [UNITS[other], *others])


def heaviest(draw: random.Random) -> Draft:
    """Draws three elements and asks for an extreme; the mistake is option A, or B if A is the answer."""
    group = draw.sample(ELEMENTS, 3)
    which = draw.choice(["most", "least"])
    ranked = sorted(group, key=ELEMENTS.index, reverse=which == "most")
    draft = choices(draw, f"{which}?", ranked[0], ranked[:0:-1])
    return draft._replace(mistake="B" if draft.answer == "A" else "A")


TASKS = (
    Task("gpqa_diamond", heaviest, 0.75, practice=2),
    Task("mmlu_pro_chemistry", shells, 0.58, practice=2),
    Task("mmlu_pro_physics", units, 0.72),
)
