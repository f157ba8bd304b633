"""Draws runs' mean reward by step: `python tests/bench/draw_learning_curves.py OUT.svg RUN_DIR [RUN_DIR ...]`.

Also prints each run's mean over every ten steps, as the recipe's documentation quotes it.
"""

import sys
from pathlib import Path
from statistics import mean

from training.run_files import RunFiles

WINDOW = 10


def rewards(run: Path) -> list[float]:
    """Mean reward of each step, over all attempts."""
    return [float(row["critic/rewards/mean"]) for row in RunFiles(run).metrics().values()]


def main(arguments: list[str]) -> int:
    """Draws and prints; the exit code."""
    if len(arguments) < 2:
        sys.stderr.write("usage: python tests/bench/draw_learning_curves.py OUT.svg RUN_DIR [RUN_DIR ...]\n")
        return 2
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "learning-curves"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
    for run in map(Path, arguments[1:]):
        curve = rewards(run)
        parts = [mean(curve[start : start + WINDOW]) for start in range(0, len(curve), WINDOW)]
        sys.stdout.write(f"{run.name}: {' '.join(f'{part:.3f}' for part in parts)}\n")
        smooth = [mean(curve[max(0, step - WINDOW + 1) : step + 1]) for step in range(len(curve))]
        (line,) = axes.plot(range(1, len(curve) + 1), curve, linewidth=0.5, alpha=0.4)
        axes.plot(range(1, len(smooth) + 1), smooth, color=line.get_color(), label=run.name)
    axes.set(xlabel="GRPO step", ylabel="mean reward", ylim=(0, 1))
    axes.legend(frameon=False)
    figure.savefig(arguments[0], metadata={"Date": None})
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
