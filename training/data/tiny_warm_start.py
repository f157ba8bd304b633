"""Builds the model that every `tiny-cpu` run starts from: `python -m training.data.tiny_warm_start OUT`.

Two phases of supervised demonstrations on fresh questions (never the held-out ones):

skill   every demonstration is correct; the model learns the procedures;
habit   short; a share of each task's demonstrations has that task's one systematic mistake.

So the correct procedure stays latent under a bad habit, and reinforcement learning can recover it. A model that is
merely trained less gains nothing in 60 GRPO steps. Takes some minutes on one core; the same machine and versions give
the same bytes.
"""

import argparse
import random
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from training.benchmarks.catalog import suite
from training.data.muon import build_muon
from training.data.tiny import SUITE, TASKS, held_out_prompts
from training.data.tiny_architecture import build_model, build_tokenizer
from training.data.tiny_benchmarks import questions
from training.grading.graders import grader


class Phase(NamedTuple):
    """One phase of supervised training."""

    steps: int
    batch: int
    adamw: float
    """Learning rate of AdamW (only for embeddings and norms if Muon trains the matrices)."""
    muon: float | None
    """Learning rate of Muon on the hidden matrices; None: AdamW trains everything."""
    mistakes: bool


SKILL = Phase(steps=3000, batch=64, adamw=2e-3, muon=0.01, mistakes=False)
HABIT = Phase(steps=160, batch=48, adamw=1e-3, muon=None, mistakes=True)
WARM_UP_STEPS = 30
LAST_RATE = 0.05
"""The learning rate decays linearly to this share of its maximum."""


def demonstrations(draw: random.Random, count: int, mistakes: bool) -> list[tuple[str, str]]:
    """Draws fresh (prompt, demonstrated answer) pairs, with mistakes evenly over tasks, else by their `practice`."""
    tasks = [task for task in TASKS.values() for _ in range(1 if mistakes else task.practice)]
    shown: list[tuple[str, str]] = []
    while len(shown) < count:
        task = draw.choice(tasks)
        draft = task.make(draw)
        if draft.prompt not in held_out_prompts():
            slip = mistakes and draw.random() < task.mistake_share
            shown.append((draft.prompt, draft.mistake if slip else draft.answer))
    return shown


def encode(tokenizer: Any, shown: list[tuple[str, str]]) -> dict[str, Any]:
    """Returns right-padded input_ids, attention_mask and labels, (batch, tokens); labels: answer and end token only."""
    chats = [
        tokenizer.apply_chat_template([{"role": "user", "content": q}], add_generation_prompt=True, tokenize=False)
        for q, _ in shown
    ]
    full = tokenizer(
        [chat + answer + tokenizer.eos_token for chat, (_, answer) in zip(chats, shown, strict=True)],
        return_tensors="pt",
        padding=True,
        padding_side="right",
        add_special_tokens=False,
    )
    labels = full["input_ids"].masked_fill(full["attention_mask"] == 0, -100)
    for row, ids in enumerate(tokenizer(chats, add_special_tokens=False)["input_ids"]):
        labels[row, : len(ids)] = -100
    return {"input_ids": full["input_ids"], "attention_mask": full["attention_mask"], "labels": labels}


def _optimizers(model: Any, phase: Phase) -> list[Any]:
    import torch

    named = list(model.named_parameters())
    if phase.muon is None:
        return [torch.optim.AdamW([weight for _, weight in named], lr=phase.adamw, weight_decay=0.01)]
    hidden = [name for name, weight in named if weight.ndim == 2 and "embed" not in name and "lm_head" not in name]
    rest = [weight for name, weight in named if name not in hidden]
    return [
        torch.optim.AdamW(rest, lr=phase.adamw, betas=(0.9, 0.98), weight_decay=0.01),
        build_muon([weight for name, weight in named if name in hidden], phase.muon),
    ]


def train(model: Any, tokenizer: Any, phase: Phase, draw: random.Random) -> None:
    """Runs one phase in place, with a line on stderr after each tenth of it."""
    import torch

    optimizers = _optimizers(model, phase)
    full_rates = [optimizer.param_groups[0]["lr"] for optimizer in optimizers]
    model.train()
    start, recent = time.monotonic(), 0.0
    for step in range(1, phase.steps + 1):
        share = min(1.0, step / WARM_UP_STEPS) * max(LAST_RATE, 1 - step / phase.steps)
        for optimizer, rate in zip(optimizers, full_rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * share
        loss = model(**encode(tokenizer, demonstrations(draw, phase.batch, phase.mistakes))).loss
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        recent = loss.item() if step == 1 else 0.95 * recent + 0.05 * loss.item()
        if step % max(1, phase.steps // 10) == 0:
            sys.stderr.write(f"step {step}/{phase.steps}: loss {recent:.3f}, {time.monotonic() - start:.0f} s\n")


def report(model: Any, tokenizer: Any) -> str:
    """Returns the percentage of correct greedy answers to each benchmark's held-out questions, one per line."""
    from training.engines.transformers import answer

    lines = []
    model.eval()
    for row in suite(SUITE):
        asked, mark = questions(row.id), grader(row.grader)
        texts = answer(model, tokenizer, [question.prompt for question in asked], max_new_tokens=8)
        right = sum(mark(text, question.answer).right for text, question in zip(texts, asked, strict=True))
        lines.append(f"{row.id:24s}{100 * right / len(asked):5.1f}")
    return "\n".join(lines)


def build(out: Path, kept_skill: Path | None = None, skill: Phase = SKILL, habit: Phase = HABIT) -> None:
    """Trains the model from scratch and saves it with its tokenizer, float32, in Hugging Face format.

    `kept_skill`: the folder of the skill phase's model, used if it exists and written if it does not.
    """
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)  # one thread: sums keep their order, so the bytes are reproducible
    torch.manual_seed(0)
    tokenizer = build_tokenizer()
    if kept_skill is not None and kept_skill.is_dir():
        model = AutoModelForCausalLM.from_pretrained(kept_skill, dtype=torch.float32)
    else:
        model = build_model(tokenizer)
        train(model, tokenizer, skill, random.Random("warm-start"))  # noqa: S311
        if kept_skill is not None:
            model.save_pretrained(kept_skill)
            tokenizer.save_pretrained(kept_skill)
    sys.stderr.write(f"after the skill phase, percent correct:\n{report(model, tokenizer)}\n")
    train(model, tokenizer, habit, random.Random("habit"))  # noqa: S311
    sys.stderr.write(f"after the habit phase, percent correct:\n{report(model, tokenizer)}\n")
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description="Build the tiny-qwen2 warm start.")
    parser.add_argument("out", type=Path, help="folder to write")
    parser.add_argument(
        "--skill", type=Path, help="folder that keeps the skill phase's model, to retry the habit phase"
    )
    options = parser.parse_args()
    build(options.out, options.skill)


if __name__ == "__main__":
    main()
