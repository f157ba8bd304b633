import hashlib
import os
import random
import subprocess
import sys
from itertools import permutations, product

import pytest

from policies.errors import InputError
from training.benchmarks.catalog import DOMAINS, suite
from training.data.tiny import TASKS, held_out, held_out_prompts, training_pool
from training.data.tiny_architecture import ALPHABET
from training.data.tiny_benchmarks import benchmark_sha256, questions
from training.data.tiny_logic import CLAIMS
from training.data.tiny_math import PROPERTIES
from training.data.tiny_science import ELEMENTS, OUTER, UNITS
from training.data.training_files import training_data_sha256
from training.grading.graders import grader

TINY = suite("tiny-12")
BENCHMARKS = [row.id for row in TINY]
SUITE_SHA256 = "4866542565c2db477fa1b2e0652987e39e7551e50f72d70a11e2c46e32f4bb43"
POOL_SHA256 = "cc1f43875f233a52b191c616a18344a432c5fc65d3ddfa63a37798b880e1caa6"
_FINGERPRINT = (
    "from training.data.tiny_benchmarks import benchmark_sha256 as b; from training.benchmarks.catalog import suite;"
    "from training.data.training_files import training_data_sha256 as t; import sys;"
    "sys.stdout.write(' '.join([b('tiny-12', r.id) for r in suite('tiny-12')] + [t('builtin:tiny')]))"
)


def test_the_suite_has_twelve_benchmarks_of_three_domains_with_the_real_names() -> None:
    assert {row.domain for row in TINY} == set(DOMAINS)
    by_domain = {domain: [row.id for row in TINY if row.domain == domain] for domain in DOMAINS}
    assert by_domain == {
        "math": ["math500", "aime24", "olympiadbench", "minerva_math", "gsm8k"],
        "logic": ["kk_hard", "bbh_logical_deduction", "bbh_tracking", "zebra_logic_mc"],
        "science": ["gpqa_diamond", "mmlu_pro_chemistry", "mmlu_pro_physics"],
    }


@pytest.mark.parametrize("row", TINY, ids=BENCHMARKS)
def test_each_benchmark_has_as_many_different_questions_as_its_catalog_row_says(row) -> None:
    asked = questions(row.id)
    assert len(asked) == row.questions >= 100
    assert len({question.prompt for question in asked}) == len(asked)
    assert len({question.id for question in asked}) == len(asked)


def test_no_held_out_question_is_in_the_training_pool() -> None:
    assert not held_out_prompts() & {row.prompt for row in training_pool()}
    assert len(held_out_prompts()) == sum(row.questions for row in TINY)


