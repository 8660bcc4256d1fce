// SPDX-License-Identifier: MIT OR Apache-2.0
// Types of what an agent sends and receives, independent of the version of ACP. The client converts each version's
// shapes to these. Members keep ACP's camelCase names.

/** A text, image, audio, resource_link or resource block. A block of another type is kept as received. */
export interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

export type MessageRole = "user" | "agent" | "thought";

/** A change of a tool call. An absent member means unchanged, null (where the type allows it) means cleared. */
export interface ToolCallPatch {
  readonly toolCallId: string;
  readonly title?: string | null;
  readonly name?: string | null;
  readonly kind?: string | null;
  readonly status?: string | null;
  readonly content?: readonly unknown[] | null;
  readonly locations?: readonly unknown[] | null;
  /** Set if items of `content` or `locations` were invalid and dropped. A policy must not judge by them then. */
  readonly incomplete?: true;
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  /** The JSON text of values as the agent wrote them; without `content` if items of it were dropped or changed. */
  readonly source?: ReadonlyMap<"content" | "rawInput" | "rawOutput", string>;
  readonly meta?: unknown;
}

/** The counts of ACP's `PromptResponse.usage`. Agents leave some out. */
export interface TokenUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly thoughtTokens?: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
  readonly totalTokens?: number;
}

/** `currency` is an ISO 4217 code. */
export interface Cost {
  readonly amount: number;
  readonly currency: string;
}

export interface PlanEntry {
  readonly content: string;
  readonly priority: string;
  readonly status: string;
  readonly [member: string]: unknown;
}

export interface AvailableCommand {
  readonly name: string;
  readonly description: string;
  readonly [member: string]: unknown;
}

export interface ConfigChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string | null;
  readonly group?: string;
}

/**
 * One option of a session. The modes and models of v1 appear as the options `mode` and `model`, unless a config option
 * of that category exists.
 */
export interface ConfigOption {
  readonly option: string;
  readonly name: string;
  readonly description?: string | null;
  readonly category?: string | null;
  readonly type: "select" | "boolean";
  readonly value: string | boolean;
  /** The choices of a select. Groups are flattened, with the group's name in `group`. */
  readonly choices?: readonly ConfigChoice[];
}

export type AgentUpdate =
  | {
      readonly kind: "message";
      readonly role: MessageRole;
      readonly messageId?: string;
      readonly content: ContentBlock;
      readonly append: boolean;
      readonly meta?: unknown;
    }
  | { readonly kind: "tool_call"; readonly call: ToolCallPatch }
  | { readonly kind: "plan"; readonly planId: string; readonly entries: readonly PlanEntry[]; readonly meta?: unknown }
  | { readonly kind: "commands"; readonly commands: readonly AvailableCommand[]; readonly meta?: unknown }
  | { readonly kind: "options"; readonly options: readonly ConfigOption[]; readonly meta?: unknown }
  | {
      readonly kind: "info";
      readonly title?: string | null;
      readonly updatedAt?: string | null;
      readonly meta?: unknown;
    }
  | {
      readonly kind: "usage";
      readonly used: number | null;
      readonly size: number | null;
      readonly cost?: Cost | null;
      readonly meta?: unknown;
    }
  | {
      readonly kind: "notice";
      readonly severity: string;
      readonly title: string;
      readonly description?: string | null;
      readonly meta?: unknown;
    }
  | {
      readonly kind: "compaction";
      readonly compactionId: string;
      readonly status?: string;
      readonly summary?: readonly ContentBlock[] | null;
      /** A block to append to the summary. */
      readonly append?: ContentBlock;
      readonly error?: string | null;
      readonly meta?: unknown;
    }
  /** An update or notification that this client does not know, as received. */
  | { readonly kind: "extension"; readonly method: string; readonly data: unknown };

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  /** allow_once, allow_always, reject_once or reject_always. An unknown kind is kept, and never counts as an allow. */
  readonly kind: string;
}

/** `option`: the id of an option that the agent offered. */
export type PermissionAnswer =
  | { readonly outcome: "selected"; readonly option: string }
  | { readonly outcome: "cancelled" };

/** A form for a person to fill in, or a URL for them to visit. */
export type Elicitation = { readonly message: string; readonly toolCallId?: string } & (
  | {
      readonly mode: "form";
      /** ACP's `requestedSchema`, as received. */
      readonly schema: Readonly<Record<string, unknown>>;
    }
  /** An http or https URL. Show it in full and never fetch it. */
  | { readonly mode: "url"; readonly url: string; readonly elicitationId: string }
);

export type ElicitationAnswer =
  | { readonly outcome: "accept"; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly outcome: "decline" }
  | { readonly outcome: "cancel" };

/** An answer of the other kind than its request is sent as a cancellation. */
export type RequestAnswer = PermissionAnswer | ElicitationAnswer;

/** Identifies a request of the agent. Unique in one client's life, whatever JSON-RPC ids the agent uses. */
export type RequestKey = number;

export interface AuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string | null;
  /**
   * `agent`: the agent does it in `authenticate`. `terminal`: a person runs the agent's command with `args`, or
   * `command` in its place, with `env` in a terminal. `env_var`: the agent is started with `variables` set.
   */
  readonly type: "agent" | "terminal" | "env_var";
  readonly args?: readonly string[];
  readonly command?: readonly [program: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly variables?: readonly string[];
}

export interface AgentCapabilities {
  readonly load: boolean;
  readonly resume: boolean;
  readonly list: boolean;
  readonly close: boolean;
  readonly delete: boolean;
  readonly additionalDirectories: boolean;
  readonly logout: boolean;
  readonly promptImage: boolean;
  readonly promptAudio: boolean;
  readonly promptEmbeddedContext: boolean;
  readonly mcpHttp: boolean;
  readonly mcpSse: boolean;
  /** The extension `_session/steering`: a prompt goes into the running turn. */
  readonly steering: boolean;
}

export interface AgentInfo {
  readonly name: string;
  readonly title?: string | null;
  readonly version: string;
}

/** ACP's words of the extension, as received. */
export type SteeringOutcome = "injected" | "startedNewTurn" | "promptRequired" | "failed";

export interface AgentIdentity {
  readonly protocolVersion: number;
  readonly info: AgentInfo | null;
  readonly capabilities: AgentCapabilities;
  readonly authMethods: readonly AuthMethod[];
}

export type McpServer =
  | {
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string; readonly value: string }[];
    }
  | {
      readonly type: "http" | "sse";
      readonly name: string;
      readonly url: string;
      readonly headers: readonly { readonly name: string; readonly value: string }[];
    };
