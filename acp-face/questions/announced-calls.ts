// SPDX-License-Identifier: MIT OR Apache-2.0
// The tool calls that the editor knows. Several editors show a permission only for a tool call that they know.
import type { Entry, PermissionEntry, TurnEntry } from "../../agentd/vocabulary/entries.ts";
import { approximateLength } from "../../json/approximate-length.ts";
import { isRecord } from "../../json/record.ts";
import { toolStatus } from "../mapping/tool-call-members.ts";
import type { SessionUpdate, ToolCallMembers, ToolContent, ToolStatus } from "../mapping/update.ts";

/** Calls that are remembered. One that was forgotten is announced again, as editors take an announcement as a change. */
const knownMax = 1024;
/** UTF-16 units of a call that a question repeats. The editor has what is longer from the call's own updates. */
const repeatedMax = 256 * 1024;

/** A sub-agent's call may have the id of a call of its parent, which is another one. */
export function shownCallId(agentSession: string | undefined, id: string): string {
  return agentSession === undefined ? id : `${agentSession}/${id}`;
}

export class AnnouncedCalls {
  readonly #known = new Set<string>();
  /**
   * Calls of sub-agents that have not ended: only their questions make them known here. They end with the turn, unless
   * the sub-agent tells of an end. The value: the status at the end of the turn.
   */
  readonly #ofSubAgents = new Map<string, ToolStatus>();

  /** Takes note of an entry that the editor was told of. */
  note(entry: Entry): void {
    if (entry.kind === "tool_call") this.#remember(entry.tool_call_id);
    if (entry.kind === "permission" && entry.agent_session === undefined && entry.tool_call !== undefined)
      this.#remember(entry.tool_call.tool_call_id);
  }

  /** Returns what the editor must be told of the sub-agents' calls after an entry that arrives now. */
  follow(entry: Entry): readonly SessionUpdate[] {
    if (entry.kind === "extension") return this.#followSubAgent(entry.data);
    return entry.kind === "turn" && hasRun(entry) ? this.#endAll() : [];
  }

  /** Returns the announcement of the call that a question is about; nothing if the editor knows it. */
  announce(asked: PermissionEntry, call: ToolCallMembers): readonly SessionUpdate[] {
    const { agent_session: agentSession, left_out: missing = [] } = asked;
    const { toolCallId, title = call.name ?? "Tool call", status = "pending" } = call;
    if (this.#known.has(toolCallId)) return [];
    this.#remember(toolCallId);
    if (agentSession !== undefined) this.#ofSubAgents.set(toolCallId, "failed");
    const content = [...(call.content ?? []), ...noteOf(missing)];
    const update = { sessionUpdate: "tool_call", ...call, title, status } as const;
    return [content.length === 0 ? update : { ...update, content }];
  }

  /** Tells how the question about a sub-agent's call ended. */
  resolve({ agent_session: session, tool_call: call }: PermissionEntry, isAllowed: boolean): readonly SessionUpdate[] {
    const id = session !== undefined && call && shownCallId(session, call.tool_call_id);
    if (!id || !this.#ofSubAgents.has(id)) return [];
    this.#ofSubAgents.set(id, isAllowed ? "completed" : "failed");
    return [this.#tell(id, isAllowed ? "in_progress" : "failed")];
  }

  /** `data`: of a session/update that another session of the agent sent. */
  #followSubAgent(data: unknown): readonly SessionUpdate[] {
    if (!isRecord(data) || !isRecord(data["update"])) return [];
    const { toolCallId, status } = data["update"];
    const { sessionId } = data;
    if (typeof sessionId !== "string" || typeof toolCallId !== "string") return [];
    const id = shownCallId(sessionId, toolCallId);
    const shown = this.#ofSubAgents.has(id) ? toolStatus(status) : undefined;
    return shown === undefined ? [] : [this.#tell(id, shown)];
  }

  #endAll(): readonly SessionUpdate[] {
    return Array.from(this.#ofSubAgents, ([id, status]) => this.#tell(id, status));
  }

  #tell(toolCallId: string, status: ToolStatus): SessionUpdate {
    if (status === "completed" || status === "failed") this.#ofSubAgents.delete(toolCallId);
    return { sessionUpdate: "tool_call_update", toolCallId, status };
  }

  #remember(id: string): void {
    this.#known.delete(id);
    this.#known.add(id);
    const [oldest] = this.#known;
    if (this.#known.size <= knownMax || oldest === undefined) return;
    this.#known.delete(oldest);
    this.#ofSubAgents.delete(oldest);
  }
}

/** Whether the turn that ran has ended: not one that never began, nor one that was taken into another. */
function hasRun({ phase, sent, steering }: TurnEntry): boolean {
  return phase === "ended" && sent !== false && steering === undefined;
}

/** The call as its question repeats it, without what is long. */
export function repeatedCall(call: ToolCallMembers): ToolCallMembers {
  if (approximateLength(call, repeatedMax) <= repeatedMax) return call;
  const { content: _, rawInput: _input, rawOutput: _output, ...rest } = call;
  return rest;
}

function noteOf(missing: readonly string[]): readonly ToolContent[] {
  if (missing.length === 0) return [];
  const text = `(Not shown here: ${missing.join(", ").replaceAll("_", " ")}.)`;
  return [{ type: "content", content: { type: "text", text } }];
}
