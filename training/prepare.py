"""What a run needs before its processes start: training data, configuration, arguments, facts."""

import json
from pathlib import Path

from training.data.training_files import write_training_data
from training.environment import hardware_class, recorded_environment, training_environment
from training.identity import artifact_hashes, package_versions
from training.models import model_path
from training.overrides import RunPaths, compose, overrides
from training.run_files import RecordedFacts, RunFiles, write_atomically
from training.run_spec import RunSpec
from training.trainable import demand_trainable


def prepare(files: RunFiles, spec: RunSpec, attempt: Path) -> None:
    """Writes data/, argv.txt, config.yaml and facts.json; raises AdvisorError when verl refuses the configuration, or
    when the policy cannot be trained.

    A later attempt writes the same again, for a run directory that was moved meanwhile.
    """
    from omegaconf import OmegaConf

    demand_trainable(spec.policy, spec.recipe.data)
    attempt.mkdir(parents=True, exist_ok=True)
    versions = package_versions()
    data = write_training_data(spec.recipe.data, files.data)
    argv = overrides(
        spec,
        RunPaths(
            model=model_path(spec.recipe.model),
            train_file=data.train,
            validation_file=data.validation,
            checkpoints=files.checkpoints,
            delivery_file=files.delivery,
        ),
    )
    config = compose(argv)
    facts = RecordedFacts(
        environment=recorded_environment(training_environment(attempt / "metrics.jsonl")),
        artifacts=artifact_hashes(spec.recipe),
        versions=versions,
        hardware=hardware_class(),
    )
    write_atomically(files.argv, "".join(f"{one}\n" for one in argv))
    write_atomically(files.config, OmegaConf.to_yaml(config, resolve=True))
    write_atomically(files.facts, json.dumps(facts.model_dump(mode="json"), indent=1) + "\n")
