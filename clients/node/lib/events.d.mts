// Made from schemas/ by clients/event_types.py; `cargo xtask all` writes it again.

export type JsonObject = { [name: string]: unknown };

export type EventName = 'AfterAgent' | 'AfterModel' | 'AfterTool' | 'BeforeAgent' | 'BeforeModel' | 'BeforeTool' | 'BeforeToolSelection' | 'Notification' | 'PreCompress' | 'SessionEnd' | 'SessionStart';

/** Fields that every event has; all may be left out when a client asks. */
export interface BaseFields {
  /** The session's identifier. */
  session_id?: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path?: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd?: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp?: string;
}

/** The work on a prompt has ended. */
export interface AfterAgentInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'AfterAgent';
  /** What the user asked. */
  prompt: string;
  /** What the agent answered. */
  prompt_response: string;
  /** Whether this round was itself caused by a hook's block; a script that blocks again may loop. */
  stop_hook_active: boolean;
}

/** What a hook asks for. Silence means: go on. */
export interface AfterAgentOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: AfterAgentSpecific | null;
}

/** What an `AfterAgent` hook may ask for. */
export interface AfterAgentSpecific {
  hookEventName?: 'AfterAgent' | null;
  /** `true` makes the agent forget the conversation. */
  clearContext?: boolean | null;
}

/** A model call has been answered completely. */
export interface AfterModelInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'AfterModel';
  /** The request. */
  llm_request: LlmRequest;
  /** The answer. */
  llm_response: LlmResponse;
}

/** What a hook asks for. Silence means: go on. */
export interface AfterModelOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: AfterModelSpecific | null;
}

/** What an `AfterModel` hook may ask for. */
export interface AfterModelSpecific {
  hookEventName?: 'AfterModel' | null;
  /** The answer that is used instead, built from its texts only: tool calls do not survive. */
  llm_response?: PartialLlmResponse | null;
}

/** A tool has run; its result is not yet with the model. */
export interface AfterToolInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'AfterTool';
  /** The tool's name; matchers are compared with it. */
  tool_name: string;
  /** The arguments the tool received. */
  tool_input: JsonObject;
  /** The tool's result: `llmContent`, `returnDisplay`, `metadata` and, if it failed, `error`. */
  tool_response: JsonObject;
}

/** What a hook asks for. Silence means: go on. */
export interface AfterToolOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: AfterToolSpecific | null;
}

/** What an `AfterTool` hook may ask for. */
export interface AfterToolSpecific {
  hookEventName?: 'AfterTool' | null;
  /** Text that is added to what the model reads of the result. */
  additionalContext?: string | null;
  /** What the model and the person get instead of the tool's result: a text, or an object like the `tool_response` that the hook was given. */
  tool_response?: unknown;
}

/** A prompt is about to be worked on. */
export interface BeforeAgentInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'BeforeAgent';
  /** What the user asks. */
  prompt: string;
}

/** What a hook asks for. Silence means: go on. */
export interface BeforeAgentOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: BeforeAgentSpecific | null;
}

/** What a `BeforeAgent` hook may ask for. */
export interface BeforeAgentSpecific {
  hookEventName?: 'BeforeAgent' | null;
  /** Text that is added to the prompt. */
  additionalContext?: string | null;
}

/** A model call is about to be made. */
export interface BeforeModelInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'BeforeModel';
  /** The request. */
  llm_request: LlmRequest;
}

/** What a hook asks for. Silence means: go on. */
export interface BeforeModelOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: BeforeModelSpecific | null;
}

/** What a `BeforeModel` hook may ask for. */
export interface BeforeModelSpecific {
  hookEventName?: 'BeforeModel' | null;
  /** What to change in the request; the rest stays. */
  llm_request?: PartialLlmRequest | null;
  /** With a block: the answer that is used as if the model had given it. */
  llm_response?: PartialLlmResponse | null;
}

/** A tool is about to run. */
export interface BeforeToolInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'BeforeTool';
  /** The tool's name; matchers are compared with it. */
  tool_name: string;
  /** The tool's arguments. */
  tool_input: JsonObject;
}

/** What a hook asks for. Silence means: go on. */
export interface BeforeToolOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: BeforeToolSpecific | null;
}

/** A model call that carries tool definitions is about to be made. */
export interface BeforeToolSelectionInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'BeforeToolSelection';
  /** The request. */
  llm_request: LlmRequest;
}

