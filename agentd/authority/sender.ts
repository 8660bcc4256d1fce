// SPDX-License-Identifier: MIT OR Apache-2.0
// Who sends a command, as far as the Bus can tell: by the name that the broker stamped, and by nothing that a sender says.
import { isAgentCitizen } from "../vocabulary/notify.ts";

export const senders = ["person", "nameless", "node", "agent", "child", "client"] as const;
export type SenderKind = (typeof senders)[number];

export type Sender =
  /** Any registered name that is none of the below: mix, and every other program of the user. */
  | { readonly kind: "person" }
  /** A local connection that has not registered. */
  | { readonly kind: "nameless" }
  /** From another node, whose names nobody vouches for here. */
  | { readonly kind: "node" }
  /** The agent of a session, or of one that another session's agent started (`child`). */
  | { readonly kind: "agent" | "child"; readonly session: string }
  /** An MCP client that runs outside of agentd. */
  | { readonly kind: "client"; readonly name: string };

/** What the rules need to know of sessions. */
export interface Sessions {
  /** The session whose agent started this one. */
  parentOf(session: string): string | null;
  /** The name that the broker stamped on the start of this one; null also where the log does not have it any more. */
  starterOf(session: string): string | null;
}

/** What a command is about, seen from its sender. */
export const targets = ["own", "ancestor", "started", "other"] as const;
export type Target = (typeof targets)[number];

/** Whether it is an agent that sends this, of whatever kind. */
export function isFromAgent(by: string | null): boolean {
  return by !== null && isAgentCitizen(by);
}

/** The session whose agent bears this name. */
export function sessionOfAgent(by: string | null): string | undefined {
  return by === null ? undefined : /^mcp-s-([a-z2-7]{12})-/.exec(by)?.[1];
}

/** The same for all names of one agent, which come and go, and for all MCP clients; undefined for who is none. */
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
  if (isAbove(session, sender.session, sessions)) return "ancestor";
  return isAbove(sender.session, session, sessions) ? "started" : "other";
}

/** A session's parent is there before it and never changes: the way up ends. */
function isAbove(one: string, other: string, { parentOf }: Pick<Sessions, "parentOf">): boolean {
  for (let above = parentOf(other); above !== null; above = parentOf(above)) if (above === one) return true;
  return false;
}
