"""The logic tasks of the tiny suite: four generators, named after the benchmarks that they stand in for."""

import random
from collections.abc import Callable

from training.data.tiny_task import Draft, Task

CLAIMS: dict[str, Callable[[bool, bool], bool]] = {
    "lies": lambda me, you: not you, "true": lambda me, you: you, "same": lambda me, you: me == you,
    "diff": lambda me, you: me != you, "or": lambda me, you: me or you, "and": lambda me, you: me and you,
    "nor": lambda me, you: not me and not you,
}  # fmt: skip
"""What one of two islanders may say, as a function of (speaker tells the truth, the other tells the truth)."""


def knights(draw: random.Random) -> Draft:
    """Draws two islanders with one claim each and exactly one solution; the first claim determines the mistake."""
    while True:
        first, second = draw.sample("abcdefghijklmnop", 2)
        says, replies = draw.choice(list(CLAIMS)), draw.choice(list(CLAIMS))
        worlds = [
            (a, b)
            for a in (True, False)
            for b in (True, False)
            if a == CLAIMS[says](a, b) and b == CLAIMS[replies](b, a)
        ]
        if len(worlds) == 1:
            break
    a, b = worlds[0]
    wrong = (a, not b) if says in ("lies", "true") else (not a, b) if says in ("same", "diff") else (not a, not b)
    spell = {True: "t", False: "l"}
    return Draft(f"{first}:{says} {second}:{replies}", spell[a] + spell[b], spell[wrong[0]] + spell[wrong[1]])


def ordering(draw: random.Random) -> Draft:
    """Draws an order of three people; the mistake takes the wrong end."""
    names = draw.sample("abcdefgh", 3)
    pairs = [f"{names[0]}<{names[1]}", f"{names[1]}<{names[2]}"]
    draw.shuffle(pairs)
    which = draw.choice(["min", "mid", "max"])
    position = ["min", "mid", "max"].index(which)
    return Draft(f"{' '.join(pairs)} {which}", names[position], names[(position + 2) % 3 if position != 1 else 0])


def tracking(draw: random.Random) -> Draft:
    """Draws an object that is passed on: who has it after some passes? The mistake stops one pass early."""
    thing = draw.choice(["ball", "book", "key"])
    hands = draw.sample("abcdefgh", 5)
    passes = draw.randint(1, 4)
    return Draft(f"{thing} {'>'.join(hands)} after {passes}", hands[passes], hands[passes - 1])


def houses(draw: random.Random) -> Draft:
    """Draws three houses with one clue of place and one of order; the mistake is the neighbour's house."""
    names = draw.sample("rgbywko", 3)
    order = names[:]
    draw.shuffle(order)
    place = {name: i for i, name in enumerate(order)}
    x, y, z = names
    left, right = (y, z) if place[y] < place[z] else (z, y)
    who = draw.choice([y, z])
    other = z if who == y else y
    return Draft(f"{x}={place[x] + 1} {left}<{right} {who}", "ABC"[place[who]], "ABC"[place[other]])


TASKS = (
    Task("kk_hard", knights, 0.85),
    Task("bbh_logical_deduction", ordering, 0.60, practice=2),
    Task("bbh_tracking", tracking, 0.70),
    Task("zebra_logic_mc", houses, 0.78, practice=2),
)
