"""On realistic 0/1 rewards, which defaults do something, and do the policies say where they do nothing?"""

from functools import cache

import pytest

from policies.registry import create, get, names, resolve
from policies.synthetic import DOMAINS, DRIFTS, drifting, steps_changed
from training.recipe import load_recipe

TREATMENTS = [name for name in names() if get(name).family in ("selection", "reweighting", "mixing")]
GROUP_SIZES = sorted({5, 8, load_recipe("tiny-cpu").rollouts_per_prompt})


@cache
def changed(name: str, drift: str, rollouts: int, **parameters: bool) -> float:
    """Share of 60 steps that the policy changes."""
    policy = create(resolve(name, parameters), DOMAINS, 1)
    return steps_changed(policy, drifting(drift), seed=1, rollouts=rollouts)


def row(name: str, rollouts: int, **parameters: bool) -> str:
    shown = ", ".join(f"{drift} {changed(name, drift, rollouts, **parameters):4.0%}" for drift in DRIFTS)
    return f"{name:12} {rollouts} rollouts a prompt: {shown}" + ("  (normalise=False)" if parameters else "")


@pytest.mark.parametrize("rollouts", GROUP_SIZES)
@pytest.mark.parametrize("name", TREATMENTS)
def test_every_default_acts_on_at_least_one_realistic_stream(name, rollouts):
    print(row(name, rollouts))  # noqa: T201 - shown by pytest -s
    assert max(changed(name, drift, rollouts) for drift in DRIFTS) > 0.5


@pytest.mark.parametrize("rollouts", GROUP_SIZES)
def test_where_a_default_does_nothing_its_description_says_so(rollouts):
    assert changed("diffband", "middle", rollouts) < 0.05
    assert "mean reward lies between low_q and high_q" in get("diffband").inert_when
    assert changed("topk", "hard", rollouts) < 0.2
    assert "rollouts have zero advantage" in get("topk").inert_when
    always = set(TREATMENTS) - {"diffband", "topk", "difffilter"}
    quiet = {(name, drift) for name in always for drift in DRIFTS if changed(name, drift, rollouts) < 0.7}
    assert not quiet


@pytest.mark.parametrize("name", ["tscl", "reward_gap", "dump_ucb"])
def test_normalising_makes_a_mixer_act_more_often_than_the_studys_own(name):
    print(row(name, 5, normalise=False))  # noqa: T201
    for drift in DRIFTS:
        assert changed(name, drift, 5) > changed(name, drift, 5, normalise=False) + 0.3
    assert "normalise=False" in get(name).inert_when
    assert changed("tscl", "middle", 5, normalise=False) < 0.15
