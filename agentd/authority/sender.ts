// SPDX-License-Identifier: MIT OR Apache-2.0
// Who sent a command. Only the name that the broker stamped counts, and nothing that the sender says.
import { isAgentCitizen } from "../vocabulary/notify.ts";

export const senders = ["person", "nameless", "node", "agent", "child", "client"] as const;
export type SenderKind = (typeof senders)[number];

export type Sender =
  /** Any other registered name: mix, and every program of the user. */
  | { readonly kind: "person" }
  /** A local connection without a registered name. */
  | { readonly kind: "nameless" }
  /** Another node. Nothing here vouches for its names. */
  | { readonly kind: "node" }
  /** The agent of a session; `child`: of a session that another session's agent started. */
  | { readonly kind: "agent" | "child"; readonly session: string }
  /** An MCP client that agentd did not start. */
  | { readonly kind: "client"; readonly name: string };

/** What the rules have to know about sessions. */
export interface Sessions {
  /** Returns the session whose agent started this one. */
  parentOf(session: string): string | null;
  /** Returns the name that the broker stamped on this session's start; null also if it was purged from the log. */
  starterOf(session: string): string | null;
}

/** The session that a command is about, as seen by the sender. */
export const targets = ["own", "ancestor", "started", "other"] as const;
export type Target = (typeof targets)[number];

/** True for the agents of sessions and for MCP clients. */
export function isFromAgent(by: string | null): boolean {
  return by !== null && isAgentCitizen(by);
}

/** Returns the session whose agent has this name. */
export function sessionOfAgent(by: string | null): string | undefined {
  return by === null ? undefined : /^mcp-s-([a-z2-7]{12})-/.exec(by)?.[1];
}

/** Returns one value for all the names that an agent takes over time, and one for all MCP clients. */
export function agentIdentity(by: string | null): string | undefined {
  return isFromAgent(by) ? (sessionOfAgent(by) ?? "client") : undefined;
}

export function senderOf(by: string | null, origin: "local" | "mesh", sessions: Pick<Sessions, "parentOf">): Sender {
  if (origin === "mesh") return { kind: "node" };
  if (by === null) return { kind: "nameless" };
  const session = sessionOfAgent(by);
  if (session !== undefined) return { kind: sessions.parentOf(session) === null ? "agent" : "child", session };
  return isFromAgent(by) ? { kind: "client", name: by } : { kind: "person" };
}

export function targetOf(sender: Sender, session: string, sessions: Sessions): Target {
  if (sender.kind === "client") return sessions.starterOf(session) === sender.name ? "started" : "other";
  if (!("session" in sender)) return "other";
  if (session === sender.session) return "own";
  if (isAncestor(session, sender.session, sessions)) return "ancestor";
  return isAncestor(sender.session, session, sessions) ? "started" : "other";
}

/** Ends, since a session's parent is older than the session and never changes. */
function isAncestor(one: string, other: string, { parentOf }: Pick<Sessions, "parentOf">): boolean {
  for (let above = parentOf(other); above !== null; above = parentOf(above)) if (above === one) return true;
  return false;
}
