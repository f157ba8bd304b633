"""The math tasks of the tiny suite: five generators, named after the benchmarks that they stand in for."""

import random
from collections.abc import Callable

from training.data.tiny_task import Draft, Task

PEOPLE = ("ann", "bob", "dan", "eve", "fay", "gus")
THINGS = ("pens", "cups", "nuts", "figs")
FORMULAS = (
    ("f", "m", "*", "a"), ("u", "r", "*", "i"), ("d", "v", "*", "t"), ("q", "c", "*", "v"), ("e", "h", "*", "f"),
    ("x", "a", "+", "b"), ("y", "c", "+", "d"), ("z", "e", "+", "g"), ("k", "p", "+", "o"), ("s", "u", "+", "l"),
    ("h", "k", "-", "n"), ("w", "p", "-", "s"), ("j", "l", "-", "o"), ("r", "y", "-", "x"), ("g", "t", "-", "m"),
)  # fmt: skip
PROPERTIES: dict[str, Callable[[int], bool]] = {
    "odd": lambda digit: digit % 2 == 1,
    "even": lambda digit: digit % 2 == 0,
    "big": lambda digit: digit > 5,
}


def story(draw: random.Random) -> Draft:
    """Draws a one-line word problem; the mistake is the opposite operation."""
    name, thing, a, b = draw.choice(PEOPLE), draw.choice(THINGS), draw.randint(1, 9), draw.randint(1, 9)
    if draw.random() < 0.5:
        return Draft(f"{name}: {a} {thing}, gets {b}", str(a + b), str(abs(a - b)))
    a, b = max(a, b), min(a, b)
    return Draft(f"{name}: {a} {thing}, gives {b}", str(a - b), str(a + b))


def arithmetic(draw: random.Random) -> Draft:
    """Draws a sum, a difference, a maximum or a minimum, each with its own mistake."""
    kind = draw.choice("+-mn")
    if kind in "mn":
        low, high = sorted(draw.sample(range(1, 31), 2))
        a, b = (low, high) if draw.random() < 0.5 else (high, low)
        return Draft(f"max {a} {b}", str(high), str(low)) if kind == "m" else Draft(f"min {a} {b}", str(low), str(high))
    a, b = draw.randint(1, 20), draw.randint(1, 9)
    if kind == "+":
        return Draft(f"{a}+{b}", str(a + b), str(abs(a - b)))
    return Draft(f"{a + b}-{b}", str(a), str(a + 10))


def formula(draw: random.Random) -> Draft:
    """Draws a formula with its two quantities; the mistake uses another operation."""
    symbol, left, operation, right = draw.choice(FORMULAS)
    while True:
        a, b = draw.randint(1, 7), draw.randint(1, 7)
        if (a, b) != (2, 2):  # 2 + 2 is 2 * 2: the mistake would be right
            break
    if operation == "-":
        a, b = max(a, b), min(a, b)
    values = {"*": a * b, "+": a + b, "-": a - b}
    mistake = values["+"] if operation != "+" else values["*"]
    given = [f"{left}={a}", f"{right}={b}"]
    if draw.random() >= 0.5:
        given.reverse()
    return Draft(f"{symbol}={left}{operation}{right} {' '.join(given)}", str(values[operation]), str(mistake))


def counting(draw: random.Random) -> Draft:
    """Draws five digits and asks how many are odd, even or large; the mistake counts the others."""
    kind = draw.choice(list(PROPERTIES))
    digits = [draw.randint(1, 9) for _ in range(5)]
    count = sum(PROPERTIES[kind](digit) for digit in digits)
    return Draft(f"{kind}: {' '.join(map(str, digits))}", str(count), str(5 - count))


def three_terms(draw: random.Random) -> Draft:
    """Draws a sum of three terms; the mistake omits the last one."""
    a, b, c = draw.randint(1, 9), draw.randint(1, 9), draw.randint(1, 9)
    if draw.random() < 0.5 and a + b > c:
        return Draft(f"{a}+{b}-{c}", str(a + b - c), str(a + b))
    return Draft(f"{a}+{b}+{c}", str(a + b + c), str(a + b))


TASKS = (
    Task("math500", arithmetic, 0.50, practice=2),
    Task("aime24", three_terms, 0.55, practice=2),
    Task("olympiadbench", counting, 0.65),
    Task("minerva_math", formula, 0.70),
    Task("gsm8k", story, 0.60),
)
