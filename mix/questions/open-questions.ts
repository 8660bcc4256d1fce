// SPDX-License-Identifier: MIT OR Apache-2.0
// The questions of a session that wait for a person at this terminal, in the order in which they came, each as it is by
// now: the agent may change the tool call that a permission is asked for.
import type { ElicitationEntry, PermissionEntry, ToolCallEntry } from "../../agentd/vocabulary/entries.ts";
import { ToolCallFold } from "../entries/tool-call-fold.ts";

export type AskedEntry = PermissionEntry | ElicitationEntry;

interface Waiting {
  readonly asked: AskedEntry;
  /** Of a permission: its tool call, followed on. */
  readonly call: ToolCallFold | undefined;
  /** Counts from 1 for the first question that came while none was open. */
  readonly number: number;
  readonly changed: readonly string[];
  /** How many times it was changed. */
  readonly edition: number;
}

export class OpenQuestions {
  readonly #open = new Map<string, Waiting>();
  #total = 0;

  /** A question that is open already keeps its place; what is known of it is what it says now. */
  add(asked: AskedEntry): void {
    const known = this.#open.get(asked.request);
    if (known === undefined) {
      if (this.#open.size === 0) this.#total = 0;
      this.#total += 1;
    }
    const { number, edition } = known ?? { number: this.#total, edition: 0 };
    const isPermission = asked.kind === "permission";
    const call = isPermission && asked.tool_call ? new ToolCallFold(asked.tool_call) : undefined;
    const changed = (isPermission && asked.changed) || [];
    this.#open.set(asked.request, { asked, call, number, changed, edition });
  }

  /**
   * Takes in what the agent says of a call that is asked about. A sub-agent's question is about a call of its own session,
   * which may have the same id: it is not meant.
   */
  follow(entry: ToolCallEntry): void {
    for (const { asked, call } of this.#open.values()) {
      const isOwn = asked.kind === "permission" && asked.agent_session === undefined;
      if (isOwn && call?.fields.tool_call_id === entry.tool_call_id) call.see(entry);
    }
  }

  /** Returns the question as it is now; undefined where it is not open. */
  change({ request, changed = [] }: PermissionEntry): AskedEntry | undefined {
    const waiting = this.#open.get(request);
    if (waiting === undefined) return undefined;
    const all = [...new Set([...waiting.changed, ...changed])];
    this.#open.set(request, { ...waiting, changed: all, edition: waiting.edition + 1 });
    return this.get(request);
  }

  remove(request: string): void {
    this.#open.delete(request);
  }

  get(request: string): AskedEntry | undefined {
    const waiting = this.#open.get(request);
    return waiting && asItIs(waiting);
  }

  /** The oldest is asked first; the others wait. */
  get current(): AskedEntry | undefined {
    const [first] = this.#open.values();
    return first && asItIs(first);
  }

  all(): AskedEntry[] {
    return Array.from(this.#open.values(), asItIs);
  }

  /** The topic of the line that answers it: another after each change, so that an answer to the question before is not taken. */
  topicOf(request: string): string {
    return `${request}~${this.#open.get(request)?.edition ?? 0}`;
  }

  /** The open question with this topic; undefined also where it has changed since. */
  withTopic(topic: string): AskedEntry | undefined {
    return this.all().find(({ request }) => this.topicOf(request) === topic);
  }

  /** Whether the question that this topic was about is still open, changed or not. */
  isOpen(topic: string): boolean {
    return this.#open.has(topic.slice(0, topic.lastIndexOf("~")));
  }

  /** ` (1 of 2)`; nothing where there is, or was, only one. */
  countWords(request: string): string {
    const number = this.#open.get(request)?.number;
    return number === undefined || this.#total < 2 ? "" : ` (${number} of ${this.#total})`;
  }
}

function asItIs({ asked, call, changed, edition }: Waiting): AskedEntry {
  if (asked.kind !== "permission" || call === undefined || edition === 0) return asked;
  const missing = (asked.left_out ?? []).filter((name) => !Object.hasOwn(call.fields, name));
  return { ...asked, tool_call: call.fields, changed, left_out: missing };
}
