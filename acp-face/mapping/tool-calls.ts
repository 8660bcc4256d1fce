// SPDX-License-Identifier: MIT OR Apache-2.0
// The tool calls of a session that the editor was told of. ACP's updates carry whole values, where an entry may have
// only the growth of one, so the values of open calls are held.
import { foldPartialToolCall, startsNewCall } from "../../agent-client/view/tool-call.ts";
import {
  type ToolCallEntry,
  type ToolCallFields,
  finalToolStatuses,
  requestMembers,
} from "../../agentd/vocabulary/entries.ts";
import { approximateLength } from "../../json/approximate-length.ts";
import { isRecord } from "../../json/record.ts";

interface KnownCall {
  readonly turn: number | undefined;
  readonly isOpen: boolean;
  /** Of an ended call, and of one whose values are no longer held, only the id and the status. */
  readonly fields: ToolCallFields;
  readonly units: number;
}

/** What an entry changes in a tool call. */
export interface ToolCallChange {
  readonly isNew: boolean;
  readonly isOpen: boolean;
  readonly fields: ToolCallFields;
}

export interface CallLimits {
  readonly calls: number;
  /** UTF-16 units of the values of all calls. agentd itself holds at most 16 Mi, and 64 calls. */
  readonly units: number;
}

const defaultLimits: CallLimits = { calls: 1_024, units: 32 * 1024 * 1024 };

const members = [
  ...requestMembers,
  "raw_output",
  "parent_tool_call_id",
  "_meta",
] as const satisfies readonly (keyof ToolCallFields)[];

export class ToolCalls {
  /** The most recently mentioned last. */
  readonly #known = new Map<string, KnownCall>();
  readonly #limits: CallLimits;
  #units = 0;

  constructor(limits: CallLimits = defaultLimits) {
    this.#limits = limits;
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  apply(entry: ToolCallEntry & { readonly turn?: number }): ToolCallChange {
    const id = entry.tool_call_id;
    const known = this.#known.get(id);
    const before = known?.fields ?? { tool_call_id: id };
    const isNew = known === undefined || startsNewCall(before, entry);
    const fields = foldPartialToolCall(before, entry);
    const isOpen = !finalToolStatuses.has(fields.status);
    this.#remember(id, { turn: isNew ? entry.turn : known.turn, isOpen, fields });
    return { isNew, isOpen, fields: changedFields(entry, fields) };
  }

  /** Returns the contents of the open calls that show a terminal. */
  showing(terminal: string): readonly ToolCallChange[] {
    return [...this.#known.values()].flatMap(({ fields: { tool_call_id, content } }) => {
      if (!content?.some((item) => isRecord(item) && item["terminalId"] === terminal)) return [];
      return [{ isNew: false, isOpen: true, fields: { tool_call_id, content } }];
    });
  }

  /** Ids of the open calls of a turn. */
  open(turn: number): readonly string[] {
    return [...this.#known].flatMap(([id, call]) => (call.isOpen && call.turn === turn ? [id] : []));
  }

  #remember(id: string, call: Omit<KnownCall, "units">): void {
    const { fields, isOpen } = call;
    this.#forget(id);
    const held = isOpen ? fields : withoutValues(fields);
    const units = isOpen ? approximateLength(fields, this.#limits.units) : 0;
    this.#known.set(id, { ...call, fields: held, units });
    this.#units += units;
    this.#evict();
  }

  #forget(id: string): void {
    this.#units -= this.#known.get(id)?.units ?? 0;
    this.#known.delete(id);
  }

  #evict(): void {
    for (const [id, call] of this.#known) {
      if (this.#units <= this.#limits.units) break;
      if (call.units === 0) continue;
      this.#units -= call.units;
      this.#known.set(id, { ...call, fields: withoutValues(call.fields), units: 0 });
    }
    if (this.#known.size <= this.#limits.calls) return;
    const oldest = this.#oldestEnded() ?? this.#known.keys().next().value;
    if (oldest !== undefined) this.#forget(oldest);
  }

  #oldestEnded(): string | undefined {
    for (const [id, { isOpen }] of this.#known) if (!isOpen) return id;
    return undefined;
  }
}

/** The members that the entry says, and of those that have grown the whole values. */
function changedFields(entry: ToolCallEntry, folded: ToolCallFields): ToolCallFields {
  const grown = (entry.grow ?? []).map(({ path }) => (path[0] === "content" ? "content" : "raw_output"));
  const said = Object.fromEntries(members.map((name) => [name, entry[name]]));
  return {
    ...said,
    ...Object.fromEntries(grown.map((name) => [name, folded[name]])),
    tool_call_id: entry.tool_call_id,
  };
}

function withoutValues({ tool_call_id, status }: ToolCallFields): ToolCallFields {
  return status === undefined || status === null ? { tool_call_id } : { tool_call_id, status };
}
