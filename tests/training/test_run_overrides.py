"""The verl configuration of a run: what differs between arms, what may be added, and no text is read as grammar."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.base import PolicySpec
from policies.errors import AdvisorError, InputError
from policies.registry import resolve
from training.overrides import RunPaths, compose, overrides
from training.recipe import load_recipe
from training.run_spec import RunSpec

pytest.importorskip("verl", reason="needs the train extra")


def spec_of(policy: PolicySpec, seed: int = 1, replicate: int = 0) -> RunSpec:
    return RunSpec(recipe=load_recipe("tiny-cpu"), policy=policy, seed=seed, replicate=replicate, deadline_s=60)


def paths_of(folder: str = "/runs/a") -> RunPaths:
    root = Path(folder)
    return RunPaths(root / "model", root / "t.parquet", root / "v.parquet", root / "ckpt", root / "delivery.jsonl")


def test_two_arms_of_a_seed_differ_in_their_policy_alone() -> None:
    tscl, static = (overrides(spec_of(resolve(name)), paths_of()) for name in ("tscl", "static"))
    different = [(a, b) for a, b in zip(tscl, static, strict=True) if a != b]
    assert len(different) == 1
    assert different[0][0].startswith("+advisor=")


def test_every_seed_of_verl_follows_the_seed_of_the_run() -> None:
    config = compose(overrides(spec_of(resolve("baseline"), seed=41, replicate=3), paths_of()))
    actor = config.actor_rollout_ref
    assert (config.data.seed, actor.rollout.seed, actor.actor.data_loader_seed, actor.actor.fsdp_config.seed) == (
        41,
    ) * 4
    assert (config.advisor.seed, config.advisor.replicate) == (41, 3)


def test_the_recipe_reaches_verl() -> None:
    recipe = load_recipe("tiny-cpu", steps=7)
    run = RunSpec(recipe=recipe, policy=resolve("baseline"), seed=1, deadline_s=60)
    config = compose(overrides(run, paths_of()))
    assert config.trainer.total_training_steps == 7
    assert config.data.train_batch_size == recipe.prompts_per_step
    assert config.actor_rollout_ref.rollout.n == recipe.rollouts_per_prompt
    assert config.actor_rollout_ref.actor.optim.lr == recipe.learning_rate
    assert config.actor_rollout_ref.actor.kl_loss_coef == recipe.kl_coefficient
    assert config.actor_rollout_ref.actor.policy_loss.loss_mode == "advisor_recorded"
    assert not config.actor_rollout_ref.rollout.full_determinism  # it gives every request the same seed


TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="$"), max_size=20)


@settings(max_examples=40, deadline=None)
@given(folder=TEXT.filter(lambda text: "/" not in text), value=TEXT)
def test_no_character_of_a_path_or_parameter_is_read_as_grammar(folder: str, value: str) -> None:
    from hydra.core.override_parser.overrides_parser import OverridesParser

    policy = PolicySpec(name="static", parameters={"shares": value, "flag": True, "count": 3, "rate": 1e-9})
    paths = paths_of(f"/runs/x{folder}")
    ours = [one for one in overrides(spec_of(policy), paths) if "advisor=" in one or "local_dir" in one]
    read = {one.key_or_group: one.value() for one in OverridesParser.create().parse_overrides(ours)}
    assert read["advisor"]["policy"]["parameters"] == {"shares": value, "flag": True, "count": 3, "rate": 1e-9}
    assert read["advisor"]["delivery_file"] == str(paths.delivery_file)
    assert read["trainer.default_local_dir"] == str(paths.checkpoints)


def test_a_folder_that_the_configuration_would_expand_is_refused() -> None:
    with pytest.raises(InputError, match="would expand"):
        overrides(spec_of(resolve("baseline")), paths_of("/runs/${oc.env:HOME}"))


def test_a_key_that_verl_lacks_is_added_from_the_whitelist_only() -> None:
    with pytest.raises(InputError, match="adds a key that no run may add"):
        compose([*overrides(spec_of(resolve("baseline")), paths_of()), "+trainer.secret_sauce=1"])


def test_an_override_that_does_not_fit_verls_schema_is_one_line() -> None:
    with pytest.raises(AdvisorError, match="verl rejects the configuration") as caught:
        compose(["trainer.no_such_key=1"])
    assert "\n" not in str(caught.value)


def test_a_gpu_recipe_is_refused_with_its_name() -> None:
    recipe = load_recipe("tiny-cpu").model_copy(update={"device": "cuda", "name": "8gpu"})
    run = RunSpec(recipe=recipe, policy=resolve("baseline"), seed=1, deadline_s=60)
    with pytest.raises(InputError, match="'8gpu' needs device 'cuda'"):
        overrides(run, paths_of())
