"""What a policy of others can get wrong in a run is one line that names policy, question and step."""

import json
from typing import Any

import numpy as np
import pytest

from policies.base import Policy
from policies.builtin.tscl import Tscl
from policies.checked import CheckedPolicy
from policies.errors import PolicyError, TrainingFailedError
from policies.registry import create, resolve
from policies.synthetic import DOMAINS, drifting, simulate
from tests.policies.rollout_batches import graded, policy_of
from training.verl_plugin.policy_step import checked_weights

BATCH = graded([[0, 0, 1, 1, 1], [0, 0, 0, 0, 1]])
ROWS = len(BATCH.rewards)


def policy(**ways: Any) -> CheckedPolicy:
    """One that answers as given."""
    members = {way: staticmethod(answer) if way == "state_dict" else answer for way, answer in ways.items()}
    cls = type("Odd", (Policy,), {"name": "odd", "family": "reweighting", "control": "baseline", **members})
    return CheckedPolicy(cls(resolve_nothing(), DOMAINS, 1))


def resolve_nothing() -> Any:
    return create(resolve("baseline"), DOMAINS, 1).parameters


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([1.0] * ROWS, "as list at step 3, not as a numpy array of numbers"),
        (1.0, "as float"),
        (np.array(["1"] * ROWS), "as array of <U1"),
        (np.array([None] * ROWS), "as array of object"),
        (np.ones(ROWS) * 1j, "as array of complex128"),
        (np.ones((ROWS, 1)), rf"of shape \({ROWS}, 1\) at step 3, not \({ROWS},\) or \({ROWS}, 3\)"),
        (np.full(ROWS, -0.5), r"from -0.5 to -0.5 at step 3; they must be finite and in \[0, "),
        (np.full(ROWS, np.nan), "from nan to nan"),
        (np.append(np.ones(ROWS - 1), np.inf), "from 1 to inf"),
        (np.full(ROWS, 1e39), r"to 1e\+39 at step 3; they must be finite and in \[0, 3.40282e\+38\]"),
    ],
)
def test_weights_that_no_loss_can_use_are_told(answer, said):
    with pytest.raises(PolicyError, match=f"^policy odd gave weights .*{said}"):
        policy(weights=lambda self, batch, step: answer).weights(BATCH, 3)


@pytest.mark.parametrize(
    "answer", [np.ones(ROWS, dtype=int), np.ones(ROWS, dtype=bool), np.ones((ROWS, 3), np.float32)]
)
def test_whole_numbers_and_true_or_false_are_weights_too(answer):
    assert (policy(weights=lambda self, batch, step: answer).weights(BATCH, 1) == 1).all()


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({"math": 0.5, "logic": 0.4, "science": 0.3}, ": domain shares must sum to 1, not 1.2"),
        ({"math": np.nan, "logic": 0.5, "science": 0.5}, "must be finite and >= 0, not math=nan"),
        ({"math": 1.5, "logic": -0.5, "science": 0.0}, "must be finite and >= 0, not logic=-0.5"),
        ({"math": 0.5, "logic": 0.2, "history": 0.3}, "'history'.; they must be of math, logic, science"),
        ({"math": 0.5, "logic": 0.5}, "they must be of math, logic, science"),
        ({"math": "half", "logic": 0.5, "science": 0}, "no mapping of domains to numbers"),
        ([0.5, 0.25, 0.25], "no mapping of domains to numbers"),
    ],
)
def test_shares_that_cannot_be_drawn_are_told(shares, said):
    with pytest.raises(PolicyError, match=f"^policy odd gave shares at step 2.*{said}"):
        policy(shares=lambda self, step: shares).shares(2)


def test_numbers_of_numpy_are_shares():
    shares = dict(zip(DOMAINS, np.array([0.5, 0.25, 0.25]), strict=True))
    assert policy(shares=lambda self, step: shares).shares(1) == shares


def test_refused_groups_are_whole_and_true_or_false():
    part = np.arange(ROWS) == 0
    with pytest.raises(PolicyError, match="refused parts of groups at step 1"):
        policy(refused=lambda self, batch, step: part).refused(BATCH, 1)
    with pytest.raises(PolicyError, match="refused parts of groups at step 1"):
        policy(refused=lambda self, batch, step: np.full(ROWS, 2.0)).refused(BATCH, 1)


@pytest.mark.parametrize("way", ["weights", "advantages", "rewards", "observe"])
def test_code_that_fails_is_named_with_its_place(way):
    def broken(self: Policy, batch: Any, step: int) -> Any:
        return 1 / 0

    said = r"ZeroDivisionError: division by zero \(test_checked_policy.py, line \d+\)"
    with pytest.raises(PolicyError, match=f"^policy odd failed in {way} at step 7: {said}$"):
        getattr(policy(**{way: broken}), way)(BATCH, 7)


@pytest.mark.parametrize("way", ["weights", "advantages", "rewards", "observe", "refused"])
def test_nobody_changes_the_batch_in_place(way):
    before = [None if field is None else field.copy() for field in BATCH]

    def greedy(self: Policy, batch: Any, step: int) -> None:
        batch.rewards[:] = 1

    with pytest.raises(PolicyError, match=f"failed in {way} at step 1: .*read-only"):
        getattr(policy(**{way: greedy}), way)(BATCH, 1)
    assert all(np.array_equal(one, other) for one, other in zip(BATCH, before, strict=True))
    assert BATCH.rewards.flags.writeable