/** What a hook asks for. Silence means: go on. */
export interface BeforeToolSelectionOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: BeforeToolSelectionSpecific | null;
}

/** What a `BeforeToolSelection` hook may ask for. */
export interface BeforeToolSelectionSpecific {
  hookEventName?: 'BeforeToolSelection' | null;
  /** Which tools the model may call. */
  toolConfig?: LlmToolConfig | null;
}

/** What a `BeforeTool` hook may ask for. */
export interface BeforeToolSpecific {
  hookEventName?: 'BeforeTool' | null;
  /** Another place for `decision`. */
  permissionDecision?: OutputDecision | null;
  /** Another place for `reason`. */
  permissionDecisionReason?: string | null;
  /** Arguments to change; the others stay. */
  tool_input?: JsonObject | null;
}

/** One alternative of an answer. */
export interface LlmCandidate {
  /** What it says. */
  content: LlmContent;
  /** Why it ended, such as `STOP` or `MAX_TOKENS`. */
  finishReason?: string | null;
  /** Its place. */
  index?: number | null;
  /** Safety verdicts. */
  safetyRatings?: LlmSafetyRating[] | null;
}

/** What steers a model call. */
export interface LlmConfig {
  /** Sampling temperature. */
  temperature?: number | null;
  /** Longest answer, in tokens. */
  maxOutputTokens?: number | null;
  /** Nucleus sampling. */
  topP?: number | null;
  /** Top-k sampling. */
  topK?: number | null;
  /** Texts that end the answer. */
  stopSequences?: string[] | null;
  /** How many answers are wanted. */
  candidateCount?: number | null;
  /** Penalty for tokens that occurred. */
  presencePenalty?: number | null;
  /** Penalty for tokens that occurred often. */
  frequencyPenalty?: number | null;
}

/** What a candidate says. */
export interface LlmContent {
  /** Always `model`. */
  role: string;
  /** Its texts. */
  parts: string[];
}

/** One message of a conversation. */
export interface LlmMessage {
  /** Who speaks. */
  role: LlmRole;
  /** What is said. */
  content: string;
}

/** A model request: texts only. Messages without text are left out. */
export interface LlmRequest {
  /** The model's name. */
  model: string;
  /** The conversation. */
  messages: LlmMessage[];
  /** What steers the call. */
  config?: LlmConfig | null;
  /** Which tools the model may call. */
  toolConfig?: LlmToolConfig | null;
}

/** A model's answer: texts only. */
export interface LlmResponse {
  /** The whole text of the first candidate. */
  text?: string | null;
  /** The alternatives; usually one. */
  candidates: LlmCandidate[];
  /** Token counts. */
  usageMetadata?: LlmUsage | null;
}

export type LlmRole = 'user' | 'model' | 'system';

/** A safety verdict. */
export interface LlmSafetyRating {
  /** What was judged. */
  category: string;
  /** How likely it is. */
  probability: string;
}

/** Which tools a model may call. */
export interface LlmToolConfig {
  /** `AUTO`: it may call tools; `ANY`: it must; `NONE`: it must not. */
  mode?: LlmToolMode | null;
  /** The tools it may call. */
  allowedFunctionNames?: string[] | null;
}

export type LlmToolMode = 'AUTO' | 'ANY' | 'NONE';

/** Token counts. */
export interface LlmUsage {
  /** Tokens of the request. */
  promptTokenCount?: number | null;
  /** Tokens of the answer. */
  candidatesTokenCount?: number | null;
  /** Both. */
  totalTokenCount?: number | null;
}

/** The agent is about to tell or ask the user something. */
export interface NotificationInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'Notification';
  /** What it is about, such as `ToolPermission`; matchers are compared with it. */
  notification_type: NotificationType;
  /** What the user reads. */
  message: string;
  /** More about it. */
  details: JsonObject;
}

/** What a hook asks for. Silence means: go on. */
export interface NotificationOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: NotificationSpecific | null;
}

/** Hooks of this event have nothing of their own to ask for. */
export interface NotificationSpecific {
  hookEventName?: 'Notification' | null;
}

/** What a notification is about. */
export type NotificationType = string;

export type OutputDecision = 'ask' | 'block' | 'deny' | 'approve' | 'allow';

