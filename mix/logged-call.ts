// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds in the log what a question had to leave out of its tool call.
import type { ToolCallFields } from "../agentd/vocabulary/entries.ts";
import type { AgentBus } from "./bus/ask.ts";
import { logEntries } from "./entries/read-log.ts";
import { CallFold } from "./entries/tool-call-fold.ts";

export interface CutQuestion {
  readonly request: string;
  readonly agent_session?: string;
  readonly tool_call?: ToolCallFields;
  readonly left_out?: readonly string[];
}

/** The question with as much of what was left out as the log has, up to and with the entry `last`, or to its end. */
export async function withWholeCall<Q extends CutQuestion>(bus: AgentBus, question: Q, last = Infinity): Promise<Q> {
  const { request, tool_call: call, left_out: missing = [], agent_session } = question;
  const session = /^(.+)-\d+$/.exec(request)?.[1];
  // Of another session of the agent the log has no tool calls.
  if (missing.length === 0 || call === undefined || session === undefined || agent_session !== undefined)
    return question;
  const id = call.tool_call_id;
  const fold = new CallFold({ tool_call_id: id });
  for await (const entry of logEntries(bus, session, 0, { kinds: ["tool_call", "permission"] })) {
    if (entry.seq > last) break;
    if (entry.kind === "tool_call" && entry.tool_call_id === id) fold.see(entry);
    if (entry.kind !== "permission" || entry.agent_session !== undefined) continue;
    if (entry.tool_call?.tool_call_id === id) fold.see(entry);
  }
  const found = Object.entries(fold.fields).filter(([name]) => missing.includes(name));
  const names = new Set(found.map(([name]) => name));
  const { left_out: _, ...rest } = question;
  const left = missing.filter((name) => !names.has(name));
  const whole = { ...rest, tool_call: { ...call, ...Object.fromEntries(found) } };
  return (left.length === 0 ? whole : { ...whole, left_out: left }) as Q;
}
