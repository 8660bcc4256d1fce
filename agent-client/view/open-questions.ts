// SPDX-License-Identifier: MIT OR Apache-2.0
// The open questions of a session, in the order of their arrival, each in its present form: the agent may still change
// the tool call that a permission is asked for.
import type { ElicitationEntry, PermissionEntry, ToolCallEntry } from "../../agentd/vocabulary/entries.ts";
import { ToolCallFold } from "./tool-call-fold.ts";

export type AskedEntry = PermissionEntry | ElicitationEntry;

interface OpenQuestion {
  readonly asked: AskedEntry;
  /** The tool call of a permission, kept up to date. */
  readonly call: ToolCallFold | undefined;
  /** Counts from 1, and restarts with a question that arrives while none is open. */
  readonly number: number;
  readonly changed: readonly string[];
  /** How many times the question was changed. */
  readonly revision: number;
}

export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();
  #total = 0;

  /** Adds a question. One that is already open keeps its place and number; its contents are replaced. */
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
   * Applies an update of a tool call to the question about it. A question of a sub-agent is skipped: it is about a call
   * of the sub-agent's own session, which may have the same id.
   */
  follow(entry: ToolCallEntry): void {
    for (const { asked, call } of this.#open.values()) {
      const isOwn = asked.kind === "permission" && asked.agent_session === undefined;
      if (isOwn && call?.fields.tool_call_id === entry.tool_call_id) call.apply(entry);
    }
  }

  /** Applies a change and returns the question as it is now, or undefined if it is not open. */
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

  /** The oldest open question: the one that is asked now. */
  get current(): AskedEntry | undefined {
    const [first] = this.#open.values();
    return first && toCurrent(first);
  }

  all(): AskedEntry[] {
    return Array.from(this.#open.values(), toCurrent);
  }

  /**
   * The target of the line that answers the question. It differs after each change, so that a late answer is rejected.
   */
  targetOf(request: string): string {
    return `${request}~${this.#open.get(request)?.revision ?? 0}`;
  }

  /** Returns undefined if the question is closed or has changed since. */
  findByTarget(target: string): AskedEntry | undefined {
    return this.all().find(({ request }) => this.targetOf(request) === target);
  }

  /** Whether the question of this target is still open, changed or not. */
  isOpen(target: string): boolean {
    return this.#open.has(target.slice(0, target.lastIndexOf("~")));
  }

  /** ` (1 of 2)`, or nothing if there was only one question. */
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
