"""Prepares a run before its processes start: training data, configuration, arguments, facts."""

import json

from training.data.training_files import write_training_data
from training.environment import hardware_class, recorded_environment, training_environment
from training.identity import artifact_hashes, package_versions
from training.models import model_path
from training.overrides import RunPaths, compose, overrides
from training.run_files import AttemptFiles, RecordedFacts, write_atomically
from training.run_spec import RunSpec
from training.trainable import demand_trainable


def prepare(spec: RunSpec, attempt: AttemptFiles) -> None:
    """Writes data/, argv.txt, config.yaml and facts.json; raises AdvisorError when verl refuses the configuration, or
    when the policy cannot be trained.

    Raises AdvisorError if verl rejects the configuration or the policy cannot be trained. Each attempt writes the files
    again, since the run directory may have been moved.
    """
    from omegaconf import OmegaConf

    demand_trainable(spec.policy, spec.recipe.data)
    files = attempt.run
    attempt.folder.mkdir(parents=True, exist_ok=True)
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
        environment=recorded_environment(training_environment(attempt.metrics)),
        artifacts=artifact_hashes(spec.recipe),
        versions=versions,
        hardware=hardware_class(),
    )
    write_atomically(files.argv, "".join(f"{one}\n" for one in argv))
    write_atomically(files.config, OmegaConf.to_yaml(config, resolve=True))
    write_atomically(files.facts, json.dumps(facts.model_dump(mode="json"), indent=1) + "\n")