/** The parts of a model request that change. */
export interface PartialLlmRequest {
  /** Another model. */
  model?: string | null;
  /** The whole conversation as it should be. Unchanged messages keep their tool calls and images. */
  messages?: LlmMessage[] | null;
  /** Steering fields to change. */
  config?: LlmConfig | null;
  /** Which tools the model may call. */
  toolConfig?: LlmToolConfig | null;
}

/** A model's answer, or the parts of it that change. */
export interface PartialLlmResponse {
  /** The whole text, where `candidates` is left out. */
  text?: string | null;
  /** The alternatives. */
  candidates?: LlmCandidate[] | null;
  /** Token counts. */
  usageMetadata?: LlmUsage | null;
}

/** The history is about to be summarised. */
export interface PreCompressInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'PreCompress';
  /** Who asked for it; matchers are compared with it. */
  trigger: PreCompressTrigger;
}

/** What a hook asks for. Silence means: go on. */
export interface PreCompressOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: PreCompressSpecific | null;
}

/** Hooks of this event have nothing of their own to ask for. */
export interface PreCompressSpecific {
  hookEventName?: 'PreCompress' | null;
}

/** Who asked for the history to be summarised. */
export type PreCompressTrigger = 'manual' | 'auto';

/** A session ends. */
export interface SessionEndInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'SessionEnd';
  /** Why it ended; matchers are compared with it. */
  reason: SessionEndReason;
}

/** What a hook asks for. Silence means: go on. */
export interface SessionEndOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: SessionEndSpecific | null;
}

/** Why a session ended. */
export type SessionEndReason = 'exit' | 'clear' | 'logout' | 'prompt_input_exit' | 'other';

/** Hooks of this event have nothing of their own to ask for. */
export interface SessionEndSpecific {
  hookEventName?: 'SessionEnd' | null;
}

/** A session begins. */
export interface SessionStartInput {
  /** The session's identifier. */
  session_id: string;
  /** The session's transcript; empty when the host names none. */
  transcript_path: string;
  /** The project's directory, which is also the hook's working directory. */
  cwd: string;
  /** When the event happened: ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** The event. */
  hook_event_name: 'SessionStart';
  /** How it came to start; matchers are compared with it. */
  source: SessionStartSource;
}

/** What a hook asks for. Silence means: go on. */
export interface SessionStartOutput {
  /** `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a person; the others let it run. */
  decision?: OutputDecision | null;
  /** Why; shown to the model and to the user. */
  reason?: string | null;
  /** `false` stops the agent. */
  continue?: boolean | null;
  /** Why the agent should stop. */
  stopReason?: string | null;
  /** `true` hides the result from the user. */
  suppressOutput?: boolean | null;
  /** A message for the model. */
  systemMessage?: string | null;
  /** What only hooks of this event may ask for. */
  hookSpecificOutput?: SessionStartSpecific | null;
}

/** How a session came to start. */
export type SessionStartSource = 'startup' | 'resume' | 'clear' | 'compress';

/** What a `SessionStart` hook may ask for. */
export interface SessionStartSpecific {
  hookEventName?: 'SessionStart' | null;
  /** Text that the session begins with. */
  additionalContext?: string | null;
}

/** What the hooks of an event receive. */
export interface EventInputs {
  AfterAgent: AfterAgentInput;
  AfterModel: AfterModelInput;
  AfterTool: AfterToolInput;
  BeforeAgent: BeforeAgentInput;
  BeforeModel: BeforeModelInput;
  BeforeTool: BeforeToolInput;
  BeforeToolSelection: BeforeToolSelectionInput;
  Notification: NotificationInput;
  PreCompress: PreCompressInput;
  SessionEnd: SessionEndInput;
  SessionStart: SessionStartInput;
}

/** What the hooks of an event may answer. */
export interface EventOutputs {
  AfterAgent: AfterAgentOutput;
  AfterModel: AfterModelOutput;
  AfterTool: AfterToolOutput;
  BeforeAgent: BeforeAgentOutput;
  BeforeModel: BeforeModelOutput;
  BeforeTool: BeforeToolOutput;
  BeforeToolSelection: BeforeToolSelectionOutput;
  Notification: NotificationOutput;
  PreCompress: PreCompressOutput;
  SessionEnd: SessionEndOutput;
  SessionStart: SessionStartOutput;
}