def test_an_array_that_the_policy_keeps_and_changes_later_does_not_change_what_the_loss_gets():
    kept = np.ones(ROWS, dtype=np.float32)
    weights = checked_weights(policy(weights=lambda self, batch, step: kept).policy, BATCH, 1)
    kept[:] = 7
    assert (weights == 1).all()


def test_a_policy_is_not_to_blame_where_training_has_diverged():
    torn = BATCH._replace(log_probs=np.full_like(BATCH.log_probs, np.nan))
    with pytest.raises(TrainingFailedError, match="at step 4 log_probs hold NaN or infinity"):
        CheckedPolicy(policy_of("ar")).weights(torn, 4)

    def checks_itself(self: Policy, batch: Any, step: int) -> None:
        assert np.isfinite(batch.log_probs).all()

    with pytest.raises(TrainingFailedError):
        policy(weights=checks_itself).weights(torn, 4)

    def ends(self: Policy, batch: Any, step: int) -> None:
        raise TrainingFailedError("no group is left")

    with pytest.raises(TrainingFailedError, match="no group is left"):
        policy(weights=ends).weights(BATCH, 4)


@pytest.mark.parametrize("state", [None, [1], {"x": np.ones(2)}, {"x": float("nan")}])
def test_a_state_that_no_checkpoint_can_hold_is_told(state):
    with pytest.raises(PolicyError, match="policy odd: its state is no plain JSON object"):
        policy(state_dict=lambda: state).state_dict()


MIXERS = ("tscl", "reward_gap", "dump_ucb")


def grown(name: str, seed: int = 2, **parameters: Any) -> CheckedPolicy:
    made = create(resolve(name, parameters), DOMAINS, seed)
    list(simulate(made, drifting("middle"), last=12))
    return CheckedPolicy(made)


@pytest.mark.parametrize("name", MIXERS)
def test_a_state_of_another_policy_run_or_version_is_refused(name):
    state = json.loads(json.dumps(grown(name).state_dict()))
    CheckedPolicy(create(resolve(name), DOMAINS, 2)).load_state_dict(state)
    others = [
        (create(resolve("static"), DOMAINS, 2), "policy "),
        (create(resolve(name), DOMAINS, 3), "seed 2 instead of 3"),
        (create(resolve(name, {"window": 11}), DOMAINS, 2), "parameters "),
        (create(resolve(name), ("a", "b", "c"), 2), "domains "),
    ]
    for other, said in others:
        with pytest.raises(PolicyError, match=f"the saved state is of .*{said}.*: start the run anew"):
            CheckedPolicy(other).load_state_dict(state)
    with pytest.raises(PolicyError, match="saved state cannot be read: version"):
        grown(name).load_state_dict({**state, "version": 2})


def damaged(state: dict[str, Any]) -> list[Any]:
    window = state["window"]
    missing = [{key: value for key, value in state.items() if key != gone} for gone in state]
    garbage = [{**state, key: "garbage"} for key in state]
    windows = [
        {**window, "means": window["means"][:3]},
        {**window, "means": [[0.5]] * len(window["steps"])},
        {**window, "domains": ["x", "y", "z"]},
        {**window, "counts": [[-1, 0, 0]] * len(window["steps"])},
    ]
    other = [{**state, **part} for part in ({"scores": [1.0]}, {"variance": -1.0}, {"updates": -1}, {"extra": 1})]
    counts = [{**state, "drawn": [1]}] if "drawn" in state else []
    return [*missing, *garbage, *({**state, "window": one} for one in windows), *other, *counts, {}, []]


@pytest.mark.parametrize("name", MIXERS)
def test_a_damaged_state_is_refused_in_one_line_and_changes_nothing(name):
    policy = grown(name)
    whole = policy.state_dict()
    for state in damaged(whole["state"]):
        with pytest.raises(PolicyError, match="start the run anew") as caught:
            policy.load_state_dict({**whole, "state": state})
        assert "\n" not in str(caught.value)
        assert policy.state_dict() == whole, "half of a damaged state was taken over"
    for stamped in (None, 3, "x", [], {}):
        with pytest.raises(PolicyError, match="saved state cannot be read"):
            policy.load_state_dict(stamped)


def test_a_policy_without_state_refuses_one():
    topk = CheckedPolicy(create(resolve("topk"), DOMAINS, 1))
    with pytest.raises(PolicyError, match="topk keeps no state"):
        topk.load_state_dict({**topk.state_dict(), "state": {"scores": [1.0]}})


def test_a_state_of_numbers_outside_json_is_refused():
    spoiled = Tscl(resolve_tscl(), DOMAINS, 1)
    spoiled._scores = [float("nan")] * 3
    with pytest.raises(PolicyError, match="no plain JSON"):
        CheckedPolicy(spoiled).state_dict()


def resolve_tscl() -> Any:
    return create(resolve("tscl"), DOMAINS, 1).parameters
