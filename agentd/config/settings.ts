// SPDX-License-Identifier: MIT OR Apache-2.0
// The settings of the configuration file (agentd.toml), and their defaults.
import type { ClientQuirks } from "../../acp-client/client-quirks.ts";
import { type ToolKind, toolKinds } from "../../acp-client/schema/v1/tool-kinds.ts";

export { type ToolKind, toolKinds };

export interface Settings {
  /** Absolute, with `~` expanded; links are resolved when a session starts. Undefined: the rule for the home directory. */
  readonly roots: readonly string[] | undefined;
  readonly maxSessions: number;
  /** Null for "none". */
  readonly idleTimeoutMs: number | null;
  /** Null for "none": a permission waits without end. A timeout never allows. */
  readonly permissionTimeoutMs: number | null;
  /** Environment variables that a start may pass on to its agent. */
  readonly allowEnv: readonly string[];
  readonly logQuotaBytes: number;
  /** Bus services that an agent's MCP server refuses to call; a trailing `*` matches any suffix. */
  readonly mcpDeny: readonly string[];
  /** The Bus service that asks people; undefined for "none". */
  readonly notify: string | undefined;
  /** Whether every session's agent gets the MCP server for the Bus. */
  readonly busTools: boolean;
  /** Sessions on which agents may act: those that they started, or any except their own and its ancestors. */
  readonly agentsAct: "started" | "any";
  /** Whether acting commands of callers on other nodes are refused or answered. */
  readonly mesh: "refuse" | "answer";
  /** Configured agents by name; one with the name of a built-in agent replaces it. */
  readonly agents: ReadonlyMap<string, AgentSettings>;
  /** The built-in and the configured policies by name; a configured one replaces the built-in one of its name. */
  readonly policies: ReadonlyMap<string, PolicySettings>;
}

export interface AgentSettings {
  /** A bare name, looked up on PATH, or an absolute path (`~/` is expanded). */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the agent does not get although agentd has or sets them. */
  readonly unset: readonly string[];
  readonly protocol: 1;
  /** Timeout of its response to `initialize`; undefined: the limit `initializeTimeoutMs`. */
  readonly startTimeoutMs?: number | undefined;
  /** Of a configured agent: these count before those that agentd knows of it. */
  readonly quirks?: AgentQuirks | undefined;
}

/** Where an agent does not do what ACP says or what people expect. Absent members mean that it does. */
export interface AgentQuirks extends ClientQuirks {
  /** A read of a missing file returns an empty text: after an error this agent cannot create the file. */
  readonly missingFileIsEmpty?: boolean;
  /** It loads a session once, and not in the clock minute in which it began it. Another load loses the conversation. */
  readonly loadOnce?: boolean;
}

export interface PolicySettings {
  readonly allowOnce: readonly AllowOnceRule[];
}

export interface AllowOnceRule {
  readonly kinds: readonly ToolKind[];
  /** The session's directories, or one absolute directory. */
  readonly within: "session" | { readonly directory: string };
}

/** `reads` looks within the session's directories without a question; `edits` also changes files there. */
export const builtInPolicies: ReadonlyMap<string, PolicySettings> = new Map([
  ["reads", { allowOnce: [{ kinds: ["read", "search"], within: "session" }] }],
  ["edits", { allowOnce: [{ kinds: ["read", "search", "edit"], within: "session" }] }],
]);

export const defaultSettings: Settings = {
  roots: undefined,
  maxSessions: 8,
  idleTimeoutMs: 30 * 60_000,
  permissionTimeoutMs: 10 * 60_000,
  allowEnv: [],
  logQuotaBytes: 10_000_000_000,
  mcpDeny: ["term", "term-*", "bterm"],
  notify: "notify",
  busTools: true,
  agentsAct: "started",
  mesh: "refuse",
  agents: new Map(),
  policies: builtInPolicies,
};
