// SPDX-License-Identifier: MIT OR Apache-2.0
// What a probe of an agent found out. No schemas, so that programs can import it without zod.

export const probeDepths = ["initialize", "full"] as const;
export type ProbeDepth = (typeof probeDepths)[number];

/** What a probe looks at, in this order. `initialize` stops after the first three. */
export type ProbeStep =
  /** From the start of the process to the answer to initialize. */
  | "initialize"
  /** Memory of its processes after initialize. */
  | "memory"
  /** How it ends when its stdin is closed. Of a full probe: after the turns. */
  | "stop"
  | "new_session"
  /** A turn with a text alone. */
  | "prompt"
  /** A turn that writes a file: whether it asks first, and what it does after a no. */
  | "permission"
  | "cancel"
  /** Whether the MCP server for the Bus has connected by then. */
  | "bus_tools"
  /** Memory of its processes after the turns. */
  | "memory_after_turns"
  /** In a new process each. */
  | "load"
  | "load_again"
  | "resume";

export interface ProbeCell {
  readonly step: ProbeStep;
  /** `no`: the agent does not do it. `failed`: it ought to. `skipped`: not looked at, as `text` says, or after a failure. */
  readonly result: "ok" | "no" | "failed" | "skipped";
  readonly ms?: number;
  readonly bytes?: number;
  readonly processes?: number;
  /** What was seen, or what went wrong. */
  readonly text?: string;
}

export interface ProbeReply {
  readonly agent: string;
  readonly depth: ProbeDepth;
  /** When the probe began. */
  readonly probed_at: string;
  readonly agent_info: { readonly name: string; readonly title?: string | null; readonly version: string } | null;
  readonly protocol_version: number | null;
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly auth_methods: readonly string[];
  readonly cells: readonly ProbeCell[];
}
