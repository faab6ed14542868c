"""The events: what hooks receive and may answer.

Made from schemas/ by clients/event_types.py; `cargo xtask all` writes it again.
"""

from typing import Any, Dict, List, Literal, Optional, TypedDict

EventName = Literal["AfterAgent", "AfterModel", "AfterTool", "BeforeAgent", "BeforeModel", "BeforeTool", "BeforeToolSelection", "Notification", "PreCompress", "SessionEnd", "SessionStart"]


class AfterAgentInput(TypedDict):
    """The work on a prompt has ended."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["AfterAgent"]
    prompt: str
    prompt_response: str
    stop_hook_active: bool


AfterAgentOutput = TypedDict(
    "AfterAgentOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["AfterAgentSpecific"],
    },
    total=False,
)


class AfterAgentSpecific(TypedDict, total=False):
    """What an `AfterAgent` hook may ask for."""

    hookEventName: Optional[Literal["AfterAgent"]]
    clearContext: Optional[bool]


class AfterModelInput(TypedDict):
    """A model call has been answered completely."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["AfterModel"]
    llm_request: "LlmRequest"
    llm_response: "LlmResponse"


AfterModelOutput = TypedDict(
    "AfterModelOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["AfterModelSpecific"],
    },
    total=False,
)


class AfterModelSpecific(TypedDict, total=False):
    """What an `AfterModel` hook may ask for."""

    hookEventName: Optional[Literal["AfterModel"]]
    llm_response: Optional["PartialLlmResponse"]


class AfterToolInput(TypedDict):
    """A tool has run; its result is not yet with the model."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["AfterTool"]
    tool_name: str
    tool_input: Dict[str, Any]
    tool_response: Dict[str, Any]


AfterToolOutput = TypedDict(
    "AfterToolOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["AfterToolSpecific"],
    },
    total=False,
)


class AfterToolSpecific(TypedDict, total=False):
    """What an `AfterTool` hook may ask for."""

    hookEventName: Optional[Literal["AfterTool"]]
    additionalContext: Optional[str]
    tool_response: Any


class BeforeAgentInput(TypedDict):
    """A prompt is about to be worked on."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["BeforeAgent"]
    prompt: str


BeforeAgentOutput = TypedDict(
    "BeforeAgentOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["BeforeAgentSpecific"],
    },
    total=False,
)


class BeforeAgentSpecific(TypedDict, total=False):
    """What a `BeforeAgent` hook may ask for."""

    hookEventName: Optional[Literal["BeforeAgent"]]
    additionalContext: Optional[str]


class BeforeModelInput(TypedDict):
    """A model call is about to be made."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["BeforeModel"]
    llm_request: "LlmRequest"


BeforeModelOutput = TypedDict(
    "BeforeModelOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["BeforeModelSpecific"],
    },
    total=False,
)


class BeforeModelSpecific(TypedDict, total=False):
    """What a `BeforeModel` hook may ask for."""

    hookEventName: Optional[Literal["BeforeModel"]]
    llm_request: Optional["PartialLlmRequest"]
    llm_response: Optional["PartialLlmResponse"]


class BeforeToolInput(TypedDict):
    """A tool is about to run."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["BeforeTool"]
    tool_name: str
    tool_input: Dict[str, Any]


BeforeToolOutput = TypedDict(
    "BeforeToolOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["BeforeToolSpecific"],
    },
    total=False,
)


class BeforeToolSelectionInput(TypedDict):
    """A model call that carries tool definitions is about to be made."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["BeforeToolSelection"]
    llm_request: "LlmRequest"


BeforeToolSelectionOutput = TypedDict(
    "BeforeToolSelectionOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["BeforeToolSelectionSpecific"],
    },
    total=False,
)


class BeforeToolSelectionSpecific(TypedDict, total=False):
    """What a `BeforeToolSelection` hook may ask for."""

    hookEventName: Optional[Literal["BeforeToolSelection"]]
    toolConfig: Optional["LlmToolConfig"]


class BeforeToolSpecific(TypedDict, total=False):
    """What a `BeforeTool` hook may ask for."""

    hookEventName: Optional[Literal["BeforeTool"]]
    permissionDecision: Optional["OutputDecision"]
    permissionDecisionReason: Optional[str]
    tool_input: Optional[Dict[str, Any]]


class _LlmCandidate(TypedDict):
    content: "LlmContent"


class LlmCandidate(_LlmCandidate, total=False):
    """One alternative of an answer."""

    finishReason: Optional[str]
    index: Optional[int]
    safetyRatings: Optional[List["LlmSafetyRating"]]


class LlmConfig(TypedDict, total=False):
    """What steers a model call."""

    temperature: Optional[float]
    maxOutputTokens: Optional[float]
    topP: Optional[float]
    topK: Optional[float]
    stopSequences: Optional[List[str]]
    candidateCount: Optional[float]
    presencePenalty: Optional[float]
    frequencyPenalty: Optional[float]


class LlmContent(TypedDict):
    """What a candidate says."""

    role: str
    parts: List[str]


class LlmMessage(TypedDict):
    """One message of a conversation."""

    role: "LlmRole"
    content: str


class _LlmRequest(TypedDict):
    model: str
    messages: List["LlmMessage"]


class LlmRequest(_LlmRequest, total=False):
    """A model request: texts only. Messages without text are left out."""

    config: Optional["LlmConfig"]
    toolConfig: Optional["LlmToolConfig"]


class _LlmResponse(TypedDict):
    candidates: List["LlmCandidate"]


class LlmResponse(_LlmResponse, total=False):
    """A model's answer: texts only."""

    text: Optional[str]
    usageMetadata: Optional["LlmUsage"]


