"""The wiring of the conversation, and nothing else.

listen -> understand -> [clarify: interrupt] -> design -> [approve: interrupt] -> launch -> wait -> narrate
"""

from typing import TYPE_CHECKING, Any

from advisor.nodes import Nodes
from advisor.state import AdvisorState

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

_AFTER_LISTENING = {
    "new": "understand", "planned": "approve", "approved": "launch", "running": "wait", "done": "narrate",
}  # fmt: skip

_AFTER_READING = {"clarify": "clarify", "power": "__end__"}
"""A question about power needs no study: whoever asked answers it from the intent."""


def build_graph(nodes: Nodes, checkpointer: "BaseCheckpointSaver[Any]") -> "CompiledStateGraph[Any, Any, Any, Any]":
    """The compiled graph; interrupts are {kind: clarify | approve | await, ...}."""
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(AdvisorState)
    graph.add_node("listen", nodes.listen)
    graph.add_node("understand", nodes.understand)
    graph.add_node("clarify", nodes.clarify)
    graph.add_node("design", nodes.design)
    graph.add_node("approve", nodes.approve)
    graph.add_node("launch", nodes.launch)
    graph.add_node("wait", nodes.wait)
    graph.add_node("narrate", nodes.narrate)
    graph.add_edge(START, "listen")
    graph.add_conditional_edges("listen", lambda state: _AFTER_LISTENING.get(state["phase"], END))
    graph.add_conditional_edges("understand", lambda state: _AFTER_READING.get(state["phase"], "design"))
    graph.add_edge("clarify", "understand")
    graph.add_edge("design", "approve")
    graph.add_edge("approve", "launch")
    graph.add_conditional_edges("launch", lambda state: {"running": "wait", "done": "narrate"}.get(state["phase"], END))
    graph.add_conditional_edges("wait", lambda state: {"running": "wait", "done": "narrate"}.get(state["phase"], END))
    graph.add_edge("narrate", END)
    return graph.compile(checkpointer=checkpointer)
