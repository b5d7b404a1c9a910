"""Everything undocumented of CrewAI that is used: the place of each name, why it is needed, and how to reach it.

No other module uses such a name. All of them are checked before the server says that it is ready. CrewAI has had each
of them since the oldest version that is supported; one that has moved since then says in which version.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .errors import Refusal

OLDEST_CREWAI = (1, 15, 2)
# The newest that is tested; later versions are accepted if they have everything that is needed.
NEWEST_CREWAI = (1, 15, 30)


def text_of_version(version: tuple[int, ...]) -> str:
    """A version as people write it."""
    return ".".join(map(str, version))


@dataclass(frozen=True)
class Former:
    """Where older versions have a name.

    Args:
        owner: As in ``Seam``.
        moved_in: The first version that has it at its new place.
    """

    owner: str
    moved_in: tuple[int, ...]


@dataclass(frozen=True)
class Seam:
    """A name inside of CrewAI.

    Args:
        owner: The module, and after a colon the class, with brackets if it has the name only with a type argument.
        why: What the server does with it.
        formerly: Its place in older versions that are supported, if that was another.
    """

    owner: str
    name: str
    why: str
    formerly: Former | None = None

    def __str__(self) -> str:
        module, _, kind = self.owner.partition(":")
        return f"{kind}.{self.name}" if kind else f"{module}.{self.name}"

    def of(self, holder: Any) -> Any:
        """The object's value for this name."""
        return getattr(holder, self.name)

    def of_any(self, holder: Any) -> Any:
        """The same, or nothing if the object is of another class."""
        return getattr(holder, self.name, None)

    def set(self, holder: Any, value: Any) -> None:
        """Changes a value."""
        setattr(holder, self.name, value)

    def replace(self, holder: Any, value: Any) -> None:
        """Replaces a method of one object; pydantic would refuse to set a field with a method's name."""
        object.__setattr__(holder, self.name, value)

    def put_back(self, holder: Any) -> None:
        """Removes the replacement of a method."""
        object.__delattr__(holder, self.name)

    def load(self) -> Any:
        """A function or class of a module, or a method of a class."""
        return getattr(self.load_owner(), self.name)

    def load_owner(self) -> Any:
        """The module or class that has the name."""
        try:
            return _load(self.owner)
        except (ImportError, AttributeError):
            if self.formerly is None:
                raise
            return _load(self.formerly.owner)

    def is_there(self) -> bool:
        """Whether the CrewAI of this process has the name."""
        try:
            owner = self.load_owner()
        except (ImportError, AttributeError):
            return False
        return hasattr(owner, self.name) or self.name in getattr(owner, "__private_attributes__", ())


def _load(owner: str) -> Any:
    module, _, kind = owner.partition(":")
    loaded = importlib.import_module(module)
    if kind.endswith("[]"):
        return getattr(loaded, kind.removesuffix("[]"))[dict]
    return getattr(loaded, kind) if kind else loaded


_CREW = "crewai.crew:Crew"
TASKS_AT_ONCE = Seam(_CREW, "_process_async_tasks", "knows when a crew only waits for its asynchronous tasks")
FILL_IN = Seam(_CREW, "_interpolate_inputs", "keeps the inputs after the hooks, and checks the paths of output files")
PLAN = Seam(_CREW, "_handle_crew_planning", "keeps the plans that a model has made")
PREPARE_TOOLS = Seam(_CREW, "_prepare_tools", "prepares no tools for tasks that are finished")
CONTEXT_OF_TASK = Seam(_CREW, "_get_context", "adds what people said who approved to the context of later tasks")
CREW_MEMORY = Seam(_CREW, "_memory", "waits until memories are written")

_TASK = "crewai.task:Task"
EXECUTE = Seam(_TASK, "_execute_core", "gives finished tasks their outputs in the place of their work")
EXECUTE_ASYNC = Seam(_TASK, "execute_async", "knows whether an asynchronous task is still worked on")
SAVE_FILE = Seam(_TASK, "_save_file", "writes output files to the folder that --storage names, and tells of each")
OUTPUT_FORMAT = Seam(_TASK, "_get_output_format", "builds the outputs of finished tasks again")
CHECK_GUARDRAIL = Seam(_TASK, "_invoke_guardrail_function", "counts what guardrails have refused")
GUARDRAILS = Seam(_TASK, "_guardrails", "counts what guardrails have refused")
GUARDRAIL_RETRIES = Seam(_TASK, "_guardrail_retry_counts", "counts what guardrails have refused")
_CONDITIONAL = "crewai.tasks.conditional_task:ConditionalTask"
SKIPPED_OUTPUT = Seam(_CONDITIONAL, "get_skipped_task_output", "tells of skipped tasks")
SHOULD_EXECUTE = Seam(_CONDITIONAL, "should_execute", "asks no condition again that held once")

_AGENT = "crewai.agent.core:Agent"
RECALL = Seam(_AGENT, "_retrieve_memory_context", "recalls nothing twice for a task that goes on at its question")
KNOWLEDGE_QUERY = Seam(_AGENT, "_get_knowledge_search_query", "searches nothing twice for such a task")
MEMORY_WITHIN = Seam("crewai.memory.memory_scope:MemoryScope", "_memory", "waits until pending memories are written")
DRAIN_MEMORY = Seam("crewai.memory.unified_memory:Memory", "drain_writes", "waits until pending memories are written")

