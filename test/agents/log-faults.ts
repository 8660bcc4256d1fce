// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Entry, EntryKind } from "../../agentd/vocabulary/index.ts";

/**
 * What is wrong with the whole log of a session that was closed; empty where it is as it must be: no gap, one end for
 * each turn, no tool call left open, one resolution for each permission and one reply for each command.
 */
export function logFaults(entries: readonly Entry[]): string[] {
  return [
    ...gaps(entries),
    ...turnFaults(of(entries, "turn")),
    ...openToolCalls(of(entries, "tool_call")),
    ...permissionFaults(of(entries, "permission")),
    ...replyFaults(of(entries, "command"), of(entries, "reply")),
    ...lastStateFaults(of(entries, "state")),
  ];
}

export type EntryOf<K extends EntryKind> = Extract<Entry, { readonly kind: K }>;

export function of<K extends EntryKind>(entries: readonly Entry[], kind: K): EntryOf<K>[] {
  return entries.filter((entry): entry is EntryOf<K> => entry.kind === kind);
}

function gaps(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`seq ${seq} stands at place ${index + 1}`]));
}

function turnFaults(entries: readonly EntryOf<"turn">[]): string[] {
  const turns = new Set(entries.map(({ turn }) => turn));
  return [...turns].flatMap((turn) => {
    const phases = entries.filter((entry) => entry.turn === turn).map(({ phase }) => phase);
    const ends = phases.filter((phase) => phase === "ended").length;
    return ends === 1 && phases.at(-1) === "ended" && phases.length > 1
      ? []
      : [`turn ${turn} went ${phases.join(", ")}`];
  });
}

const finalStatuses: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

function openToolCalls(entries: readonly EntryOf<"tool_call">[]): string[] {
  const last = new Map<string, unknown>();
  for (const { tool_call_id, status } of entries) last.set(tool_call_id, status ?? last.get(tool_call_id));
  return [...last]
    .filter(([, status]) => !finalStatuses.has(status))
    .map(([id, status]) => `the tool call ${id} was left ${String(status)}`);
}

/** What the agent withdrew (`via: agent`) was answered by no one, and nothing was sent. */
function permissionFaults(entries: readonly EntryOf<"permission">[]): string[] {
  const requests = new Set(entries.map(({ request }) => request));
  return [...requests].flatMap((request) => {
    const own = entries.filter((entry) => entry.request === request);
    const phases = own.map(({ phase }) => phase).join(", ");
    const withdrawn = own.some(({ via }) => via === "agent");
    const right = withdrawn ? "requested, resolved" : "requested, resolved, sent";
    // An agent may change the tool call while it is asked about, and at no other time.
    return phases.replace(/^requested(?:, changed)+/, "requested") === right
      ? []
      : [`the permission ${request} went ${phases}`];
  });
}

function replyFaults(commands: readonly EntryOf<"command">[], replies: readonly EntryOf<"reply">[]): string[] {
  return commands.flatMap(({ seq, verb }) => {
    const count = replies.filter(({ command_seq }) => command_seq === seq).length;
    return count === 1 ? [] : [`the command ${verb} at ${seq} has ${count} replies`];
  });
}

function lastStateFaults(entries: readonly EntryOf<"state">[]): string[] {
  const last = entries.at(-1)?.state;
  return last === "closed" ? [] : [`the last state is ${String(last)}`];
}
