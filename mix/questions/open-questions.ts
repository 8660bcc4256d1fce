// SPDX-License-Identifier: MIT OR Apache-2.0
// The questions of a session that wait for a person at this terminal, in the order in which they came, each as it is by
// now: the agent may change the tool call that a permission is asked for.
import type { ElicitationEntry, PermissionEntry, ToolCallEntry } from "../../agentd/vocabulary/entries.ts";
import { ToolCallFold } from "../entries/tool-call-fold.ts";

export type AskedEntry = PermissionEntry | ElicitationEntry;

interface OpenQuestion {
  readonly asked: AskedEntry;
  /** Of a permission: its tool call, followed on. */
  readonly call: ToolCallFold | undefined;
  /** Counts from 1 for the first question that came while none was open. */
  readonly number: number;
  readonly changed: readonly string[];
  /** How many times it was changed. */
  readonly revision: number;
}

export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();
  #total = 0;

  /** A question that is open already keeps its place; what is known of it is what it says now. */
  add(asked: AskedEntry): void {
    const known = this.#open.get(asked.request);
    if (known === undefined) {
      if (this.#open.size === 0) this.#total = 0;
      this.#total += 1;
    }
    const { number, revision } = known ?? { number: this.#total, revision: 0 };
    const isPermission = asked.kind === "permission";
    const call = isPermission && asked.tool_call ? new ToolCallFold(asked.tool_call) : undefined;
    const changed = (isPermission && asked.changed) || [];
    this.#open.set(asked.request, { asked, call, number, changed, revision });
  }

  /**
   * Takes in what the agent says of a call that is asked about. A sub-agent's question is about a call of its own
   * session, which may have the same id: it is not meant.
   */
  follow(entry: ToolCallEntry): void {
    for (const { asked, call } of this.#open.values()) {
      const isOwn = asked.kind === "permission" && asked.agent_session === undefined;
      if (isOwn && call?.fields.tool_call_id === entry.tool_call_id) call.apply(entry);
    }
  }

  /** Returns the question as it is now; undefined where it is not open. */
  change({ request, changed = [] }: PermissionEntry): AskedEntry | undefined {
    const waiting = this.#open.get(request);
    if (waiting === undefined) return undefined;
    const all = [...new Set([...waiting.changed, ...changed])];
    this.#open.set(request, { ...waiting, changed: all, revision: waiting.revision + 1 });
    return this.get(request);
  }

  remove(request: string): void {
    this.#open.delete(request);
  }

  get(request: string): AskedEntry | undefined {
    const waiting = this.#open.get(request);
    return waiting && toCurrent(waiting);
  }

  /** The oldest is asked first; the others wait. */
  get current(): AskedEntry | undefined {
    const [first] = this.#open.values();
    return first && toCurrent(first);
  }

  all(): AskedEntry[] {
    return Array.from(this.#open.values(), toCurrent);
  }

  /**
   * The target of the line that answers it: another after each change, so that an answer to the question before is not
   * taken.
   */
  targetOf(request: string): string {
    return `${request}~${this.#open.get(request)?.revision ?? 0}`;
  }

  /** The open question with this target; undefined also where it has changed since. */
  findByTarget(target: string): AskedEntry | undefined {
    return this.all().find(({ request }) => this.targetOf(request) === target);
  }

  /** Whether the question that this target was about is still open, changed or not. */
  isOpen(target: string): boolean {
    return this.#open.has(target.slice(0, target.lastIndexOf("~")));
  }

  /** ` (1 of 2)`; nothing where there is, or was, only one. */
  countLabel(request: string): string {
    const number = this.#open.get(request)?.number;
    return number === undefined || this.#total < 2 ? "" : ` (${number} of ${this.#total})`;
  }
}

function toCurrent({ asked, call, changed, revision }: OpenQuestion): AskedEntry {
  if (asked.kind !== "permission" || call === undefined || revision === 0) return asked;
  const missing = (asked.left_out ?? []).filter((name) => !Object.hasOwn(call.fields, name));
  return { ...asked, tool_call: call.fields, changed, left_out: missing };
}
