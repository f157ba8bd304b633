"""`actor_rollout_ref.model.external_lib`: verl imports this in every process that builds the model's configuration.

Registers the recorded policy loss everywhere and, on a CPU, the engine and the rollout server.
"""

import os

from training.verl_plugin import policy_loss as policy_loss  # registers on import

if os.environ.get("VERL_PLATFORM") == "cpu":
    from verl.workers.rollout import base as _rollout_base
    from verl.workers.rollout.replica import RolloutReplicaRegistry

    from training.verl_plugin import engine_cpu as engine_cpu  # registers on import
    from training.verl_plugin.rollout_server import ROLLOUT_NAME, load_replica

    RolloutReplicaRegistry.register(ROLLOUT_NAME, load_replica)
    # verl has no public way to add the worker-side adapter of a rollout engine
    _rollout_base._ROLLOUT_REGISTRY[(ROLLOUT_NAME, "async")] = "training.verl_plugin.rollout_server.TransformersRollout"