_EXECUTOR = "crewai.agents.agent_executor:AgentExecutor"
_FORMER_EXECUTOR = Former("crewai.experimental.agent_executor:AgentExecutor", moved_in=(1, 15, 29))
FORMAT_FEEDBACK = Seam(
    _EXECUTOR, "_format_feedback_message", "tells the model what a person rejected", formerly=_FORMER_EXECUTOR
)
ASK_MODEL_AGAIN = Seam(_EXECUTOR, "_invoke_loop", "makes the model answer again", formerly=_FORMER_EXECUTOR)
RUN_EXECUTOR = Seam(_EXECUTOR, "kickoff", "comes back to a question without the model", formerly=_FORMER_EXECUTOR)
FINISHED_ANSWER = Seam("crewai.agents.parser", "AgentFinish", "comes back to a question without the model")

_FLOW = "crewai.flow.runtime:Flow"
FLOW_DEFINITION = Seam(_FLOW, "_definition", "tells a flow's methods")
FLOW_METHODS = Seam(_FLOW, "_methods", "tells a flow's methods")
FLOW_STATE = Seam(_FLOW, "_state", "gives the state the execution's identifier, and restores it")
STATE_CLASS = Seam("crewai.flow.runtime:Flow[]", "_initial_state_t", "makes fields of a state without defaults inputs")
CREATE_STATE = Seam(_FLOW, "_create_initial_state", "makes fields of a state without defaults inputs")
COPY_STATE = Seam(_FLOW, "_copy_and_serialize_state", "keeps the state at a question")
PENDING_FEEDBACK = Seam(_FLOW, "_pending_feedback_context", "makes a flow go on at a question")
IS_RESUMING = Seam(_FLOW, "_is_execution_resuming", "makes a flow go on at a question")
FLOW_MATCH = Seam(_FLOW, "_flow_match_id", "makes a flow go on at a question")
METHOD_OUTPUTS = Seam(_FLOW, "_method_outputs", "makes a flow go on with the outputs of its methods")
COMPLETED_METHODS = Seam(_FLOW, "_completed_methods", "makes a flow begin no method twice")
FIRED_LISTENERS = Seam(_FLOW, "_fired_or_listeners", "makes a flow begin no method twice")
PENDING_EVENTS = Seam(_FLOW, "_pending_events", "lets a method that listens to several go on listening")
EXECUTE_METHOD = Seam(_FLOW, "_execute_method", "makes a flow continue after the methods that are done")
FINALIZE_FEEDBACK = Seam(_FLOW, "_finalize_human_feedback", "chooses the outcome that a decision names")
PERSIST_BACKEND = Seam(_FLOW, "_persist_backend_for", "finds the states that @persist keeps")
FLOW_CONTEXT = Seam("crewai.flow.async_feedback.types", "PendingFeedbackContext", "keeps a flow's question")
JSON_SAFE = Seam("crewai.flow.async_feedback.types:PendingFeedbackContext", "_make_json_safe", "keeps outputs as JSON")
PENDING = Seam("crewai.flow.async_feedback.types", "HumanFeedbackPending", "knows a flow that its project paused")
FEEDBACK_RESULT = Seam("crewai.flow.human_feedback", "HumanFeedbackResult", "keeps what people said in a flow")
FLOW_CONFIG = Seam("crewai.flow.flow_config", "flow_config", "makes a flow ask people through the API")

PROVIDER = Seam("crewai.core.providers.human_input", "_provider", "lets tasks ask people through the API")
SINKS = Seam("crewai.events.stream_context", "_stream_sinks", "reads the events in their order")
TOKEN_USAGE = Seam("crewai.llms.base_llm:BaseLLM", "_token_usage", "counts tokens as CrewAI does")
EVENT_BUS = Seam("crewai.events.event_bus", "crewai_event_bus", "waits for the project's own listeners")
EMBED = Seam("crewai.knowledge.knowledge:Knowledge", "add_sources", "embeds no knowledge needlessly")
TASK_OUTPUT_STORAGE = Seam(
    "crewai.utilities.task_output_storage_handler",
    "TaskOutputStorageHandler",
    "writes no database of outputs that each kickoff wipes",
)
LOAD_JSON_CREW = Seam("crewai.project.crew_loader", "load_crew", "builds JSON crews")
PARSE_JSON = Seam("crewai.project.json_loader", "parse_jsonc", "reads JSON crews")
READ_FLOW = Seam("crewai.flow.flow_definition", "FlowDefinition", "reads declarative flows")


def all_seams() -> Iterator[Seam]:
    """All seams of this module."""
    yield from (one for one in globals().values() if isinstance(one, Seam))


def check_seams(version: str) -> None:
    """Checks that everything needed is there, before anything runs.

    Raises:
        Refusal: This version of CrewAI lacks some of it; the message says what to do.
    """
    missing = [one for one in all_seams() if not one.is_there()]
    if not missing:
        return
    oldest, newest = text_of_version(OLDEST_CREWAI), text_of_version(NEWEST_CREWAI)
    why = "\n".join(f"- {one} ({one.owner.partition(':')[0]}), by which it {one.why}" for one in missing)
    raise Refusal(
        f"CrewAI {version} lacks what the crew server needs:\n{why}\n"
        f"It is tested with CrewAI {oldest} to {newest}: type `uv add 'crewai>={oldest},<={newest}'`, "
        "or install a newer crew-server."
    )