LlmRole = Literal["user", "model", "system"]


class LlmSafetyRating(TypedDict):
    """A safety verdict."""

    category: str
    probability: str


class LlmToolConfig(TypedDict, total=False):
    """Which tools a model may call."""

    mode: Optional["LlmToolMode"]
    allowedFunctionNames: Optional[List[str]]


LlmToolMode = Literal["AUTO", "ANY", "NONE"]


class LlmUsage(TypedDict, total=False):
    """Token counts."""

    promptTokenCount: Optional[int]
    candidatesTokenCount: Optional[int]
    totalTokenCount: Optional[int]


class NotificationInput(TypedDict):
    """The agent is about to tell or ask the user something."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["Notification"]
    notification_type: "NotificationType"
    message: str
    details: Dict[str, Any]


NotificationOutput = TypedDict(
    "NotificationOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["NotificationSpecific"],
    },
    total=False,
)


class NotificationSpecific(TypedDict, total=False):
    """Hooks of this event have nothing of their own to ask for."""

    hookEventName: Optional[Literal["Notification"]]


NotificationType = str


OutputDecision = Literal["ask", "block", "deny", "approve", "allow"]


class PartialLlmRequest(TypedDict, total=False):
    """The parts of a model request that change."""

    model: Optional[str]
    messages: Optional[List["LlmMessage"]]
    config: Optional["LlmConfig"]
    toolConfig: Optional["LlmToolConfig"]


class PartialLlmResponse(TypedDict, total=False):
    """A model's answer, or the parts of it that change."""

    text: Optional[str]
    candidates: Optional[List["LlmCandidate"]]
    usageMetadata: Optional["LlmUsage"]


class PreCompressInput(TypedDict):
    """The history is about to be summarised."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["PreCompress"]
    trigger: "PreCompressTrigger"


PreCompressOutput = TypedDict(
    "PreCompressOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["PreCompressSpecific"],
    },
    total=False,
)


class PreCompressSpecific(TypedDict, total=False):
    """Hooks of this event have nothing of their own to ask for."""

    hookEventName: Optional[Literal["PreCompress"]]


PreCompressTrigger = Literal["manual", "auto"]


class SessionEndInput(TypedDict):
    """A session ends."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["SessionEnd"]
    reason: "SessionEndReason"


SessionEndOutput = TypedDict(
    "SessionEndOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["SessionEndSpecific"],
    },
    total=False,
)


SessionEndReason = Literal["exit", "clear", "logout", "prompt_input_exit", "other"]


class SessionEndSpecific(TypedDict, total=False):
    """Hooks of this event have nothing of their own to ask for."""

    hookEventName: Optional[Literal["SessionEnd"]]


class SessionStartInput(TypedDict):
    """A session begins."""

    session_id: str
    transcript_path: str
    cwd: str
    timestamp: str
    hook_event_name: Literal["SessionStart"]
    source: "SessionStartSource"


SessionStartOutput = TypedDict(
    "SessionStartOutput",
    {
        "decision": Optional["OutputDecision"],
        "reason": Optional[str],
        "continue": Optional[bool],
        "stopReason": Optional[str],
        "suppressOutput": Optional[bool],
        "systemMessage": Optional[str],
        "hookSpecificOutput": Optional["SessionStartSpecific"],
    },
    total=False,
)


SessionStartSource = Literal["startup", "resume", "clear", "compress"]


class SessionStartSpecific(TypedDict, total=False):
    """What a `SessionStart` hook may ask for."""

    hookEventName: Optional[Literal["SessionStart"]]
    additionalContext: Optional[str]
