"""Every policy in a real verl GRPO run of its own: what it asked for is what the loss and the prompts had."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from policies.apportion import apportion
from policies.base import PolicySpec
from policies.delivery import DeliveryRecord
from policies.registry import get, names, resolve
from tests.e2e.runs import computed, exported_sha256, prepared, short_recipe, trained
from tools.evaluation.delivery import compare_delivery
from training.models import model_path
from training.run_files import RunFiles
from training.verl_plugin.delivery_log import read_records

pytest.importorskip("verl", reason="needs the train extra")
pytestmark = pytest.mark.slow

STEPS, PROMPTS, SEED = 5, 6, 1
WEIGHTS = ("advisor_weight",)
"""Metrics that only a run with weights has."""
Runner = Callable[[str], RunFiles]


def short(name: str) -> PolicySpec:
    """With a warm-up that a few steps get past."""
    return resolve(name, {"warmup": 2} if "warmup" in resolve(name).parameters else {})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Runs a policy once, whoever asks for it."""
    home, done = tmp_path_factory.mktemp("matrix"), dict[str, RunFiles]()

    def once(name: str) -> RunFiles:
        if name not in done:
            recipe = short_recipe(STEPS, prompts_per_step=PROMPTS)
            done[name] = trained(prepared(home / name, recipe, short(name), SEED))
        return done[name]

    return once


def records(files: RunFiles) -> tuple[DeliveryRecord, ...]:
    found = read_records(files.delivery)
    assert [record.step for record in found] == list(range(1, STEPS + 1))
    return found


@pytest.mark.parametrize("name", names())
def test_the_loss_saw_value_for_value_what_the_policy_set(name: str, run: Runner) -> None:
    for record in records(run(name)):
        assert record.loss_inputs_seen is not None
        assert record.loss_inputs_seen == record.loss_inputs_set
        assert (record.weights_seen is None) == (record.weights_set is None)
        if record.weights_set is not None and record.weights_seen is not None:
            assert record.weights_seen.tokens == record.weights_set.tokens
            assert record.weights_seen.zeros == record.weights_set.zeros
            assert record.weights_seen.total == pytest.approx(record.weights_set.total, rel=1e-9)
            assert record.weights_seen.squared == pytest.approx(record.weights_set.squared, rel=1e-9)


@pytest.mark.parametrize("name", [name for name in names() if get(name).family == "mixing" or name == "static"])
def test_realised_prompts_follow_the_shares(name: str, run: Runner) -> None:
    found = records(run(name))
    for record in found:
        assert record.requested_shares is not None
        counts = apportion(record.requested_shares, PROMPTS, SEED, record.step)
        assert record.realised_shares == {domain: count / PROMPTS for domain, count in counts.items()}
    moved = {tuple(record.requested_shares.values()) for record in found if record.requested_shares}
    assert (len(moved) > 1) == (name != "static"), "a mixer moves its shares after its warm-up, static never"


@pytest.mark.parametrize("name", [name for name in names() if get(name).family in ("selection", "reweighting")])
def test_a_policy_on_weights_has_a_dose_and_its_control_none(name: str, run: Runner) -> None:
    found = compare_delivery({SEED: records(run(name))}, {SEED: records(run("baseline"))}, 0.05, PROMPTS)
    assert found.worker_confirmed
    assert found.control_dose == 0
    assert found.kind == "weights" or found.status == "not_delivered"
    acting = [record for record in records(run(name)) if record.weight_dose > 0]
    assert acting or name == "diffband", "diffband may find every reward inside its band in so few steps"


def test_placebo_ones_is_baseline_bit_for_bit(run: Runner) -> None:
    ones, baseline = run("placebo_ones"), run("baseline")
    assert all(record.weights_seen is not None for record in records(ones))
    assert computed(ones.folder, WEIGHTS) == computed(baseline.folder, WEIGHTS)
    assert exported_sha256(ones.folder) == exported_sha256(baseline.folder)
    assert [record.prompt_stream for record in records(ones)] == [record.prompt_stream for record in records(baseline)]
    found = compare_delivery({SEED: records(ones)}, {SEED: records(baseline)}, 0.05, PROMPTS)
    assert (found.status, found.dose) == ("not_delivered", 0)


def test_placebo_zeros_moves_the_model_by_kl_and_the_optimizer_alone(run: Runner, tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    for record in records(run("placebo_zeros")):
        assert record.weights_seen is not None
        assert record.weights_seen.zeros == record.weights_seen.tokens
    still = short_recipe(3, prompts_per_step=PROMPTS, kl_coefficient=0.0, weight_decay=0.0)
    files = trained(prepared(tmp_path, still, short("placebo_zeros"), SEED))
    for row in files.metrics().values():
        assert row["actor/grad_norm"] == 0
        assert row["actor/pg_loss"] == 0
    before = load_file(model_path(still.model) / "model.safetensors")
    after, moved = (load_file(one.export / "model.safetensors") for one in (files, run("placebo_zeros")))
    assert before.keys() == after.keys() == moved.keys()
    for name, tensor in before.items():
        assert np.array_equal(tensor, after[name]), f"{name} moved without KL and weight decay"
    assert any(not np.array_equal(tensor, moved[name]) for name, tensor in before.items())


def test_random_reward_trains_on_a_seeded_coin_and_the_record_says_so(run: Runner) -> None:
    files = run("random_reward")
    for record in records(files):
        assert record.training_reward is not None
        assert record.advantage_dose > 0.2
    shown = [files.metrics()[record.step]["critic/score/mean"] for record in records(files)]
    coins = [record.training_reward for record in records(files)]
    assert shown != pytest.approx(coins), "verl's metrics show the graded reward"
    first, control = records(files)[0], records(run("baseline"))[0]
    assert first.domain_rewards == control.domain_rewards, "the same rollouts, graded alike"
    found = compare_delivery({SEED: records(files)}, {SEED: records(run("baseline"))}, 0.05, PROMPTS)
    assert (found.status, found.kind, found.worker_confirmed) == ("delivered", "advantages", True)
