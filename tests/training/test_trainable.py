"""What the trainer cannot do for a policy is refused before a process starts."""

from pathlib import Path

import pytest

from policies.errors import InputError
from policies.registry import names, resolve
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
    said = r"difffilter\(.*refill=True.*\) would roll out up to 3 times as much as its control.*leave refill=false"
    with pytest.raises(InputError, match=said):
        demand_trainable(policy)
    spec = RunSpec(recipe=load_recipe("tiny-cpu"), policy=policy, seed=1, deadline_s=60)
    with pytest.raises(InputError, match=said):
        prepare(RunFiles(tmp_path), spec, tmp_path / "attempts" / "1")
    assert not list(tmp_path.iterdir())
