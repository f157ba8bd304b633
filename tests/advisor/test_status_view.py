"""The live table on small terminals: the run at work is seen, whatever the number of runs."""

import io
from typing import Literal

import pytest
from rich.console import Console, RenderableType

from advisor.views.status import LiveView, render
from tools.study.blinded import BlindView
from tools.study.status import RunStatus, StudyStatus

PAIRS = 15


def status(done: int) -> StudyStatus:
    """Fifteen pairs, the first `done` runs done and the next one at work."""

    def state(place: int) -> Literal["done", "running", "planned"]:
        return "done" if place < done else "running" if place == done else "planned"

    runs = tuple(
        RunStatus(arm=("static", "tscl")[place % 2], seed=1 + place // 2, replicate=0, state=state(place), steps=9)
        for place in range(2 * PAIRS)
    )
    return StudyStatus(
        id="2026-11-30-tscl-vs-static-9c12", folder="/studies/9c12", state="running", phase="training", reason="",
        plan_hash="0" * 64, approved_by="ann", seeds=PAIRS, seeds_scored=done // 2, runs=runs, spent_device_hours=0.1,
        ceiling_device_hours=3.0, device_hours_unit="device-hours", eta_s=60.0, report=None,
        blind=BlindView(design="fixed: 15 seeds", pairs=done // 2, summary="flat", pooled_sd=1.5, looks=0),
    )  # fmt: skip


def lines(view: RenderableType, width: int, height: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, height=height, color_system=None)
    with console.capture() as captured:
        console.print(view)
    return captured.get().splitlines()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (60, 12), (80, 8)])
@pytest.mark.parametrize("done", range(2 * PAIRS))
def test_the_run_at_work_is_seen_and_the_screen_is_not_overrun(done: int, width: int, height: int) -> None:
    shown = lines(LiveView(status(done)), width, height)
    assert len(shown) <= height
    runs = [line for line in shown if line.startswith(("static ", "tscl "))]
    assert sum("running" in line for line in runs) == 1
    counted = [line for line in shown if line.startswith("...")]
    if len(runs) < 2 * PAIRS:
        (above, below) = (int(word) for word in counted[0].split() if word.isdigit())
        assert above + len(runs) + below == 2 * PAIRS
    else:
        assert not counted


def test_what_to_type_is_a_line_of_its_own() -> None:
    words = {"state": "interrupted", "reason": "its supervisor is gone", "next": "advisor resume 2026-11-30-tscl-9c12"}
    still = status(20).model_copy(update=words)
    shown = lines(render(still), 80, 24)
    assert shown[-1] == "next: advisor resume 2026-11-30-tscl-9c12"
    assert "its supervisor is gone" in " ".join(shown[:3])
    assert "advisor resume" not in " ".join(shown[:-1])


def test_the_last_picture_holds_every_run() -> None:
    shown = lines(render(status(20)), 80, 24)
    assert sum(line.startswith(("static ", "tscl ")) for line in shown) == 2 * PAIRS