def test_the_pool_has_the_domains_in_equal_parts_and_the_tasks_evenly_inside() -> None:
    pool = training_pool()
    for domain in DOMAINS:
        mine = [row.benchmark for row in pool if row.domain == domain]
        assert len(mine) == len(pool) / len(DOMAINS)
        counts = [mine.count(row.id) for row in TINY if row.domain == domain]
        assert max(counts) - min(counts) <= 1
    assert {(row.id, row.domain) for row in TINY} == {(row.benchmark, row.domain) for row in pool}


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_every_process_makes_the_same_questions_and_pool_whatever_its_hash_seed(hash_seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    told = subprocess.run(
        [sys.executable, "-c", _FINGERPRINT], env=environment, capture_output=True, text=True, check=True
    )
    here = [*(benchmark_sha256("tiny-12", name) for name in BENCHMARKS), training_data_sha256("builtin:tiny")]
    assert told.stdout.split() == here


def test_the_content_is_the_one_that_the_shipped_model_and_the_published_numbers_belong_to() -> None:
    together = "".join(benchmark_sha256("tiny-12", name) for name in BENCHMARKS)
    assert hashlib.sha256(together.encode()).hexdigest() == SUITE_SHA256
    assert training_data_sha256("builtin:tiny") == POOL_SHA256


@pytest.mark.parametrize("row", TINY, ids=BENCHMARKS)
def test_true_answers_are_marked_right_and_mistakes_wrong(row) -> None:
    mark = grader(row.grader)
    for draft in held_out()[row.id]:
        assert mark(draft.answer, draft.answer).right
        assert not mark(draft.mistake, draft.answer).right, draft


@pytest.mark.parametrize("name", BENCHMARKS)
def test_prompts_and_answers_use_only_characters_that_are_tokens_and_fit_the_recipe(name: str) -> None:
    for question in questions(name):
        assert set(question.prompt + question.answer) <= set(ALPHABET)
        assert len(question.prompt) + 8 <= 48  # the chat template adds eight tokens
        assert len(question.answer) + 1 <= 8


@pytest.mark.parametrize("row", TINY, ids=BENCHMARKS)
def test_always_giving_the_commonest_answer_scores_under_forty_percent(row) -> None:
    answers = [question.answer for question in questions(row.id)]
    assert max(map(answers.count, set(answers))) < 0.4 * len(answers)


def test_unknown_benchmarks_and_suites_get_the_nearest_names() -> None:
    with pytest.raises(InputError, match="math500"):
        questions("math50")
    with pytest.raises(InputError, match="tiny-12"):
        benchmark_sha256("tiny12", "math500")


def _solve_arithmetic(prompt: str) -> str:
    words = prompt.split()
    if words[0] in ("max", "min"):
        return str({"max": max, "min": min}[words[0]](int(words[1]), int(words[2])))
    return str(_sum(prompt))


def _sum(expression: str) -> int:
    return sum(int(term) for term in expression.replace("-", "+-").split("+"))


def _solve_counting(prompt: str) -> str:
    kind, _, digits = prompt.partition(": ")
    return str(sum(PROPERTIES[kind](int(digit)) for digit in digits.split()))


def _solve_formula(prompt: str) -> str:
    formula, *given = prompt.split()
    values = dict(pair.split("=") for pair in given)
    left, operation, right = formula.split("=")[1]
    a, b = int(values[left]), int(values[right])
    return str({"*": a * b, "+": a + b, "-": a - b}[operation])


def _solve_story(prompt: str) -> str:
    words = prompt.replace(",", "").split()
    a, verb, b = int(words[1]), words[3], int(words[4])
    return str(a + b if verb == "gets" else a - b)


def _solve_knights(prompt: str) -> str:
    claims = [part.partition(":")[2] for part in prompt.split()]
    worlds = [
        world
        for world in product((True, False), repeat=2)
        if all(world[i] == CLAIMS[claims[i]](world[i], world[1 - i]) for i in (0, 1))
    ]
    assert len(worlds) == 1, prompt
    return "".join("t" if truthful else "l" for truthful in worlds[0])


def _orders(names: set[str], clues: list[str]) -> list[dict[str, int]]:
    """Every way to place the names 1, 2, 3 that agrees with clues like `a<b` and `a=2`."""
    found = []
    for order in permutations(sorted(names)):
        place = {name: i for i, name in enumerate(order, start=1)}
        if all(place[clue[0]] < place[clue[2]] if clue[1] == "<" else place[clue[0]] == int(clue[2]) for clue in clues):
            found.append(place)
    return found


def _solve_ordering(prompt: str) -> str:
    *clues, which = prompt.split()
    (place,) = _orders({clue[i] for clue in clues for i in (0, 2)}, clues)
    return next(name for name, position in place.items() if position == {"min": 1, "mid": 2, "max": 3}[which])


def _solve_houses(prompt: str) -> str:
    *clues, who = prompt.split()
    (place,) = _orders({clue[0] for clue in clues} | {clues[1][2]}, clues)
    return "ABC"[place[who] - 1]


def _solve_tracking(prompt: str) -> str:
    _, hands, _, passes = prompt.split()
    return hands.split(">")[int(passes)]


def _solve_choice(prompt: str) -> str:
    asked, *options = prompt.split()
    texts = {option[0]: option[1:] for option in options}
    asked = asked.rstrip("?")
    if asked in ("most", "least"):
        pick = max if asked == "most" else min
        return pick(texts, key=lambda letter: ELEMENTS.index(texts[letter]))
    truth = OUTER[asked] if asked in OUTER else UNITS[asked]
    (letter,) = (letter for letter, text in texts.items() if text == truth)
    return letter


SOLVERS = {
    "math500": _solve_arithmetic,
    "aime24": lambda prompt: str(_sum(prompt)),
    "olympiadbench": _solve_counting,
    "minerva_math": _solve_formula,
    "gsm8k": _solve_story,
    "kk_hard": _solve_knights,
    "bbh_logical_deduction": _solve_ordering,
    "bbh_tracking": _solve_tracking,
    "zebra_logic_mc": _solve_houses,
    "gpqa_diamond": _solve_choice,
    "mmlu_pro_chemistry": _solve_choice,
    "mmlu_pro_physics": _solve_choice,
}


@pytest.mark.parametrize("name", BENCHMARKS)
def test_an_independent_solver_agrees_with_every_answer(name: str) -> None:
    for question in questions(name):
        assert SOLVERS[name](question.prompt) == question.answer, question


@pytest.mark.parametrize("name", BENCHMARKS)
def test_generators_make_a_mistake_that_differs_from_the_answer(name: str) -> None:
    draw = random.Random(7)
    for _ in range(2000):
        draft = TASKS[name].make(draw)
        assert draft.mistake != draft.answer, draft
