// SPDX-License-Identifier: MIT OR Apache-2.0
// The instance's file in agentd's own words, and what holds without one.

/** The instance's file as agentd uses it. */
export interface Settings {
  /** Absolute, as written but for `~`; links are resolved when a session starts. Undefined: the home directory's rule. */
  readonly roots: readonly string[] | undefined;
  readonly maxSessions: number;
  /** Null: "none". */
  readonly idleTimeoutMs: number | null;
  /** Null: "none", a person is waited for without end. Never a yes by itself. */
  readonly permissionTimeoutMs: number | null;
  /** Names that a start may pass on to its agent. */
  readonly allowEnv: readonly string[];
  readonly logQuotaBytes: number;
  /** Bus services that an agent's MCP server refuses to call; a trailing `*` stands for any rest. */
  readonly mcpDeny: readonly string[];
  /** The Bus service that asks people; undefined: "none". */
  readonly notify: string | undefined;
  /** Whether every session's agent is given the MCP server that leads back to the Bus. */
  readonly busTools: boolean;
  /** On which sessions agents act: those that they started themselves, or any but their own and its ancestors. */
  readonly agentsAct: "started" | "any";
  /** Acting commands of callers from other nodes. */
  readonly mesh: "refuse" | "answer";
  /** The user's own agents, by name; one named like a built-in agent replaces it. */
  readonly agents: ReadonlyMap<string, AgentSettings>;
  readonly policies: ReadonlyMap<string, PolicySettings>;
}

export interface AgentSettings {
  /** A bare name is looked up on PATH; else an absolute path (`~/` is resolved). */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Variables that it does not get, though agentd has or sets them. */
  readonly unset: readonly string[];
  readonly protocol: 1;
  /** How long its answer to initialize may take; undefined: `initializeTimeoutMs` of the limits. */
  readonly startTimeoutMs: number | undefined;
}

export interface PolicySettings {
  readonly allowOnce: readonly AllowOnceRule[];
}

export interface AllowOnceRule {
  readonly kinds: readonly ToolKind[];
  /** The session's own directories, or one absolute directory. */
  readonly within: "session" | { readonly directory: string };
}

export type ToolKind = (typeof toolKinds)[number];

/** ACP v1's tool kinds. */
export const toolKinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

/** What holds without a file. */
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
  policies: new Map(),
};
