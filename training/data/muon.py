"""Muon, for the hidden matrices of the warm start, needs about half the steps of AdamW alone.

Source: Keller Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024
(https://kellerjordan.github.io/posts/muon/); the five Newton-Schulz coefficients are from there.
"""

from collections.abc import Iterable
from typing import Any


def _orthogonal(update: Any) -> Any:
    """The approximately nearest semi-orthogonal matrix to a gradient (rows, columns)."""
    x = update / (update.norm() + 1e-7)
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    for _ in range(5):
        gram = x @ x.T
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x
    return x.T if tall else x


def build_muon(matrices: Iterable[Any], learning_rate: float, momentum: float = 0.95) -> Any:
    """Returns a torch optimizer over 2-d parameters; the class is local so that this module does not import torch."""
    import torch

    class Muon(torch.optim.Optimizer):
        def __init__(self) -> None:
            super().__init__(matrices, {"lr": learning_rate})

        @torch.no_grad()
        def step(self, closure: None = None) -> None:
            for group in self.param_groups:
                for weight in group["params"]:
                    average = self.state[weight].setdefault("average", torch.zeros_like(weight))
                    average.lerp_(weight.grad, 1 - momentum)
                    update = _orthogonal(weight.grad.lerp(average, momentum))
                    scale = max(1.0, weight.shape[0] / weight.shape[1]) ** 0.5
                    weight.add_(update, alpha=-group["lr"] * scale)

    return Muon()
