// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads questions from the log: closed ones, and the parts that a list leaves out.
import type { ElicitationEntry, Entry, PermissionEntry, ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import type { AgentBus } from "../requests/ask.ts";
import { AgentError } from "../agent-error.ts";
import { logEntries, type LogFilter } from "./read-log.ts";
import { foldToolCall } from "../view/tool-call.ts";

interface EntryOf {
  readonly permission: PermissionEntry;
  readonly elicitation: ElicitationEntry;
}

type RequestKind = keyof EntryOf;

export interface LoggedRequest<K extends RequestKind> {
  readonly requested: Entry & EntryOf[K];
  /** Absent while the request is open. */
  readonly resolved?: EntryOf[K];
}

/**
 * Finds a request that is closed, or open but too long to be listed whole. A closed one is needed to retry an answer
 * with the same command id; agentd then says who answered first. Throws REQUEST_UNKNOWN, and names `list` as the
 * command that lists the open ones.
 */
export async function findLoggedRequest<K extends RequestKind>(
  bus: AgentBus,
  request: string,
  kind: K,
  list: string,
): Promise<LoggedRequest<K>> {
  const session = sessionOf(request);
  const unknown = new AgentError("REQUEST_UNKNOWN", `no request ${request}; \`${list}\` lists the open ones`);
  if (session === undefined) throw unknown;
  let requested: (Entry & EntryOf[K]) | undefined;
  let resolved: EntryOf[K] | undefined;
  try {
    for await (const entry of logEntries(bus, session, 0, { kinds: [kind] })) {
      if (!isOf(entry, kind) || entry.request !== request) continue;
      if (entry.phase === "requested") requested = entry;
      if (entry.phase === "resolved") resolved = entry;
    }
  } catch (error) {
    if (error instanceof AgentError && error.code === "SESSION_UNKNOWN") throw unknown;
    throw error;
  }
  if (requested === undefined) throw unknown;
  return { requested, ...(resolved === undefined ? {} : { resolved }) };
}

/** A request's id is `<session>-<number>`. */
function sessionOf(request: string): string | undefined {
  return /^(.+)-\d+$/.exec(request)?.[1];
}

function isOf<K extends RequestKind>(entry: Entry, kind: K): entry is Entry & EntryOf[K] {
  return entry.kind === kind;
}

export interface TruncatedQuestion {
  readonly request: string;
  readonly agent_session?: string;
  readonly tool_call?: ToolCallFields;
  readonly left_out?: readonly string[];
}

/** Fills in what was left out of the question, from the log up to and including the entry `last`. */
export async function withFullToolCall<Q extends TruncatedQuestion>(
  bus: AgentBus,
  question: Q,
  last?: number,
): Promise<Q> {
  const { request, tool_call: call, left_out: missing = [], agent_session } = question;
  const session = sessionOf(request);
  // The log has no tool calls of the agent's other sessions.
  if (missing.length === 0 || call === undefined || session === undefined || agent_session !== undefined)
    return question;
  const id = call.tool_call_id;
  const filter: LogFilter = { kinds: ["tool_call", "permission"], before: last === undefined ? last : last + 1 };
  let logged: ToolCallFields = { tool_call_id: id };
  for await (const entry of logEntries(bus, session, 0, filter)) {
    if (entry.kind === "tool_call" && entry.tool_call_id === id) logged = foldToolCall(logged, entry);
    if (entry.kind !== "permission" || entry.agent_session !== undefined) continue;
    if (entry.tool_call?.tool_call_id === id) logged = foldToolCall(logged, entry);
  }
  const found = Object.entries(logged).filter(([name]) => missing.includes(name));
  const names = new Set(found.map(([name]) => name));
  const { left_out: _, ...rest } = question;
  const left = missing.filter((name) => !names.has(name));
  const whole = { ...rest, tool_call: { ...call, ...Object.fromEntries(found) } };
  return (left.length === 0 ? whole : { ...whole, left_out: left }) as Q;
}
