"""Composes and validates the verl configuration of a run specification without importing verl or torch."""

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from policies.errors import AdvisorError, InputError
from training.recipe import Recipe
from training.run_spec import RunSpec
from training.support.paths import demand_plain

if TYPE_CHECKING:
    from omegaconf import DictConfig

ADDED_KEYS = frozenset(
    {
        "advisor",
        "actor_rollout_ref.model.override_config.attn_implementation",
        "actor_rollout_ref.actor.fsdp_config.mixed_precision",
        "actor_rollout_ref.ref.fsdp_config.mixed_precision",
        "ray_kwargs.ray_init.num_gpus",
        "ray_kwargs.ray_init.address",
        "ray_kwargs.ray_init.include_dashboard",
        "ray_kwargs.ray_init._node_ip_address",
        "ray_kwargs.ray_init.object_store_memory",
    }
)
"""Keys that are not in verl's schema and that a run may add (`+key=value`)."""

TRAIN_EXTRA = "pip install -c constraints/cpu.txt -e '.[train]'"


class RunPaths(NamedTuple):
    """The absolute paths that a run reads and writes."""

    model: Path
    train_file: Path
    validation_file: Path
    checkpoints: Path
    delivery_file: Path


def overrides(spec: RunSpec, paths: RunPaths) -> list[str]:
    """Returns the Hydra overrides of verl's `ppo_trainer` configuration, in a fixed order.

    Two arms of one seed differ only in `advisor.policy` and in the paths. Raises InputError for a device that this
    version does not support, and for a path that verl would expand.
    """
    recipe = spec.recipe
    if recipe.device != "cpu":
        raise InputError(
            f"recipe {recipe.name!r} needs device {recipe.device!r}, but this version only supports device: cpu"
        )
    for path in paths:
        demand_plain(path)
    return [
        *_advisor(spec, paths),
        *_data(spec, paths),
        *_model_and_optimiser(recipe, spec.seed, paths),
        *_rollout(recipe, spec),
        *_trainer(recipe, paths),
        *_cpu(),
    ]


def _advisor(spec: RunSpec, paths: RunPaths) -> list[str]:
    parameters = ",".join(f"{key}:{_quoted(value)}" for key, value in sorted(spec.policy.parameters.items()))
    return [
        f"+advisor={{seed:{spec.seed},replicate:{spec.replicate},delivery_file:{_quoted(str(paths.delivery_file))},"
        f"policy:{{name:{_quoted(spec.policy.name)},parameters:{{{parameters}}}}}}}"
    ]


def _data(spec: RunSpec, paths: RunPaths) -> list[str]:
    recipe = spec.recipe
    return [
        f"data.train_files={_quoted(str(paths.train_file))}",
        f"data.val_files={_quoted(str(paths.validation_file))}",
        f"data.train_batch_size={recipe.prompts_per_step}",
        f"data.max_prompt_length={recipe.max_prompt_tokens}",
        f"data.max_response_length={recipe.max_response_tokens}",
        "data.dataloader_num_workers=0",
        f"data.seed={spec.seed}",
        "data.filter_overlong_prompts=False",
        "data.truncation=error",
    ]


def _model_and_optimiser(recipe: Recipe, seed: int, paths: RunPaths) -> list[str]:
    actor, rollouts = "actor_rollout_ref.actor", recipe.prompts_per_step * recipe.rollouts_per_prompt
    return [
        "algorithm.adv_estimator=grpo",
        "algorithm.use_kl_in_reward=False",
        f"actor_rollout_ref.model.path={_quoted(str(paths.model))}",
        "actor_rollout_ref.model.external_lib=training.verl_plugin.extensions",
        "+actor_rollout_ref.model.override_config.attn_implementation=sdpa",
        "actor_rollout_ref.model.use_remove_padding=False",
        "actor_rollout_ref.model.enable_gradient_checkpointing=False",
        f"{actor}.strategy=fsdp2",
        "actor_rollout_ref.ref.strategy=fsdp2",
        f"{actor}.optim.lr={recipe.learning_rate}",
        f"{actor}.optim.weight_decay={recipe.weight_decay}",
        f"{actor}.optim.clip_grad={recipe.clip_gradient_norm}",
        f"{actor}.ppo_mini_batch_size={recipe.prompts_per_step}",
        f"{actor}.ppo_micro_batch_size_per_gpu={rollouts}",
        f"{actor}.use_kl_loss={recipe.kl_coefficient > 0}",
        f"{actor}.kl_loss_coef={recipe.kl_coefficient}",
        f"{actor}.kl_loss_type=low_var_kl",
        f"{actor}.policy_loss.loss_mode=advisor_recorded",
        f"{actor}.data_loader_seed={seed}",
        f"{actor}.fsdp_config.seed={seed}",
        f"actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu={rollouts}",
        f"{actor}.checkpoint.save_contents=[model,optimizer,extra,hf_model]",
    ]


