"""A conversation whose studies run stand-ins: `python agent_cases.py ACTION THREAD [VALUE]` is one process of it.

Actions: ask QUESTION, answer TEXT, go (resume), die (resume, killed inside the launch node). Prints one JSON line.
"""

import json
import os
import sys
from pathlib import Path

from fake_supervisor import FixedIdentity

from advisor.conversation import conversation
from advisor.nodes import Nodes
from advisor.settings import load_settings

HERE = Path(__file__).resolve().parent
SUPERVISOR = (sys.executable, str(HERE / "agent_supervisor.py"))


def nodes() -> Nodes:
    """Nodes with the stand-in supervisor; settings and folders come from the environment."""
    return Nodes(load_settings(), supervisor=SUPERVISOR, identity=FixedIdentity())


def prepare(studies: Path) -> None:
    """The stand-in run looks for this file in the folders above it."""
    studies.mkdir(parents=True, exist_ok=True)
    (studies / "behaviour.json").write_text("{}")


def main(action: str, thread: str, value: str = "") -> None:
    if action == "die":
        from tools.study import process

        process.start = lambda *_, **__: os._exit(9)  # type: ignore[assignment]
    with conversation(nodes(), thread) as talk:
        if action == "ask":
            waits = talk.ask(value, {"seeds": 1, "steps": 4}, may_approve=True)
        else:
            waits = talk.resume(value or True)
        sys.stdout.write(json.dumps({"waits": waits, "state": talk.state, "thread": talk.thread}))


if __name__ == "__main__":
    main(*sys.argv[1:])
