"""One real run in which every policy has its turn: the loss in the worker saw value for value what each computed.

The run's policy, `in_turn`, comes from a third party's distribution (tests/fixtures/third_party_policy) and writes down
the batches that the trainer had. Here each policy is asked again about these batches.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from policies.apportion import apportion
from policies.base import Policy, PolicySpec, RolloutBatch
from policies.delivery import DeliveryRecord, loss_digest, weight_statistics
from policies.registry import create, names, resolve
from tests.e2e.runs import computed, exported_sha256, first_step, killed_and_resumed, prepared, short_recipe, trained
from training.data.training_files import domains
from training.recipe import Recipe
from training.run_files import RunFiles
from training.verl_plugin.delivery_log import read_records

pytest.importorskip("verl", reason="needs the train extra")

SEED, PROMPTS = 1, 6
NAMES = (*names(), "maxvar+recompute_advantage")
STEPS = len(NAMES)


def recipe(checkpoint_every: int = STEPS) -> Recipe:
    return short_recipe(STEPS, prompts_per_step=PROMPTS, checkpoint_every=checkpoint_every)


def in_turn(folder: Path) -> PolicySpec:
    """Of the third party, which this process does not know."""
    folder.mkdir()
    return PolicySpec(name="in_turn", parameters={"policies": ",".join(NAMES), "folder": str(folder)})


def fresh() -> dict[str, Policy]:
    """Every policy as the run has it: mixers warm up for two steps, `+` turns a switch on."""
    found = {}
    for words in NAMES:
        name, _, switch = words.partition("+")
        changed = ({"warmup": 2} if "warmup" in resolve(name).parameters else {}) | ({switch: True} if switch else {})
        found[words] = create(resolve(name, changed), sorted(domains("builtin:tiny")), SEED)
    return found


class Step(NamedTuple):
    """What one step of the run did, and the policy whose turn it was, ready to be asked about it."""

    policy: Policy
    batch: RolloutBatch
    record: DeliveryRecord


class Run(NamedTuple):
    """The run, and what its policy wrote down."""

    files: RunFiles
    seen: Path
    steps: tuple[Step, ...]


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory, python_with_third_party: str) -> Run:
    home = tmp_path_factory.mktemp("every")
    seen = home / "seen"
    files = trained(prepared(home / "run", recipe(), in_turn(seen), SEED), python_with_third_party)
    steps = []
    for record in read_records(files.delivery):
        policies = fresh()
        for past in range(1, record.step):
            for policy in policies.values():
                policy.observe(read_batch(seen, past), past)
        steps.append(Step(policies[NAMES[record.step - 1]], read_batch(seen, record.step), record))
    return Run(files, seen, tuple(steps))


def read_batch(folder: Path, step: int) -> RolloutBatch:
    with np.load(folder / f"{step}.npz") as stored:
        return RolloutBatch(**{name: stored[name] for name in RolloutBatch._fields})


def test_every_policy_had_a_turn(run: Run) -> None:
    assert [step.policy.name for step in run.steps] == [words.partition("+")[0] for words in NAMES]


def test_the_loss_saw_exactly_the_weights_that_the_policy_computes_from_the_trainers_batch(run: Run) -> None:
    weighting = 0
    for policy, batch, record in run.steps:
        weights = policy.weights(batch, record.step)
        used = None if weights is None else np.asarray(weights, dtype=np.float32)
        digest = loss_digest(used, batch.log_probs, batch.advantages, batch.mask)
        assert record.loss_inputs_seen == digest, f"{policy.name}: the loss saw other values"
        if used is None:
            assert record.weights_seen is None, policy.name
            continue
        expected = weight_statistics(used, batch.mask)
        assert record.weights_seen is not None, policy.name
        assert record.weights_seen.zeros == expected.zeros, policy.name
        assert record.weights_seen.total == pytest.approx(expected.total, rel=1e-9), policy.name
        assert record.weights_seen.squared == pytest.approx(expected.squared, rel=1e-9), policy.name
        assert record.kept_everything == policy.kept_everything, policy.name
        weighting += float(np.ptp(used)) > 0
    assert weighting >= 4, "hardly a policy's weights differed between rollouts: the run shows nothing"


def test_the_prompts_of_each_step_follow_the_shares_that_the_policy_asked_for(run: Run) -> None:
    mixing = 0
    for policy, batch, record in run.steps:
        shares = policy.shares(record.step)
        assert record.requested_shares == (None if shares is None else pytest.approx(dict(shares), rel=1e-12))
        if shares is None:
            continue
        counts = apportion(shares, PROMPTS, SEED, record.step)
        _, first = np.unique(batch.groups, return_index=True)
        drawn = batch.domains[first].tolist()
        assert {name: drawn.count(name) for name in counts} == counts, policy.name
        assert record.realised_shares == {name: count / PROMPTS for name, count in counts.items()}, policy.name
        mixing += 1
    assert mixing >= 2


def test_policies_that_make_their_own_rewards_train_on_them_and_the_record_says_so(run: Run) -> None:
    for policy, batch, record in run.steps:
        blind = batch._replace(advantages=np.zeros_like(batch.advantages))
        rewards = policy.rewards(blind, record.step)
        if rewards is None:
            assert record.training_reward is None, policy.name
            continue
        assert np.array_equal(batch.rewards, rewards), policy.name
        assert record.training_reward == pytest.approx(rewards.mean()), policy.name
        right = run.files.metrics()[record.step]["critic/score/mean"]
        graded = sum(record.domain_rewards[name] * np.mean(batch.domains == name) for name in record.domain_rewards)
        assert right == pytest.approx(graded), "verl's metrics show the graded rewards"


def test_advantages_that_a_policy_computes_anew_are_those_that_the_loss_had(run: Run) -> None:
    """What the loss had is in the digest, which the first test compares with the batch that was written down."""
    for policy, batch, record in run.steps:
        advantages = policy.advantages(batch, record.step)
        if advantages is not None:
            assert np.array_equal(np.asarray(advantages, dtype=np.float32), batch.advantages), policy.name
            assert record.advantage_dose > 0.05, policy.name
        elif policy.rewards(batch, record.step) is None:
            assert record.advantage_dose == 0, policy.name
    assert run.steps[-1].policy.advantages(run.steps[-1].batch, STEPS) is not None


@pytest.mark.slow
def test_killed_and_resumed_every_policy_goes_on_bit_for_bit(
    run: Run, tmp_path: Path, python_with_third_party: str
) -> None:
    seen = tmp_path / "seen"
    folder = prepared(tmp_path / "run", recipe(checkpoint_every=5), in_turn(seen), SEED)
    files = killed_and_resumed(folder, after_step=7, python=python_with_third_party)
    assert first_step(folder, attempt=2) == 6
    assert exported_sha256(folder) == exported_sha256(run.files.folder)
    assert computed(folder) == computed(run.files.folder)
    assert files.delivery.read_bytes() == run.files.delivery.read_bytes()
    states = [(place / f"{STEPS}.json").read_text() for place in (seen, run.seen)]
    assert states[0] == states[1]
