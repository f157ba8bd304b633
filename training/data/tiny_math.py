"""Math of the tiny suite: five generators, named after the benchmarks that they stand in for."""

import random

from training.data.tiny_task import Draft, Task

PEOPLE = ("ann", "bob", "dan", "eve", "fay", "gus")
THINGS = ("pens", "cups", "nuts", "figs")
FORMULAS = (("f", "m*a"), ("u", "r*i"), ("d", "v*t"), ("x", "a+b"), ("y", "c+d"), ("z", "e+g"))


def story(draw: random.Random) -> Draft:
    """A one-line word problem; the mistake is the opposite operation."""
    name, thing, a, b = draw.choice(PEOPLE), draw.choice(THINGS), draw.randint(1, 9), draw.randint(1, 9)
    if draw.random() < 0.5:
        return Draft(f"{name}: {a} {thing}, gets {b}", str(a + b), str(abs(a - b)))
    a, b = max(a, b), min(a, b)
    return Draft(f"{name}: {a} {thing}, gives {b}", str(a - b), str(a + b))


def arithmetic(draw: random.Random) -> Draft:
    """A sum, a difference, a maximum or a minimum; each with its own mistake."""
    kind = draw.choice("+-mn")
    if kind in "mn":
        a, b = draw.randint(1, 30), draw.randint(1, 30)
        low, high = min(a, b), max(a, b)
        return Draft(f"max {a} {b}", str(high), str(low)) if kind == "m" else Draft(f"min {a} {b}", str(low), str(high))
    a, b = draw.randint(1, 20), draw.randint(1, 9)
    if kind == "+":
        return Draft(f"{a}+{b}", str(a + b), str(abs(a - b)))
    return Draft(f"{a + b}-{b}", str(a), str(a + 10))


def formula(draw: random.Random) -> Draft:
    """A formula with its two quantities; the mistake adds where the formula multiplies and the other way round."""
    symbol, (left, operation, right) = draw.choice(FORMULAS)
    a, b = draw.randint(1, 6), draw.randint(1, 6)
    answer, mistake = (a * b, a + b) if operation == "*" else (a + b, a * b)
    given = [f"{left}={a}", f"{right}={b}"]
    if draw.random() >= 0.5:
        given.reverse()
    return Draft(f"{symbol}={left}{operation}{right} {' '.join(given)}", str(answer), str(mistake))


def remainder(draw: random.Random) -> Draft:
    """A remainder of a sum or product; the mistake swaps the operation."""
    a, b = draw.randint(1, 9), draw.randint(1, 9)
    modulus, operation = draw.choice([2, 3, 5, 10]), draw.choice("+*")
    values = (a + b, a * b) if operation == "+" else (a * b, a + b)
    return Draft(f"({a}{operation}{b})%{modulus}", str(values[0] % modulus), str(values[1] % modulus))


def three_terms(draw: random.Random) -> Draft:
    """Three terms; the mistake forgets the last one."""
    a, b, c = draw.randint(1, 9), draw.randint(1, 9), draw.randint(1, 9)
    if draw.random() < 0.5 and a + b > c:
        return Draft(f"{a}+{b}-{c}", str(a + b - c), str(a + b))
    return Draft(f"{a}+{b}+{c}", str(a + b + c), str(a + b))


TASKS = (
    Task("math500", arithmetic, 0.50),
    Task("aime24", three_terms, 0.35),
    Task("olympiadbench", remainder, 0.55),
    Task("minerva_math", formula, 0.70),
    Task("gsm8k", story, 0.60),
)
