"""The environment of child processes: a whitelist, so that no secret and no foreign import path reaches a run."""

import os
import sys
from collections.abc import Mapping

_NAMES = frozenset((
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH",
    "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "HF_HOME", "HF_TOKEN_PATH", "HF_HUB_CACHE",
    "HF_HUB_OFFLINE", "XDG_CACHE_HOME", "LC_ALL", "LC_CTYPE", "ADVISOR_STUDIES", "ADVISOR_HOME", "ADVISOR_FAST_START",
))  # fmt: skip
_ALWAYS = {"OMP_NUM_THREADS": "1", "TQ_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUNBUFFERED": "1"}


def child_environment(source: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns the whitelisted part of `source` (default: this process's environment), plus one-thread settings.

    Names are listed individually, since a pattern such as LC_* could let a secret through. Never included: OPENAI_*,
    PYTHONPATH and the like; keys are passed by file.
    """
    source = os.environ if source is None else source
    kept = {name: value for name, value in source.items() if name in _NAMES}
    if sys.platform == "win32":  # pragma: no cover - Windows cannot start Python without it
        kept["SYSTEMROOT"] = source.get("SYSTEMROOT", "")
    return kept | _ALWAYS
