// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent says and is asked, whatever version of ACP it speaks. The client turns each version's shapes into
// these; whoever composes a client never learns the version. Members keep ACP's own camelCase names.

/** text, image, audio, resource_link, resource; a block of another type is kept as it came. */
export interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

export type MessageRole = "user" | "agent" | "thought";

/** A tool call as a patch: an absent member means unchanged, null (where it may be) means cleared. */
export interface ToolCallPatch {
  readonly toolCallId: string;
  readonly title?: string | null;
  readonly name?: string | null;
  readonly kind?: string | null;
  readonly status?: string | null;
  readonly content?: readonly unknown[] | null;
  /** Of a large `content` that the agent wrote as JSON.stringify would: that text, or its UTF-8. */
  readonly contentText?: string | Uint8Array;
  readonly locations?: readonly unknown[] | null;
  /** Of its content or locations something could not be read and is missing here: who judges by them is not to. */
  readonly incomplete?: true;
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly meta?: unknown;
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

/** One option of a session. A v1 mode list that no option of category `mode` covers appears as the option `mode`. */
export interface ConfigOption {
  readonly option: string;
  readonly name: string;
  readonly description?: string | null;
  readonly category?: string | null;
  readonly type: "select" | "boolean";
  readonly value: string | boolean;
  /** Of a select: flat, groups flattened with their name in `group`. */
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
      readonly cost?: { readonly amount: number; readonly currency: string } | null;
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
      /** One more block of the summary. */
      readonly append?: ContentBlock;
      readonly error?: string | null;
      readonly meta?: unknown;
    }
  /** An update, or a notification, that has no name here: kept, never fatal. */
  | { readonly kind: "extension"; readonly method: string; readonly data: unknown };

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  /** allow_once, allow_always, reject_once, reject_always; another kind is kept and is never a yes by itself. */
  readonly kind: string;
}

export type PermissionOutcome = { readonly optionId: string } | "cancelled";

/** What an agent wants to be told, or to be done elsewhere, by a person. */
export type Elicitation = { readonly message: string; readonly toolCallId?: string } & (
  | {
      readonly mode: "form";
      /** ACP's `requestedSchema`, as it came. */
      readonly schema: Readonly<Record<string, unknown>>;
    }
  /** http or https; to be shown in full, and never fetched. */
  | { readonly mode: "url"; readonly url: string; readonly elicitationId: string }
);

export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** A request of the agent that waits for us: unique in one client's life, whatever ids the agent uses. */
export type RequestKey = number;

export interface AuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string | null;
  readonly type: "agent" | "terminal";
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What the agent offers, normalised to booleans. */
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
}

export interface AgentIdentity {
  readonly protocolVersion: number;
  readonly info: { readonly name: string; readonly title?: string | null; readonly version: string } | null;
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