def _rollout(recipe: Recipe, spec: RunSpec) -> list[str]:
    rollout, rows = "actor_rollout_ref.rollout", recipe.prompts_per_step * recipe.rollouts_per_prompt
    return [
        f"{rollout}.mode=async",
        f"{rollout}.n={recipe.rollouts_per_prompt}",
        f"{rollout}.temperature={recipe.temperature}",
        f"{rollout}.seed={spec.seed}",
        f"{rollout}.tensor_model_parallel_size=1",
        f"{rollout}.load_format=auto",
        f"{rollout}.log_prob_micro_batch_size_per_gpu={rows}",
        f"{rollout}.agent.num_workers=1",
        f"{rollout}.agent.default_agent_loop=advisor_seeded_single_turn",
        f"{rollout}.agent.agent_loop_config_path={_quoted(str(_beside('verl_plugin/agent_loops.yaml')))}",
        "reward.num_workers=1",
        f"reward.custom_reward_function.path={_quoted(str(_beside('grading/reward.py')))}",
    ]


def _trainer(recipe: Recipe, paths: RunPaths) -> list[str]:
    return [
        "trainer.nnodes=1",
        f"trainer.n_gpus_per_node={recipe.devices}",
        "trainer.logger=[console,file]",
        "trainer.project_name=advisor",
        "trainer.experiment_name=run",
        "trainer.total_epochs=1000000",
        f"trainer.total_training_steps={recipe.steps}",
        "trainer.val_before_train=False",
        "trainer.test_freq=-1",
        f"trainer.save_freq={recipe.checkpoint_every}",
        "trainer.max_actor_ckpt_to_keep=2",
        f"trainer.default_local_dir={_quoted(str(paths.checkpoints))}",
        "trainer.resume_mode=auto",
        "trainer.v1.trainer_mode=advisor_sync",
        "trainer.v1.sampler.custom_sampler.path=pkg://training.verl_plugin.replay_buffer",
        "trainer.v1.sampler.custom_sampler.name=OrderedReplayBuffer",
        "transfer_queue.backend.SimpleStorage.num_data_storage_units=1",
        "transfer_queue.backend.SimpleStorage.total_storage_size=10000",
    ]


def _cpu() -> list[str]:
    full_precision = "{param_dtype:fp32,reduce_dtype:fp32,buffer_dtype:fp32}"
    parts = ("actor_rollout_ref.actor", "actor_rollout_ref.ref")
    return [
        "trainer.device=cpu",
        "actor_rollout_ref.actor.use_torch_compile=False",
        *(f"{part}.fsdp_config.use_torch_compile=False" for part in parts),
        *(f"+{part}.fsdp_config.mixed_precision={full_precision}" for part in parts),
        "actor_rollout_ref.rollout.name=transformers_cpu",
        "actor_rollout_ref.rollout.dtype=float32",
        "actor_rollout_ref.rollout.free_cache_engine=False",
        "ray_kwargs.ray_init.num_cpus=16",  # logical: a head with 4 never places verl's group and reports nothing
        "+ray_kwargs.ray_init.num_gpus=1",
        "+ray_kwargs.ray_init.include_dashboard=False",
        "+ray_kwargs.ray_init.address=local",
        "+ray_kwargs.ray_init._node_ip_address=127.0.0.1",
        "+ray_kwargs.ray_init.object_store_memory=268435456",
    ]


def _quoted(value: object) -> str:
    """A hydra value; strings are single-quoted, so that no character of a path or parameter is parsed as grammar.

    In a quoted value a backslash is literal unless a quote follows. Interpolation has no escape: it is refused.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    if "${" in text:
        raise InputError(f"{text!r} contains '${{', which the configuration would expand; use another name or folder")
    return f"'{escaped(text)}'"


def escaped(text: str) -> str:
    """Escapes a text for use between the quotes of an argument."""
    text = re.sub(r"(\\*)'", r"\1\1\\'", text)
    return re.sub(r"(\\+)$", r"\1\1", text)


def _beside(relative: str) -> Path:
    return Path(__file__).resolve().parent / relative


def compose(argv: list[str]) -> "DictConfig":
    """Returns verl's `ppo_trainer` configuration with these overrides, from verl's own files.

    Raises AdvisorError if verl is missing, with the install command, and if an override does not fit the schema.
    """
    found = importlib.util.find_spec("verl")
    if found is None or not found.submodule_search_locations:
        raise AdvisorError(f"training needs verl, which is not installed; run: {TRAIN_EXTRA}")
    foreign = [
        one for one in argv if one.startswith("+") and one[1:].split("=", 1)[0].removeprefix("+") not in ADDED_KEYS
    ]
    if foreign:
        raise InputError(f"override {foreign[0]!r} adds a key that no run may add; allowed: {', '.join(ADDED_KEYS)}")
    import hydra
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException

    config_folder = Path(next(iter(found.submodule_search_locations))) / "trainer" / "config"
    GlobalHydra.instance().clear()
    try:
        with hydra.initialize_config_dir(str(config_folder), version_base=None):
            return hydra.compose("ppo_trainer", overrides=argv)
    except HydraException as error:
        raise AdvisorError(f"verl rejects the configuration: {' '.join(str(error).split())}") from error
