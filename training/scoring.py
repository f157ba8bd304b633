"""Scores one exported model on a suite, and writes answers, grades and scores.

ANSWERS/<benchmark>.jsonl   one line per question: id, answer, extracted, graded (whether it is correct), reason
ANSWERS/scores.json         written last and atomically: a folder that has it is finished
"""

import json
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from pydantic import Field, ValidationError

from policies.errors import InputError
from policies.model import StrictModel, describe_faults
from training.benchmarks.catalog import Benchmark, suite
from training.data.tiny_benchmarks import Question, benchmark_sha256, questions
from training.engines import transformers as engine
from training.grading.graders import GRADING_VERSION, GradingError, grader
from training.run_files import write_atomically

MAX_NEW_TOKENS = 8
SCORES = "scores.json"

Generate = Callable[[Path, Sequence[str], int], list[str]]


class BenchmarkScore(StrictModel):
    """The score on one benchmark."""

    benchmark: str
    domain: str
    score: float = Field(ge=0, le=100)
    """Percent of the questions that were answered correctly."""
    questions: int = Field(ge=1)
    sha256: str
    """Hash of the questions by `benchmark_sha256`."""


class SuiteScores(StrictModel):
    """The content of `scores.json`."""

    schema_version: int = 1
    suite: str
    harness: str
    """What else the answers depend on; only scores with the same harness are comparable."""
    scores: tuple[BenchmarkScore, ...]


def _mark(row: Benchmark, asked: Sequence[Question], answers: Sequence[str]) -> tuple[BenchmarkScore, str]:
    """The benchmark's score and its answer lines."""
    marking = grader(row.grader)
    lines, right = [], 0
    for question, answer in zip(asked, answers, strict=True):
        try:
            grade = marking(answer, question.answer)
        except GradingError:
            raise
        except Exception as error:
            raise GradingError(
                f"grader {row.grader!r} failed on question {question.id} with answer {answer!r} "
                f"({type(error).__name__}: {error}); nothing of this job was scored"
            ) from error
        right += grade.right
        line = {
            "id": question.id, "answer": answer, "extracted": grade.extracted, "graded": grade.right,
            "reason": grade.reason,
        }  # fmt: skip
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    score = BenchmarkScore(
        benchmark=row.id,
        domain=row.domain,
        score=100 * right / len(asked),
        questions=len(asked),
        sha256=benchmark_sha256(row.suite, row.id),
    )
    return score, "".join(lines)


def score_export(export: Path, suite_name: str, answers: Path, generate: Generate = engine.generate) -> SuiteScores:
    """Generates, grades and stores the answers; a folder that already has its scores is only read.

    Raises InputError for an unknown suite, an incomplete export or a damaged scores file, GradingError if a grader
    fails.
    """
    done = answers / SCORES
    if done.is_file():
        try:
            return SuiteScores.model_validate_json(done.read_bytes())
        except ValidationError as error:
            raise InputError(
                f"{done} is damaged ({describe_faults(error)}); delete its folder to score again"
            ) from error
    rows = suite(suite_name)
    asked = {row.id: questions(row.id) for row in rows}
    texts = iter(generate(export, [question.prompt for row in rows for question in asked[row.id]], MAX_NEW_TOKENS))
    marked = [_mark(row, asked[row.id], list(islice(texts, len(asked[row.id])))) for row in rows]
    answers.mkdir(parents=True, exist_ok=True)
    for row, (_, lines) in zip(rows, marked, strict=True):
        write_atomically(answers / f"{row.id}.jsonl", lines)
    result = SuiteScores(
        suite=suite_name,
        harness=f"{engine.harness(MAX_NEW_TOKENS)}, graders {GRADING_VERSION}",
        scores=tuple(score for score, _ in marked),
    )
    write_atomically(done, result.model_dump_json(indent=1) + "\n")
    return result
