"""What the trainer cannot do for a policy is refused before a process starts."""

from pathlib import Path

import pytest

from policies.base import PolicySpec
from policies.errors import InputError
from policies.registry import names, resolve
from tools.design.design_study import design
from tools.evaluation.pilots import find_pilot
from tools.plan.intent import StudyIntent
from training.prepare import prepare
from training.recipe import load_recipe
from training.run_files import RunFiles
from training.run_spec import RunSpec
from training.trainable import demand_trainable


@pytest.mark.parametrize("name", names())
def test_every_policy_can_be_trained_with_its_defaults(name: str) -> None:
    demand_trainable(resolve(name))


def test_a_policy_that_rolls_out_more_than_its_control_is_refused(tmp_path: Path) -> None:
    policy = resolve("difffilter", {"refill": True, "refill_limit": 2})
    said = r"difffilter\(.*refill=True.*\) could use up to 3 times the rollouts of its control.*keep refill=false"
    with pytest.raises(InputError, match=said):
        demand_trainable(policy)
    spec = RunSpec(recipe=load_recipe("tiny-cpu"), policy=policy, seed=1, deadline_s=60)
    with pytest.raises(InputError, match=said):
        prepare(spec, RunFiles(tmp_path).attempt(1))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (resolve("tscl", {"floor": 0.4}), "floor=0.4 for 3 domains is over 1 in all; give at most 0.333"),
        (resolve("static", {"shares": "math=1,history=2"}), "no ratio for .*logic.*; no domain history in the data"),
    ],
)
def test_what_does_not_fit_the_domains_of_the_data_is_told_in_the_plan_and_before_a_process_starts(
    policy: PolicySpec, said: str, tmp_path: Path
) -> None:
    demand_trainable(policy)
    asked = StudyIntent(
        kind="compare", question="q", treatments=(policy.name,), params={policy.name: policy.parameters}
    )
    with pytest.raises(InputError, match=said):
        demand_trainable(policy, "builtin:tiny")
    with pytest.raises(InputError, match=said):
        design(asked, find_pilot=find_pilot, gpus=0)
    spec = RunSpec(recipe=load_recipe("tiny-cpu"), policy=policy, seed=1, deadline_s=60)
    with pytest.raises(InputError, match=said):
        prepare(spec, RunFiles(tmp_path).attempt(1))
    assert not list(tmp_path.iterdir())
