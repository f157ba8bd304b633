"""One conversation: a thread of the graph in the user's `chat.db`, which any process can take up again.

`chat.db` holds talk only. Deleting it, or a thread of an older graph, loses nothing of a study: a new thread starts
from the study's ledger.
"""

import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.graph import build_graph
from advisor.nodes import Nodes
from advisor.state import GRAPH_VERSION, AdvisorState
from policies.errors import AdvisorError, InputError
from tools.study.database import reported
from tools.text.plain_text import one_line

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


class Conversation:
    """Sends a question, a study or an answer in, and says what it waits for."""

    def __init__(self, nodes: Nodes, connection: sqlite3.Connection, thread: str) -> None:
        from langgraph.checkpoint.sqlite import SqliteSaver

        self.nodes = nodes
        self.thread = thread
        self._graph = build_graph(nodes, SqliteSaver(connection))
        self._config: RunnableConfig = {"configurable": {"thread_id": thread}}

    @property
    def state(self) -> AdvisorState:
        """What the thread remembers."""
        values: AdvisorState = self._graph.get_state(self._config).values  # type: ignore[assignment]
        return values

    @property
    def waits_for(self) -> dict[str, Any] | None:
        """The open interrupt: {kind: clarify | approve | await, ...}; None when nothing is open."""
        for task in self._graph.get_state(self._config).tasks:
            for interrupt in task.interrupts:
                return dict(interrupt.value)
        return None

    def ask(self, question: str, options: dict[str, Any], *, may_approve: bool) -> dict[str, Any] | None:
        """Starts with a question; returns what is waited for."""
        return self._run({"question": one_line(question), "options": options, "may_approve": may_approve})

    def open_study(self, folder: Path) -> dict[str, Any] | None:
        """Starts from a study's ledger; returns what is waited for."""
        return self._run({"study": str(folder), "may_approve": True})

    def resume(self, value: object = True) -> dict[str, Any] | None:
        """Answers what is waited for; after a kill in the middle of a node, runs that node again."""
        if self.state.get("graph_version") != GRAPH_VERSION:
            return self._from_ledger()
        if self.waits_for is None:
            return self._run(None)
        from langgraph.types import Command

        return self._run(Command(resume=value))

    def _from_ledger(self) -> dict[str, Any] | None:
        """A thread of another graph cannot go on; its study can, in a new thread."""
        folder = self.state.get("study")
        if not folder:
            raise InputError("that conversation is from another version of this program; ask the question again")
        self.thread = _new_thread()
        self._config = {"configurable": {"thread_id": self.thread}}
        return self.open_study(Path(folder))

    def _run(self, value: Any) -> dict[str, Any] | None:
        self._graph.invoke(value, self._config, durability="sync")
        return self.waits_for


@contextmanager
def conversation(nodes: Nodes, thread: str | None = None) -> Iterator[Conversation]:
    """Opens `chat.db` (readable by its owner only) and a thread of it: a new one, or the one named."""
    folder = nodes.settings.state_dir
    path = folder / "chat.db"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600, exist_ok=True)
        connection = sqlite3.connect(path, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise AdvisorError(f"cannot open {path}: {error}; set ADVISOR_HOME to a folder of yours") from error
    with closing(connection), reported(path, otherwise="delete it, it holds talk only"):
        yield Conversation(nodes, connection, thread or _new_thread())


def _new_thread() -> str:
    return uuid.uuid4().hex
