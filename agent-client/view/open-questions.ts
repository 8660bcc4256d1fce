// SPDX-License-Identifier: MIT OR Apache-2.0
// The open questions of a session, in the order of their arrival, each in its present form: the agent may still change
// the tool call that a permission is asked for.
import type {
  ElicitationEntry,
  EntryContent,
  PermissionEntry,
  ToolCallEntry,
  ToolCallFields,
} from "../../agentd/vocabulary/entries.ts";
import { foldToolCall } from "./tool-call.ts";

export type AskedEntry = PermissionEntry | ElicitationEntry;

export function isAsked<E extends EntryContent>(entry: E): entry is Extract<E, AskedEntry> {
  return entry.kind === "permission" || entry.kind === "elicitation";
}

interface OpenQuestion {
  readonly asked: AskedEntry;
  /** The tool call of a permission, kept up to date. */
  readonly call: ToolCallFields | undefined;
  /** Counts from 1, and restarts with a question that arrives while none is open. */
  readonly number: number;
  readonly changed: readonly string[];
  /** How many times the question was changed. */
  readonly revision: number;
}

type Open = ReadonlyMap<string, OpenQuestion>;

/** Never changes: `apply` returns the questions after an entry, the same object if they are the same. */
export class OpenQuestions {
  readonly #open: Open;
  readonly #total: number;

  constructor(open: Open = new Map(), total = 0) {
    this.#open = open;
    this.#total = total;
  }

  apply(entry: EntryContent): OpenQuestions {
    if (entry.kind === "tool_call") return this.#follow(entry);
    if (!isAsked(entry)) return this;
    if (entry.phase === "requested") return this.#add(entry);
    const waiting = this.#open.get(entry.request);
    if (waiting === undefined) return this;
    if (entry.phase === "changed") return this.#with(entry.request, changedBy(waiting, entry));
    return entry.phase === "resolved" ? this.#without(entry.request) : this;
  }

  get(request: string): AskedEntry | undefined {
    const waiting = this.#open.get(request);
    return waiting && toCurrent(waiting);
  }

  /** The oldest open question: the one to ask now. */
  get current(): AskedEntry | undefined {
    const [first] = this.#open.values();
    return first && toCurrent(first);
  }

  all(): AskedEntry[] {
    return Array.from(this.#open.values(), toCurrent);
  }

  /**
   * Names the question in its present form. A person's answer keeps the target of what was on the screen: once the
   * question has changed, `findByTarget` no longer finds it, and nothing must be sent.
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

  /** A question that is already open keeps its place and number; its contents are replaced. */
  #add(asked: AskedEntry): OpenQuestions {
    const known = this.#open.get(asked.request);
    const total = known === undefined ? (this.#open.size === 0 ? 1 : this.#total + 1) : this.#total;
    const { number, revision } = known ?? { number: total, revision: 0 };
    const [call, changed = []] = asked.kind === "permission" ? [asked.tool_call, asked.changed] : [];
    return this.#with(asked.request, { asked, call, number, changed, revision }, total);
  }

  #follow(entry: ToolCallEntry): OpenQuestions {
    const followed = Array.from(this.#open, ([request, waiting]) => [request, followedBy(waiting, entry)] as const);
    if (followed.every(([request, waiting]) => waiting === this.#open.get(request))) return this;
    return new OpenQuestions(new Map(followed), this.#total);
  }

  #with(request: string, question: OpenQuestion, total = this.#total): OpenQuestions {
    return new OpenQuestions(new Map(this.#open).set(request, question), total);
  }

  #without(request: string): OpenQuestions {
    const left = new Map(this.#open);
    left.delete(request);
    return new OpenQuestions(left, this.#total);
  }
}

/**
 * Applies an update of a tool call to a question about it. A question of a sub-agent is about a call of the sub-agent's
 * own session, which may have the same id.
 */
function followedBy(waiting: OpenQuestion, entry: ToolCallEntry): OpenQuestion {
  const { asked, call } = waiting;
  const isOwn = asked.kind === "permission" && asked.agent_session === undefined;
  if (!isOwn || call?.tool_call_id !== entry.tool_call_id) return waiting;
  return { ...waiting, call: foldToolCall(call, entry) };
}

function changedBy(waiting: OpenQuestion, { changed = [] }: PermissionEntry): OpenQuestion {
  return { ...waiting, changed: [...new Set([...waiting.changed, ...changed])], revision: waiting.revision + 1 };
}

function toCurrent({ asked, call, changed, revision }: OpenQuestion): AskedEntry {
  if (asked.kind !== "permission" || call === undefined || revision === 0) return asked;
  const missing = (asked.left_out ?? []).filter((name) => !Object.hasOwn(call, name));
  return { ...asked, tool_call: call, changed, left_out: missing };
}
